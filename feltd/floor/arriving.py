"""What came first to the floor, over all tables: by the database's own times of its rows, and not by any table's clock.

So it is the same after a start of floord, and for each floord of a database.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Any, Protocol

Entry = tuple[bytes, int]
"""An entry of a table: its journal (16 bytes), and its number."""


class Arrivals(Protocol):
    """When rows and events were kept. Every call raises FloorAwayError."""

    async def came(self, entries: Sequence[Entry]) -> list[float]:
        """When the floor got each of these entries: what came later has a larger number, what it lacks 0.

        Entries that came together have one, as do those that were packed together.
        """

    async def stood(self, journal: bytes, tournament: str, event: int) -> int:
        """The journal's last entry that the floor had when it kept an event of a tournament; 0 for none."""


class MemoryArrivals:
    """In memory."""

    def __init__(self) -> None:
        self._moments = count(1)
        self._rows: dict[bytes, list[tuple[int, int]]] = {}
        """By journal, of each batch: its last entry, and when it came."""
        self._events: dict[tuple[str, int], int] = {}

    def rows_came(self, journal: bytes, first: int, last: int) -> None:
        """Rows are kept. What stood there is gone: the floor was put back to a backup."""
        known = self._rows.setdefault(journal, [])
        while known and known[-1][0] >= first:
            known.pop()
        known.append((last, next(self._moments)))

    def event_came(self, tournament: str, event: int) -> None:
        """An event is kept."""
        self._events[tournament, event] = next(self._moments)

    async def came(self, entries: Sequence[Entry]) -> list[float]:
        """See `Arrivals`."""
        return [next((at for last, at in self._rows.get(journal, ()) if last >= seq), 0) for journal, seq in entries]

    async def stood(self, journal: bytes, tournament: str, event: int) -> int:
        """See `Arrivals`."""
        moment = self._events.get((tournament, event), 0)
        return max((last for last, at in self._rows.get(journal, ()) if at < moment), default=0)


class PostgresArrivals:
    """In PostgreSQL, by the functions of `arriving.sql`."""

    def __init__(self, do: Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]) -> None:
        """`do`: does one statement on a connection."""
        self._do = do

    async def came(self, entries: Sequence[Entry]) -> list[float]:
        """See `Arrivals`."""
        values = [journal for journal, _ in entries], [seq for _, seq in entries]
        return [row["at"] for row in await self._do(lambda one: one.fetch("SELECT * FROM floor.came($1, $2)", *values))]

    async def stood(self, journal: bytes, tournament: str, event: int) -> int:
        """See `Arrivals`."""
        values = (journal, tournament, event)
        return int(await self._do(lambda one: one.fetchval("SELECT floor.stood($1, $2, $3)", *values)) or 0)
