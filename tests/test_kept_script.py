"""The script by which a table plays on through an upgrade, on a tree of its own and without systemd."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from debian.layout import ROOT
from feltd.installed.upgrade import upgrade_in

SYSTEMCTL = """#!/bin/sh
case "$*" in
*ActiveState*) echo "${STATE:-active}" ;;
*MainPID*) echo 7 ;;
*)
    echo "$*" >>"$TOLD"
    [ -z "$REFUSED" ] || exit 1
    echo "31 24 8:1 / / ro
32 31 8:1 ${4#"$ROOT"} $5 ro" >"$PROCESSES/7/mountinfo"
    ;;
esac
"""
SYSTEMD_RUN = '#!/bin/sh\nwhile [ "$1" != /bin/sh ]; do shift; done\nexec "$@"\n'
DPKG_QUERY = '#!/bin/sh\nprintf %s "$INSTALLED"\n'


class Board:
    """A machine in a folder."""

    def __init__(self, folder: Path) -> None:
        self.now, self.trees, self.links = folder / "opt/feltd", folder / "opt/feltd.kept", folder / "run/feltd-kept"
        self.told, self._bin, self._script = folder / "told", folder / "bin", folder / "script"
        self._folder, self.view = folder, folder / "proc/7/mountinfo"
        self.state = "active"
        (folder / "run").mkdir()
        self.view.parent.mkdir(parents=True)
        self._bin.mkdir()
        self.program("systemctl", SYSTEMCTL)
        self.program("systemd-run", SYSTEMD_RUN)
        self.program("dpkg-query", DPKG_QUERY)
        text = (ROOT / "debian/kept.sh").read_text(encoding="utf-8")
        places = {"now": self.now, "trees": self.trees, "links": self.links, "processes": folder / "proc"}
        for name, place in places.items():
            before = f"/{place.relative_to(folder)}"
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

    def run(
        self, *words: str, result: str = "success", refused: bool = False, end: tuple[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "PATH": f"{self._bin}:{os.environ['PATH']}",
            "TOLD": str(self.told),
            "INSTALLED": self.version,
            "STATE": self.state,
            "ROOT": str(self._folder / "opt"),  # as where that is a disk of its own
            "PROCESSES": str(self._folder / "proc"),
            "SERVICE_RESULT": result,
            "REFUSED": "yes" if refused else "",
        }
        environment |= {} if end is None else dict(zip(("EXIT_CODE", "EXIT_STATUS"), end, strict=True))
        command = ["sh", "-c", 'umask 0027; exec sh "$@"', "sh", str(self._script), *words]  # as in the table's unit
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
    for _ in range(2):
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


@pytest.mark.parametrize(("result", "often"), [("exit-code", 3), ("timeout", 1)])
def test_a_table_whose_own_files_start_no_more_starts_by_what_is_installed(
    board: Board, result: str, often: int
) -> None:
    board.done("keep", "felt-table.service")
    board.install("0.13.0", "new")
    board.done("ended", "felt-table", result=result)  # while files change: what is installed is not whole
    board.done("installed")
    for _ in range(often):
        assert board.plays_by() == "old"
        said = board.done("ended", "felt-table", result=result)
    assert "its next start is by the version that is installed" in said
    assert board.plays_by() is None
    assert {file.name for file in board.links.iterdir()} == {"lock", "felt-table.ended"}
    assert not board.trees.exists()


def test_each_upgrade_counts_failures_anew(board: Board) -> None:
    for version in ("0.13.0", "0.14.0"):
        board.done("keep", "felt-table.service")
        board.install(version, version)
        board.done("installed")
        for _ in range(2):
            board.done("ended", "felt-table", result="exit-code")
        assert board.plays_by() == "old"


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("state", ["activating", "deactivating"])
def test_one_that_is_not_up_is_stopped_and_its_next_start_is_of_what_is_installed(
    board: Board, state: str, again: bool
) -> None:
    if again:
        board.done("keep", "felt-table.service")
        board.install("0.13.0", "new")
        board.done("installed")
    board.state = state
    ended = board.run("keep", "felt-table.service")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, f"it is {state}\n", "")
    assert [file.name for file in board.links.iterdir()] == ["lock"]
    assert not board.trees.exists()


@pytest.mark.parametrize("gone", ["the view", "the process", "another view", "the tree"])
def test_a_link_is_not_believed_where_the_table_sees_other_files(board: Board, gone: str) -> None:
    board.done("keep", "felt-table.service")
    if gone == "the view":
        board.view.write_text("31 24 8:1 / / ro\n", encoding="ascii")
    if gone == "the process":
        board.view.unlink()
    if gone == "another view":
        view = board.view.read_text(encoding="ascii")
        board.view.write_text(f"{view}33 32 8:1 /opt/another {board.now} ro\n", encoding="ascii")
    if gone == "the tree":
        shutil.rmtree(board.trees)
    ended = board.run("keep", "felt-table.service")
    said = "the files that it was started from are gone\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, said, "")
    assert board.plays_by() is None
    assert not (board.links / "felt-table").is_symlink()


def test_a_tree_that_a_person_has_taken_away_is_made_anew_for_the_next_table(board: Board) -> None:
    board.done("keep", "felt-table@8.service")
    shutil.rmtree(board.trees)
    board.done("keep", "felt-table.service")
    assert board.plays_by() == "old"


@pytest.mark.parametrize("state", ["inactive", "failed", "deactivating"])
def test_a_table_that_was_stopped_while_files_changed_is_not_told_and_starts_by_what_is_installed(
    board: Board, state: str
) -> None:
    board.done("keep", "felt-table.service")
    board.install("0.13.0", "new")
    board.done("ended", "felt-table")
    board.state = state
    assert board.done("installed") == ""
    assert [file.name for file in board.links.iterdir()] == ["lock"]
    board.done("tidy")  # as postinst does next
    assert not board.trees.exists()


def test_one_that_is_just_to_be_tried_again_is_told(board: Board) -> None:
    board.done("keep", "felt-table.service")
    board.install("0.13.0", "new")
    board.state = "activating"
    assert "plays on by feltd 0.12.0" in board.done("installed")


def test_the_same_version_that_is_laid_once_more_is_no_other_one(board: Board) -> None:
    board.done("keep", "felt-table.service")
    board.install("0.12.0", "old")
    assert "felt-table plays on by the files of feltd 0.12.0 from before" in board.done("installed")
    told = upgrade_in(board.links / "felt-table.installed")
    assert told is not None
    assert told.again


def test_what_a_root_that_cannot_be_written_has_kept_goes_with_the_next_upgrade(board: Board) -> None:
    board.done("keep", "felt-table.service")
    board.install("0.13.0", "new")
    board.done("installed")
    board.program("mv", "#!/bin/sh\nexit 1\n")
    board.done("ended", "felt-table")
    assert len(list(board.trees.iterdir())) == 1
    board.program("mv", '#!/bin/sh\nexec /bin/mv "$@"\n')
    board.done("tidy")
    assert not board.trees.exists()
    board.done("tidy")


def test_what_forgets_takes_everything_away_beside_one_that_tidies(board: Board) -> None:
    board.done("forget")  # nothing is there
    board.done("keep", "felt-table.service")
    (board.trees / ".gone-0.11.0-1").mkdir()  # another one is just taking it away
    board.done("forget")
    assert [place.name for place in board.now.parent.iterdir()] == ["feltd"]
    assert not board.links.exists()


CANNOT = {
    "systemd refuses": "systemd lays nothing over {now} for it",
    "an overlay": "{now} lies on an overlay",
    "no room": "no hard links to {now} can be made in {trees}",
    "no manifest": "{now}/share/feltd/manifest.json cannot be read",
    "a link": "{now} is no folder",
    "a disk of its own": "{now} is a file system of its own",
    "a start meanwhile": "it has just been started anew",
}


@pytest.mark.parametrize("why", CANNOT)
def test_where_it_cannot_go_on_nothing_is_left_and_the_table_must_be_stopped(board: Board, why: str) -> None:
    if why == "a link":
        board.now.rename(board.now.with_name("elsewhere"))
        board.now.symlink_to(board.now.with_name("elsewhere"))
    if why == "a disk of its own":
        board.program("stat", '#!/bin/sh\necho "$*"\n')
    if why == "a start meanwhile":
        board.program("ln", '#!/bin/sh\n/bin/ln "$@"\n: >"$PROCESSES/7/mountinfo"\n')
    if why == "an overlay":
        board.program("stat", "#!/bin/sh\necho overlayfs\n")
    if why == "no room":
        board.program("cp", "#!/bin/sh\nexit 1\n")
    if why == "no manifest":
        (board.now / "share/feltd/manifest.json").unlink()
    ended = board.run("keep", "felt-table.service", refused=why == "systemd refuses")
    said = CANNOT[why].format(now=board.now, trees=board.trees) + "\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, said, "")
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


@pytest.mark.parametrize(
    ("result", "end", "said"), [
        ("exit-code", ("exited", "243"), "exit-code exited 243\n"),
        ("signal", ("killed", "KILL"), "signal killed KILL\n"),
        ("resources", None, "resources - -\n"),
    ],
)  # fmt: skip
def test_how_a_table_has_ended_is_told_to_all_until_it_ends_in_good_order(
    board: Board, result: str, end: tuple[str, str] | None, said: str
) -> None:
    board.run("ended", "felt-table@8", result="exit-code", end=("exited", "1"))
    ended = board.run("ended", "felt-table@8", result=result, end=end)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    told = board.links / "felt-table@8.ended"
    assert told.read_text(encoding="ascii") == said
    assert (told.stat().st_mode & 0o777, board.links.stat().st_mode & 0o777) == (0o644, 0o755)
    board.done("ended", "felt-table", result="success")
    assert told.exists(), "another table's"
    board.done("ended", "felt-table@8")
    assert not told.exists()


def test_where_an_end_cannot_be_told_the_next_start_is_by_what_is_installed_all_the_same(board: Board) -> None:
    board.done("keep", "felt-table.service")
    board.install("0.13.0", "new")
    board.done("installed")
    (board.links / "felt-table.ended.new").mkdir()  # as on a disk that takes nothing more
    ended = board.run("ended", "felt-table", result="timeout", end=("killed", "TERM"))
    assert ended.returncode == 0
    assert board.plays_by() is None
