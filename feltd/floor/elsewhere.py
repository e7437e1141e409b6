"""Other floords on the same database, and the tables that are connected to them: by the database, and not by asking.

Each floord says every two seconds which tables it has. The pit of each shows the tables of all: those of another are
folded from the rows that the database has, and what their last beat said is there too.
"""

import logging
import secrets
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from feltd.floor.again import again_and_again

LOOK_EVERY: Final = 2.0
GONE_AFTER: Final = 10.0
"""Seconds after which a floord that says nothing is not there any more."""
_log = logging.getLogger("feltd.floor")


def floord_name(port: int) -> str:
    """What this floord is called among those of one database: the same after a start."""
    return f"{socket.gethostname()}:{port}"


@dataclass(frozen=True, slots=True)
class Others:
    """The other floords of the database: their names, and by table the name of the one that it is connected to."""

    names: frozenset[str] = frozenset()
    tables: Mapping[str, str] = field(default_factory=dict)


class Floords(Protocol):
    """Where floords say what they have."""

    async def here(self, run: str, name: str, tables: Collection[str]) -> Others:
        """Say that this one is here with these tables, and return the others. Raises FloorAwayError."""


class MemoryFloords:
    """In memory. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._told: dict[str, tuple[str, tuple[str, ...], float]] = {}

    async def here(self, run: str, name: str, tables: Collection[str]) -> Others:
        """See `Floords`."""
        now = self._clock()
        self._told[run] = name, tuple(tables), now
        others = [told for other, told in self._told.items() if other != run and now - told[2] < GONE_AFTER]
        return Others(
            frozenset(name for name, _, _ in others), {table: name for name, theirs, _ in others for table in theirs}
        )


class PostgresFloords:
    """In PostgreSQL, by the function of `elsewhere.sql`."""

    def __init__(self, do: Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]) -> None:
        """`do`: does one statement on a connection."""
        self._do = do

    async def here(self, run: str, name: str, tables: Collection[str]) -> Others:
        """See `Floords`."""
        values = (run, name[:300], list(tables), GONE_AFTER)
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.here($1, $2, $3, $4)", *values))
        return Others(
            frozenset(row["name"] for row in found),
            {row["owner"]: row["name"] for row in found if row["owner"] is not None},
        )


class Book(Protocol):
    """A pit that shows tables of all floords."""

    def connected(self) -> list[str]:
        """The tables that are connected to this floord."""

    async def look_elsewhere(self, tables: Mapping[str, str]) -> None:
        """Take up what the database has of tables that are not connected here. Raises FloorAwayError."""


class Elsewhere:
    """Looks at other floords. Belongs to one loop, in which `run` must run."""

    def __init__(self, floords: Floords, book: Book, name: str) -> None:
        self._floords = floords
        self._book = book
        self._name = name
        self._run = secrets.token_hex(8)
        self._names: frozenset[str] = frozenset()

    @property
    def has_others(self) -> bool:
        """Whether other floords are here."""
        return bool(self._names)

    async def run(self) -> None:
        """Look until cancelled. A database that is away is asked again."""
        await again_and_again(self.look, "other floords", LOOK_EVERY)

    async def look(self) -> None:
        """Say that this floord is here, and look at the others' tables. Raises FloorAwayError."""
        others = await self._floords.here(self._run, self._name, self._book.connected())
        had, self._names = self._names, others.names
        for name in sorted(others.names - had):
            _log.info("another floord on this database is here: %s", name)
        for name in sorted(had - others.names):
            _log.warning("the floord %s, on this database too, says nothing any more", name)
        if others.names or had:  # one floord alone asks for nothing more
            await self._book.look_elsewhere(others.tables)
