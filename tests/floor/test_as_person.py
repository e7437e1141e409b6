"""`--as`: who decides at the floor's shell is a person whom the pit page's accounts know, by password and factor."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import FINE
from feltd.door.pit.wishes import NewWish
from feltd.door.serving.listener import listening
from feltd.floor.pit_socket import Pit, PitReception
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.page.access.security_keys import SecurityKey
from tests.feltd.test_second_factor import code_of
from tests.floor.pit_support import Floor
from tests.quick_passwords import quick_passwords

PASSWORD = "correct horse battery staple"
FACTOR = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
DECIDE = ("decide", "7", "confirm", "--ruling", "5", "--reason", "seen")


class Shell:
    """The floor's shell, with a pit page's accounts beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.floor = Floor(folder)
        words = 'certificate = "c"\nkey = "k"\nauthority = "a"\ndatabase = "postgresql:///floor"\n'
        (folder / "floor.toml").write_text(f'[floor]\n{words}socket = "pit"\n')
        (folder / "own").mkdir()
        self.settings("")
        self.accounts = AccountBook(folder / "own" / "accounts.json")
        for name, role in (("lea", Role.SUPERVISOR), ("tom", Role.OBSERVER), ("dan", Role.DIRECTOR)):
            self.accounts.add(name, role, PASSWORD, "S1042" if name == "lea" else None)

    def settings(self, more: str) -> None:
        (self.folder / "pit.toml").write_text(f'[pit]\nfloor = "pit"\nfolder = "own"\n{more}\n')

    def ask(self, *command: str, name: str = "lea", fed: str = f"{PASSWORD}\n", stdin: bool = True) -> Result:
        more = ["--as", name, "--pit", str(self.folder / "pit.toml"), *(["--password-stdin"] if stdin else [])]
        where = ["--config", str(self.folder / "floor.toml")]
        words = [*where, *command[1:]] if command[0] == "tournament" else [*command[1:], *where]
        return CliRunner().invoke(cli, ["floor", command[0], *words, *more], input=fed)

    def asks(self, **how: object) -> Result:
        """Decide at table 7, with floord there."""
        return self.served(lambda: self.ask(*DECIDE, **how))  # type: ignore[arg-type]

    def served(self, ask: Callable[[], Result]) -> Result:
        async def work() -> Result:
            at = self.floor
            await at.table("7")
            async with listening(
                self.folder / "pit", os.getuid(), PitReception(Pit(at.desk, at.book, at.engine), at.book)
            ):
                return await asyncio.to_thread(ask)

        return asyncio.run(work())


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    with quick_passwords():
        return Shell(tmp_path)


def test_the_table_is_told_the_person_by_their_account_and_its_role(shell: Shell) -> None:
    done = shell.asks()
    assert (done.exit_code, done.output) == (FINE, "7: done, entry 9\n")
    [order] = shell.floor.obeyed
    lea = {"signature": "S1042", "account": "lea", "role": "supervisor", "address": "floor's shell"}
    assert lea.items() <= order["person"].items()


def test_who_has_not_chosen_a_password_yet_decides_nothing_by_the_code(shell: Shell) -> None:
    _, code = shell.accounts.put_code("lea", time.time() + 60.0)
    for typed in (code, code.replace("-", "")):
        done = shell.asks(fed=f"{typed}\n")
        assert done.exit_code != FINE
    assert "lea has no password yet: sign in on the pit page by the code" in done.output
    assert shell.floor.obeyed == []


def test_it_is_asked_for_and_not_shown(shell: Shell) -> None:
    shell.accounts.put_second_factor("lea", FACTOR)
    code = code_of(FACTOR, time.time())
    done = shell.asks(fed=f"{PASSWORD}\n{code}\n", stdin=False)
    assert done.exit_code == FINE, done.output
    assert "Password:" in done.output
    assert "Code:" in done.output
    assert PASSWORD not in done.output
    assert code not in done.output


@pytest.mark.parametrize(
    ("name", "fed", "words"),
    [
        ("lea", "something else, and long\n", "name or password is wrong"),
        ("nobody", f"{PASSWORD}\n", "name or password is wrong"),
        ("lea", "", "name or password is wrong"),
        ("lea", "x" * 5000, "name or password is wrong"),
        ("tom", f"{PASSWORD}\n", "tom is observer at the pit, and may not do this"),
    ],
)
def test_who_is_somebody_else_or_may_not_decides_nothing(shell: Shell, name: str, fed: str, words: str) -> None:
    done = shell.asks(name=name, fed=fed)
    assert done.exit_code != FINE
    assert words in done.output
    assert shell.floor.obeyed == []


def test_an_account_that_is_shut_decides_nothing(shell: Shell) -> None:
    shell.accounts.change("lea", enabled=False)
    assert "name or password is wrong" in shell.asks().output


def test_the_second_factor_is_wanted_of_who_has_one_and_of_the_roles_that_need_one(shell: Shell) -> None:
    shell.settings('second_factor = ["supervisor"]')
    assert "the role supervisor needs a second factor" in shell.asks().output
    shell.accounts.put_second_factor("lea", FACTOR)
    assert "the code is wrong" in shell.asks(fed=f"{PASSWORD}\n000\n").output
    assert shell.asks(fed=f"{PASSWORD}\n{code_of(FACTOR, time.time())}\n").exit_code == FINE


def test_a_security_key_alone_is_no_factor_for_a_shell(shell: Shell) -> None:
    shell.accounts.add_key("lea", SecurityKey("aWQ", "desk", "cHVibGlj", 0, 1.0))
    assert "lea has a security key, which signs in a browser alone" in shell.asks().output


@pytest.mark.parametrize(
    "command",
    [
        ("tournament", "open", "cup", "--title", "Cup", "--book", "onyx", "--why", "as announced"),
        ("wish", "stop", "1", "--reason", "seen"),
    ],
)
def test_what_a_directors_right_is_needed_for_a_supervisor_does_not_do(shell: Shell, command: tuple[str, ...]) -> None:
    assert "lea is supervisor at the pit" in shell.ask(*command).output


def test_a_wish_is_its_accounts(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the second person is another account than the first, whatever user they share at the shell."""
    wished: list[NewWish] = []

    async def wish(_: object, wanted: NewWish) -> None:
        wished.append(wanted)

    monkeypatch.setattr("feltd.door.asking.pit_door.PitDoor.wish", wish)
    asked = ("wish", "version", "0.9.0", "--table", "7", "--reason", "case 4711")
    shell.served(lambda: shell.ask(*asked, name="dan"))
    assert [(one.person.account, one.person.role) for one in wished] == [("dan", "director")]
