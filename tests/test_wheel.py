"""The wheel brings what a reader needs (books, lists of clauses, templates, the rulebooks as pages), and a table's
hands."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from feltd.books.html import IN_A_FOLDER, RulePages, clause_lists
from feltd.books.own import book_sources, structure_sources_of
from feltd.table.host.hand_tables import HAND_FILE
from table_fsm.library import load_library
from table_fsm.poker.hands.made_before import hand_file

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    [wheel] = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def test_every_book_is_in_it_as_the_page_that_the_table_shows(unpacked: Path) -> None:
    books = load_library(book_sources(None), structure_sources_of(None))
    pages = RulePages(books, clause_lists(), IN_A_FOLDER)
    [folder] = unpacked.glob("*.data/data/share/doc/feltd/rulebooks")
    written = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    assert written["index.html"] == pages.index()
    assert {name: written.get(f"{name}.html") for name in books} == {name: pages.book(name) for name in books}
    assert {"rules.css", "icon.svg"} <= written.keys()


def test_the_tables_of_hands_lie_beside_what_reads_them(unpacked: Path) -> None:
    assert (unpacked / HAND_FILE.relative_to(ROOT)).read_bytes() == hand_file()


def test_what_is_asked_of_a_checkout_can_be_asked_of_an_installed_feltd(unpacked: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(unpacked)}

    def ask(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "feltd.cli", "rules", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)

    assert ask("tas-2018-holdem", "--clauses").stdout.startswith("## Clauses of the source")
    assert ask("--html", "site").returncode == 0
    assert (tmp_path / "site" / "act-2019-uth.html").is_file()
    refused = ask("--coverage", "act-2019-uth")
    assert (refused.returncode, "name their folder with --drills DIR" in refused.stderr) == (2, True)
    covered = ask("--coverage", "act-2019-uth", "--drills", str(ROOT / "tests" / "drills" / "act-2019-uth"))
    assert ["ok", "2.1", "wrong_deck"] in [line.split()[:3] for line in covered.stdout.splitlines()]
