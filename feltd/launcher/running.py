"""A table and its page in one process, for a simulated table: the page asks over the socket all the same."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from feltd.books.own import library_with
from feltd.door.asking.socket_door import SocketDoor
from feltd.door.serving.guest import uid_of
from feltd.launcher.page_process import asking, settings_of
from feltd.launcher.table_process import playing
from feltd.table.config.config import TableConfig
from feltd.table.daemon.assembly import Daemon
from feltd.table.daemon.daemon import DoorPlace

if TYPE_CHECKING:
    from collections.abc import Callable

    from feltd.page.opening import OpenPage


@dataclass(frozen=True, slots=True)
class Running:
    """A table at work, and the address of its page."""

    table: Daemon
    address: str


@asynccontextmanager
async def serving(
    config: TableConfig, *, port: int | None = None, extend: "Callable[[OpenPage], None] | None" = None
) -> AsyncIterator[Running]:
    """Run a table and its page as long as the block lasts.

    `port`: in place of the configuration's; 0 takes any. `extend`: adds to the page before it is served. Raises
    FeltdError if they cannot start, StoppedByFailureError if something failed later.
    """
    settings = settings_of(config)
    if port is not None:
        settings = replace(settings, port=port)
    addresses: list[str] = []

    @asynccontextmanager
    async def page(socket: Path) -> AsyncIterator[str]:
        from feltd.page.opening import served  # the web framework: the table's own faults are told without it

        door = SocketDoor(socket)
        async with asking(door), served(settings, door, books, extend) as address:
            addresses.append(address)
            yield f"page at {address}"

    place = DoorPlace(config.door_socket, uid_of(None))
    books = library_with(config.table.rulebooks)
    async with playing(config, place, page) as table:
        yield Running(table, addresses[0])
