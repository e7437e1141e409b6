"""The program that compares two trees finds what differs, and nothing where nothing does; and the recorded journals
give what they gave."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.library import load_library
from tests.identity import __main__ as program
from tests.identity import compare
from tests.identity.compare import first_difference
from tests.identity.player import Player
from tests.identity.random_stream import RandomStream
from tests.identity.recorded import DIGESTS, FOLDER, book_of, journals, outputs_digest
from tests.identity.trees import IMPORTED, REPOSITORY, TreeError, tree_of_revision, tree_of_work

BOOK = "tas-2018-holdem"
BOOKS = load_library(rulebook_sources(), structure_sources())
RECORDED: dict[str, str] = json.loads((FOLDER / DIGESTS).read_text(encoding="utf-8"))


@pytest.mark.parametrize("journal", journals(FOLDER), ids=book_of)
def test_a_recorded_journal_gives_what_it_gave(journal: Path) -> None:
    assert outputs_digest(Player(BOOKS), journal) == RECORDED[book_of(journal)], (
        "an output has changed; where a rule was meant to change: python -m tests.identity.record"
    )


def test_every_book_has_a_recorded_journal() -> None:
    assert {book_of(journal) for journal in journals(FOLDER)} == set(BOOKS) == set(RECORDED)


@pytest.mark.parametrize("book", sorted(BOOKS))
def test_a_random_stream_plays_rounds_to_their_end_and_goes_wrong_on_the_way(book: str) -> None:
    player = Player(BOOKS)
    player.play(RandomStream(book, REPOSITORY / "config", REPOSITORY / "tests" / "drills", events=4000, seed=3), None)
    player.count_rounds()
    reached = player.statistics
    assert reached.rounds >= 20
    assert reached.phases["showdown"] >= 5
    assert len(reached.rulings) >= 10
    assert reached.restored >= 1


def run(monkeypatch: pytest.MonkeyPatch, tree: Path, *more: str) -> int:
    """The program, with this work tree in the place of a revision."""
    monkeypatch.setattr(program, "tree_of_revision", lambda revision, folder: tree_of_work(folder))
    return program.main(["--events", "400", "--books", BOOK, "--tree", str(tree), *more])


@pytest.mark.slow
def test_two_trees_alike_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tree_of_work(tmp_path / "tree")) == 0
    told = capsys.readouterr().out
    assert f"{BOOK}: same" in told
    assert "no output differs" in told


@pytest.mark.slow
def test_a_word_that_differs_is_found_at_its_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tree_of_work(tmp_path / "tree")
    outputs = tree / "table_fsm" / "outputs.py"
    text = outputs.read_text(encoding="utf-8")
    outputs.write_text(text.replace('LAMP = "lamp"', 'LAMP = "light"'), encoding="utf-8")
    assert run(monkeypatch, tree) == 1
    told = capsys.readouterr().out
    assert f"{BOOK}: DIFFERENT at event " in told
    event = next(line for line in told.splitlines() if line.startswith("  event: "))
    assert '"ev": "shoe.deck_checked"' in event  # the first: a closed table sets its lamps too
    assert '"lamp": {"name": "play"' in told
    assert '"light": {"name": "play"' in told
    assert "1 of 1 streams differ" in told


@pytest.mark.slow
def test_kept_answers_are_found_again_and_only_for_the_very_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tree_of_work(tmp_path / "tree")
    kept = tmp_path / "kept"
    assert run(monkeypatch, tree, "--keep", str(kept)) == 0
    first = capsys.readouterr().out
    assert len(list(kept.glob(f"{BOOK}-*.json"))) == 1  # one answer for both: they are alike
    with monkeypatch.context() as patched:
        patched.setattr(compare, "run_player", lambda task, program: pytest.fail("played again"))
        assert run(patched, tree, "--keep", str(kept)) == 0
    assert capsys.readouterr().out == first
    (tree / "table_fsm" / "note.txt").write_text("another tree", encoding="utf-8")
    assert run(monkeypatch, tree, "--keep", str(kept)) == 0
    assert len(list(kept.glob(f"{BOOK}-*.json"))) == 2


@pytest.mark.slow
def test_a_tree_that_cannot_be_played_is_told_apart_from_one_that_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tree_of_work(tmp_path / "tree")
    (tree / "table_fsm" / "table.py").write_text("from table_fsm import nothing_there\n", encoding="utf-8")
    assert run(monkeypatch, tree) == 2
    assert "nothing_there" in capsys.readouterr().err


def test_the_first_of_the_digests_that_differs_is_found() -> None:
    assert first_difference(b"12345678abcdefgh", b"12345678abcdefgh") is None
    assert first_difference(b"12345678abcdefgh", b"12345678abcdefgX") == 1
    assert first_difference(b"12345678abcdefgh", b"12345678") == 1


def test_a_revision_is_taken_out_of_git(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    tree_of_work(repository)
    person = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for command in (("init", "-q"), ("add", "."), (*person, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *command], cwd=repository, check=True)
    (repository / "config" / "rulebooks" / "every-table.toml").write_text("changed since", encoding="utf-8")
    taken = tree_of_revision("HEAD", tmp_path / "taken", repository)
    assert "changed since" not in (taken / "config" / "rulebooks" / "every-table.toml").read_text(encoding="utf-8")
    assert (taken / "table_fsm" / "table.py").is_file()
    assert (taken / IMPORTED / "faults.py").is_file()
    with pytest.raises(TreeError, match="no-such-revision"):
        tree_of_revision("no-such-revision", tmp_path / "none", repository)


def test_a_revision_from_before_a_package_was_made_is_taken_without_it(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    tree_of_work(repository)
    shutil.rmtree(repository / IMPORTED)
    person = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for command in (("init", "-q"), ("add", "."), (*person, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *command], cwd=repository, check=True)
    taken = tree_of_revision("HEAD", tmp_path / "taken", repository)
    assert (taken / "table_fsm" / "table.py").is_file()
    assert not (taken / IMPORTED).exists()
