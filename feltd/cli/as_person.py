"""Who decides at the floor's shell: a person whom the pit page's accounts know (`--as`), else the system's user."""

import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from feltd.cli.person import person_here
from feltd.page.access.roles import Right
from feltd.text.errors import FeltdError

if TYPE_CHECKING:
    from feltd.custody.settings import PitSettings
    from feltd.door.commands import Person

DEFAULT_PIT: Final = Path("/etc/feltd/pit/pit.toml")
SHELL: Final = "floor's shell"


class PersonRefusedError(FeltdError):
    """Somebody is not who they say, or may not do this."""


def acting(right: Right) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options that say who decides; it gets the person as `by`. `right`: what it wants of them."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(*args: Any, account: str | None, pit: Path, password_stdin: bool, **more: Any) -> Any:
            by = _by_system() if account is None else _proven(account, pit, right, stdin=password_stdin)
            return command(*args, by=by, **more)

        for option in (
            click.option(
                "--password-stdin", is_flag=True,
                help="With --as: take the password, and the code in a line after it, from the standard input.",
            ),
            click.option(
                "--pit", type=click.Path(path_type=Path), default=DEFAULT_PIT, show_default=True,
                help="With --as: the pit page's pit.toml, which says where its accounts are.",
            ),
            click.option(
                "--as", "account", metavar="NAME",
                help="As this account of the pit page: its password is asked for, and the code of its second factor. "
                "Left out, as the system's user.",
            ),
        ):  # fmt: skip
            run = option(run)
        return run

    return decorate


def _by_system() -> "Person":
    from feltd.door.commands import Person

    name = person_here()
    return Person(name, name, "shell", SHELL)


def _proven(name: str, pit: Path, right: Right, *, stdin: bool) -> "Person":
    """The account, once its password and its second factor are right. Raises PersonRefusedError."""
    from feltd.cli.accounts_file import accounts_of
    from feltd.custody.settings import pit_settings
    from feltd.door.commands import Person
    from feltd.page.access.passwords import LONGEST, fits, nobodys
    from feltd.page.access.second_factor import interval_of

    settings = pit_settings(pit)
    password = _asked("password", stdin=stdin)
    with accounts_of(settings) as accounts:
        account = accounts.get(name)
    right_one = len(password) <= LONGEST and fits(nobodys() if account is None else account.password, password)
    if account is None or not right_one or not account.enabled:
        raise PersonRefusedError("name or password is wrong")
    if account.code_until is not None:
        raise PersonRefusedError(f"{name} has no password yet: sign in on the pit page by the code, and choose one")
    if account.asks_factor and account.totp is None:
        raise PersonRefusedError(
            f"{name} has a security key, which signs in a browser alone: decide on the pit page, or set up codes there"
        )
    if account.totp is not None and interval_of(account.totp, _asked("code", stdin=stdin), time.time()) is None:
        raise PersonRefusedError("the code is wrong: wait for the next one")
    if not account.asks_factor:
        _require_none(settings, account.role.value)
    if not account.may(right):
        raise PersonRefusedError(f"{name} is {account.role.value} at the pit, and may not do this")
    return Person(account.signature, account.name, account.role.value, SHELL)


def _require_none(settings: "PitSettings", role: str) -> None:
    if role in settings.second_factor:
        raise PersonRefusedError(f"the role {role} needs a second factor: set one up on the pit page")


def _asked(what: str, *, stdin: bool) -> str:
    if stdin:
        return sys.stdin.readline().rstrip("\n")
    answer: str = click.prompt(what.capitalize(), hide_input=True, err=True)
    return answer
