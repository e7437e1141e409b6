"""The script by which a table plays on through an upgrade, on a tree of its own and without systemd."""

import os
import subprocess
from pathlib import Path

import pytest

from debian.layout import ROOT
from feltd.installed.upgrade import upgrade_in

SYSTEMCTL = '#!/bin/sh\necho "$*" >>"$TOLD"\n[ -z "$REFUSED" ]\n'
SYSTEMD_RUN = '#!/bin/sh\nwhile [ "$1" != /bin/sh ]; do shift; done\nexec "$@"\n'
DPKG_QUERY = '#!/bin/sh\nprintf %s "$INSTALLED"\n'


class Board:
    """A machine in a folder."""

    def __init__(self, folder: Path) -> None:
        self.now, self.trees, self.links = folder / "opt/feltd", folder / "opt/feltd.kept", folder / "run/feltd-kept"
        self.told, self._bin, self._script = folder / "told", folder / "bin", folder / "script"
        (folder / "run").mkdir()
        self._bin.mkdir()
        self.program("systemctl", SYSTEMCTL)
        self.program("systemd-run", SYSTEMD_RUN)
        self.program("dpkg-query", DPKG_QUERY)
        text = (ROOT / "debian/kept.sh").read_text(encoding="utf-8")
        for name, place in (("now", self.now), ("trees", self.trees), ("links", self.links)):
            before = {"now": "/opt/feltd", "trees": "/opt/feltd.kept", "links": "/run/feltd-kept"}[name]
            assert f"\n{name}={before}" in text
            text = text.replace(f"\n{name}={before}", f"\n{name}={place}", 1)
        self._script.write_text(text, encoding="utf-8")
        self.install("0.12.0", "old")

    def program(self, name: str, text: str) -> None:
        (self._bin / name).write_text(text, encoding="ascii")
        (self._bin / name).chmod(0o755)

    def install(self, version: str, code: str) -> None:
        """Lay a version as dpkg does: each file beside the old one, then in its place."""
        self.version = version
        for name in ("code", "share/feltd/manifest.json"):
            place = self.now / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.with_suffix(".dpkg-new").write_text(code, encoding="ascii")
            place.with_suffix(".dpkg-new").rename(place)

    def run(self, *words: str, result: str = "success", refused: bool = False) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "PATH": f"{self._bin}:{os.environ['PATH']}",
            "TOLD": str(self.told),
            "INSTALLED": self.version,
            "SERVICE_RESULT": result,
            "REFUSED": "yes" if refused else "",
        }
        command = ["sh", str(self._script), *words]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)

    def done(self, *words: str, result: str = "success") -> str:
        ended = self.run(*words, result=result)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    def plays_by(self, name: str = "felt-table") -> str | None:
        """The code in the table's view at its next start."""
        link = self.links / name
        return (link / "code").read_text(encoding="ascii") if link.exists() else None


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


def test_a_table_goes_on_by_hard_links_to_the_files_that_are_replaced(board: Board) -> None:
    board.done("keep", "felt-table.service")
    tree = (board.links / "felt-table").readlink()
    assert board.told.read_text() == f"bind --read-only felt-table.service {tree} {board.now}\n"
    assert (tree / "code").stat().st_ino == (board.now / "code").stat().st_ino
    board.install("0.13.0", "new")
    assert board.plays_by() == "old"
    assert (board.now / "code").read_text() == "new"


def test_it_is_told_what_is_installed_and_starts_by_that_once_it_has_ended(board: Board) -> None:
    board.done("keep", "felt-table@8.service")
    board.install("0.13.0", "new")
    said = board.done("installed")
    assert said == "feltd: felt-table@8 plays on by feltd 0.12.0, and starts anew once its round is over.\n"
    told = upgrade_in(board.links / "felt-table@8.installed")
    assert told is not None
    assert (told.runs, told.installed) == ("0.12.0", "0.13.0")
    assert len(told.manifest) == 16
    board.done("ended", "felt-table@8", result="watchdog")
    assert board.plays_by("felt-table@8") == "old", "its round is not over"
    board.done("ended", "felt-table@8")
    assert [file.name for file in board.links.iterdir()] == ["lock"]
    assert not board.trees.exists()


def test_while_files_change_no_end_of_a_table_takes_its_own_away(board: Board) -> None:
    board.done("keep", "felt-table.service")
    board.install("0.13.0", "new")
    board.done("installed")
    board.done("keep", "felt-table.service")  # a third version comes
    assert len(board.told.read_text().splitlines()) == 1, "it plays by kept files already"
    board.done("ended", "felt-table")
    assert board.plays_by() == "old"
    board.install("0.14.0", "newest")
    board.done("installed")
    told = upgrade_in(board.links / "felt-table.installed")
    assert told is not None
    assert (told.runs, told.installed) == ("0.12.0", "0.14.0")
    board.done("ended", "felt-table")
    assert board.plays_by() is None


def test_two_tables_share_a_tree_until_the_last_has_ended_and_another_version_has_its_own(board: Board) -> None:
    for unit in ("felt-table.service", "felt-table@8.service"):
        board.done("keep", unit)
    assert len(list(board.trees.iterdir())) == 1
    board.install("0.13.0", "new")
    board.done("installed")
    board.done("ended", "felt-table")
    assert board.plays_by("felt-table@8") == "old"
    board.done("keep", "felt-table.service")
    assert len(list(board.trees.iterdir())) == 2
    assert (board.plays_by(), board.plays_by("felt-table@8")) == ("new", "old")


def test_a_tree_that_a_power_cut_has_left_is_made_anew(board: Board) -> None:
    board.done("keep", "felt-table.service")
    (board.links / "felt-table").unlink()  # /run is forgotten
    (board.trees / next(board.trees.iterdir()).name / "stranger").touch()
    board.done("keep", "felt-table.service")
    assert not list(board.trees.glob("*/stranger"))


@pytest.mark.parametrize("why", ["systemd refuses", "an overlay", "no room", "no manifest"])
def test_where_it_cannot_go_on_nothing_is_left_and_the_table_must_be_stopped(board: Board, why: str) -> None:
    if why == "an overlay":
        board.program("stat", "#!/bin/sh\necho overlayfs\n")
    if why == "no room":
        board.program("cp", "#!/bin/sh\nexit 1\n")
    if why == "no manifest":
        (board.now / "share/feltd/manifest.json").unlink()
    assert board.run("keep", "felt-table.service", refused=why == "systemd refuses").returncode != 0
    assert board.plays_by() is None
    assert not board.trees.exists() or not list(board.trees.iterdir())


def test_where_the_machine_goes_down_old_files_stay_until_the_next_start(board: Board) -> None:
    board.program("systemd-run", "#!/bin/sh\nexit 1\n")
    board.done("keep", "felt-table.service")
    board.install("0.13.0", "new")
    board.done("installed")
    board.done("ended", "felt-table")
    assert board.plays_by() is None
    rules = (ROOT / "systemd/feltd.tmpfiles").read_text(encoding="utf-8")
    assert "\nR! /opt/feltd.kept -" in rules


def test_without_an_upgrade_it_does_nothing(board: Board) -> None:
    assert board.done("installed") == ""
    board.done("ended", "felt-table")
    assert not board.links.exists()
