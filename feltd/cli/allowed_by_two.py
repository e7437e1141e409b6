"""Whether two people want an update of this board, by the table that runs there and the accounts of its page."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from feltd.door.together import StepFacts
    from feltd.page.access.accounts import AccountBook

_T = TypeVar("_T")
_HOW: Final = "one person asks for it on the page of the table's devices, and another approves it there"


def allowed_versions(config: Path, socket: Path | None) -> list[str]:
    """The versions that two people want now. Raises FeltdError where the table cannot be asked.

    `socket`: of the table's door, in place of the file's.
    """
    from feltd.door.asking.socket_door import SocketDoor

    async def asked(door: SocketDoor, accounts: "AccountBook") -> list[str]:
        return [step.about for step in (await door.state()).steps if _why_not(step, accounts) is None]

    return _at_the_table(config, socket, asked)


def take_version(config: Path, version: str, socket: Path | None) -> None:
    """Use the approval for this version up: it is on record, and counts once.

    Raises UpdateError where two people do not want it, FeltdError where the table cannot be asked.
    """
    from feltd.cli.person import person_here
    from feltd.door import Person
    from feltd.door.asking.socket_door import SocketDoor
    from feltd.door.together import StepKind
    from feltd.update.errors import UpdateError

    user = person_here()

    async def taken(door: SocketDoor, accounts: "AccountBook") -> None:
        for step in (await door.state()).steps:
            if step.about == version and _why_not(step, accounts) is None:
                await door.take_step(Person(user, user, "console", "console"), StepKind.UPDATE, version)
                return
        raise UpdateError(f"two people have not allowed {version}: {_HOW}")

    _at_the_table(config, socket, taken)


def _at_the_table(config: Path, socket: Path | None, ask: "Callable[..., Awaitable[_T]]") -> _T:
    """Ask as the page's user, whose accounts they are: the table lets nobody else in."""
    from feltd.page.access.accounts import AccountBook
    from feltd.table.config.config import load_config
    from feltd.text.as_owner import as_owner_of

    table = load_config(config)
    with as_owner_of(table.accounts_file):
        return asyncio.run(_asked(socket or table.door_socket, AccountBook(table.accounts_file), ask))


async def _asked(socket: Path, accounts: "AccountBook", ask: "Callable[..., Awaitable[_T]]") -> _T:
    from feltd.door.asking.socket_door import SocketDoor
    from feltd.launcher.page_process import asking

    door = SocketDoor(socket)
    async with asking(door):
        return await ask(door, accounts)


def _why_not(step: "StepFacts", accounts: "AccountBook") -> str | None:
    """Why this is no update that two people want now; None where it is."""
    from feltd.door.together import StepKind, StepState
    from feltd.page.access.roles import Right
    from feltd.page.access.second_person import why_not

    if step.kind is not StepKind.UPDATE or step.state is not StepState.APPROVED or step.second is None:
        return "nobody has approved it"
    return why_not(accounts.get(step.asked_by), step.asked_by, Right.DEVICES) or why_not(
        accounts.get(step.second), step.second, Right.APPROVE
    )
