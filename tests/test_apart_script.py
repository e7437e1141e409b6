"""The script that takes over what the one unit of 0.2 left, and gives it back: on a tree of its own, with no right."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from debian.layout import ROOT

WANTS = "etc/systemd/system/multi-user.target.wants"
RUNUSER = '#!/bin/sh\necho "$2" >>"$USERS"\nshift 3\nexec "$@"\n'
"""Stands for the program: notes the user, and does what it is to do."""


class Board:
    """The folders that the script knows, under a folder of the test's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.users, self.given = folder / "users", folder / "given"
        for made in (WANTS, "var/lib/feltd/8", "bin"):
            (folder / made).mkdir(parents=True)
        (folder / "bin/runuser").write_text(RUNUSER, encoding="ascii")
        (folder / "bin/chown").write_text('#!/bin/sh\necho "$PWD" "$@" >>"$GIVEN"\n', encoding="ascii")
        for program in ("runuser", "chown"):
            (folder / "bin" / program).chmod(0o755)

    def __getitem__(self, name: str) -> Path:
        return self.folder / name

    def links(self) -> dict[str, str]:
        return {link.name: os.readlink(link).rpartition("/")[2] for link in self[WANTS].iterdir()}

    def write(self, name: str, text: str) -> None:
        self[name].parent.mkdir(parents=True, exist_ok=True)
        self[name].write_text(text, encoding="ascii")

    def run(self, *words: str) -> str:
        text = (ROOT / "debian/apart.sh").read_text(encoding="utf-8")
        script = self["script"]
        script.write_text(
            text.replace("/etc/systemd", f"{self.folder}/etc/systemd").replace("/var/lib/", f"{self.folder}/var/lib/"),
            encoding="utf-8",
        )
        environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "USERS": str(self.users)}
        environment["GIVEN"] = str(self.given)
        return subprocess.run(
            ["sh", script, *words], check=True, capture_output=True, text=True, env=environment
        ).stdout


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


def test_what_started_with_the_power_does_so_as_two_units_and_as_one_again(board: Board) -> None:
    before = {"feltd.service": "feltd.service", "feltd@8.service": "feltd@.service", "feltd-record@8.timer": "x"}
    for name, file in before.items():
        board[f"{WANTS}/{name}"].symlink_to(f"/usr/lib/systemd/system/{file}")
    board.run()
    after = {
        "felt-table.service": "felt-table.service", "felt-page.service": "felt-page.service",
        "felt-table@8.service": "felt-table@.service", "felt-page@8.service": "felt-page@.service",
        "feltd-record@8.timer": "x",
    }  # fmt: skip
    assert board.links() == after
    board.run()
    assert board.links() == after
    board.run("back")
    assert board.links() == before


def test_people_and_certificates_go_to_the_pages_user_who_writes_them_itself(board: Board) -> None:
    board.write("var/lib/feltd/accounts.json", "people")
    board.write("var/lib/feltd/8/accounts.json", "others")
    board.write("var/lib/feltd/8/page-certificate.key", "key")
    board.write("var/lib/feltd/table.journal", "evidence")
    board.write("var/lib/feltd/table.journal.index", "made anew")
    board.run()
    state = board["var/lib/feltd"]
    kept = {str(file.relative_to(state)): file for file in state.rglob("page/*")}
    assert {name: file.read_text() for name, file in kept.items()} == {
        "page/accounts.json": "people", "8/page/accounts.json": "others", "8/page/page-certificate.key": "key",
    }  # fmt: skip
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in kept.values())
    assert sorted(file.name for file in state.iterdir()) == ["8", "accounts.json", "page", "table.journal"]
    given = [line.split() for line in board.given.read_text().splitlines()]
    words = ["--from=feltd", "feltd-page:feltd-page", "."]
    assert given == [[str(folder / "page"), *words] for folder in (state, state / "8")]
    assert state.stat().st_mode & 0o001
    assert set(board.users.read_text().split()) == {"feltd", "feltd-page"}


def test_going_back_and_forth_the_newer_accounts_count(board: Board) -> None:
    old, new = "var/lib/feltd/accounts.json", "var/lib/feltd/page/accounts.json"
    board.write(old, "first")
    board.run()
    board.write(new, "changed at the page")
    os.utime(board[old], (1, 1))
    board.run()
    assert board[new].read_text() == "changed at the page"
    assert not board["var/lib/feltd/page/page"].exists()
    board.run("back")
    assert board[old].read_text() == "changed at the page"


def test_an_override_is_the_tables_and_its_networks_are_the_pages(board: Board) -> None:
    override = "etc/systemd/system/feltd@.service.d/override.conf"
    board.write(override, "[Service]\nWatchdogSec=30\nIPAddressAllow=192.168.20.0/24\n")
    board.write("etc/systemd/system/feltd.service.d/override.conf", "[Service]\nWatchdogSec=40\n")
    said = board.run()
    system = board["etc/systemd/system"]
    assert (system / "felt-table@.service.d/override.conf").read_text() == board[override].read_text()
    assert (system / "felt-page@.service.d/override.conf").read_text() == "[Service]\nIPAddressAllow=192.168.20.0/24\n"
    assert (system / "felt-table.service.d/override.conf").read_text() == "[Service]\nWatchdogSec=40\n"
    assert not (system / "felt-page.service.d").exists()
    assert said.count("look whether each has what is meant for it") == 2
    assert board.run() == ""


def test_a_folder_that_is_a_link_is_no_tables(board: Board) -> None:
    board.write("home/accounts.json", "{}")
    board["var/lib/feltd/9"].symlink_to(board["home"])
    board.run()
    assert not board["home/page"].exists()


def purge(board: Board) -> None:
    script = (ROOT / "debian/postrm").read_text(encoding="utf-8")
    for place in ("/etc/", "/var/lib/", "/run/"):
        script = script.replace(place, f"{board.folder}{place}")
    board.write("bin/deb-systemd-helper", "#!/bin/sh\n")
    board["bin/deb-systemd-helper"].chmod(0o755)
    environment = os.environ | {"PATH": f"{board.folder}/bin:{os.environ['PATH']}", "USERS": str(board.users)}
    subprocess.run(["sh", "-c", script, "postrm", "purge"], check=True, env=environment)


def test_a_purge_follows_no_link_that_the_service_laid(board: Board) -> None:
    kept = ("home/keys/private", "home/page/index", "home/accounts.json", "var/lib/feltd/8/table.journal")
    gone = ("8/keys/shoe.key", "8/page/accounts.json", "8/page/index", "keys/shoe.key", "staff.json", "page/index")
    for name in (*kept, *(f"var/lib/feltd/{name}" for name in gone)):
        board.write(name, "x")
    board["var/lib/feltd/9"].symlink_to(board["home"])
    purge(board)
    assert all(board[name].exists() for name in kept)
    left = {str(path.relative_to(board["var/lib/feltd"])) for path in board["var/lib/feltd"].rglob("*")}
    assert left == {"8", "8/table.journal", "9"}


def test_a_purge_removes_with_the_right_of_the_folders_users_only(board: Board) -> None:
    """A folder on the way may be swapped while it works: what root itself removed there could be anybody's."""
    kept = ("var/lib/feltd/8/keys/shoe.key", "var/lib/feltd/page/accounts.json", "var/lib/feltd/staff.json")
    for name in kept:
        board.write(name, "x")
    board.write("bin/runuser", '#!/bin/sh\necho "$2" >>"$USERS"\n')
    purge(board)
    assert all(board[name].exists() for name in kept)
    assert set(board.users.read_text().split()) == {"feltd", "feltd-page", "feltd-uplink", "feltd-pit", "feltd-floor"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize(
    ("laid", "own"),
    [
        ('mkdir "$LAID" && chown daemon "$LAID"', True),
        ('ln "$SECRET" "$LAID"', False),
        ('ln -s "$SECRET" "$LAID"', False),
        ('ln -s "$PRIVATE" "$LAID"', False),
    ],
)
def test_only_a_folder_of_the_tables_user_is_given_to_the_pages(board: Board, laid: str, own: bool) -> None:
    """The table's user makes the folder, and may lay something else there before root gives it away."""
    board.write("secret", "root's")
    board["private"].mkdir()
    place = board["var/lib/feltd/page"]
    board.write("bin/runuser", f'#!/bin/sh\n[ "$4" != mkdir ] || {{ {laid}; }}\n')
    board["bin/chown"].unlink()
    script = (ROOT / "debian/apart.sh").read_text(encoding="utf-8").replace("/var/lib/", f"{board.folder}/var/lib/")
    script = script.replace("feltd-page:feltd-page", "nobody:nogroup").replace("--from=feltd ", "--from=daemon ")
    laying = {"SECRET": str(board["secret"]), "PRIVATE": str(board["private"]), "LAID": str(place)}
    environment = os.environ | laying | {"PATH": f"{board.folder}/bin:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", script], check=False, env=environment, capture_output=True)
    assert [board[name].stat().st_uid for name in ("secret", "private")] == [0, 0]
    assert place.stat().st_uid == (pwd.getpwnam("nobody").pw_uid if own else 0)


def test_a_first_installation_makes_the_pages_folder_and_nothing_else(board: Board) -> None:
    board["var/lib/feltd/exports"].mkdir()
    before = set(board.folder.rglob("*"))
    assert board.run() == board.run() == board.run("back") == ""
    after = {path.relative_to(board.folder) for path in board.folder.rglob("*") if path not in before}
    assert {str(path) for path in after} == {"var/lib/feltd/page", "script", "users", "given"}


def test_a_purge_leaves_sealed_secrets_of_draws_and_says_so(board: Board, capfd: pytest.CaptureFixture[str]) -> None:
    board.write("var/lib/feltd-floor-draws/draws.sealed", "x")
    purge(board)
    assert board["var/lib/feltd-floor-draws/draws.sealed"].exists()
    assert "sealed secrets of draws stay in" in capfd.readouterr().out
    board["var/lib/feltd-floor-draws/draws.sealed"].unlink()
    purge(board)
    assert not board["var/lib/feltd-floor-draws"].exists()
    assert capfd.readouterr().out == ""
