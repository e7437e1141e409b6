"""Which tables a person sees at the pit: groups of tables, and who has which of them. The database keeps both.

While nobody was given anything, everybody sees every table, and the pit page warns of it. From the first row on, who is
not named sees what was given to `EVERYBODY`, or none.
"""

import hashlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from feltd.door.pit.sight import SCREENS
from feltd.floor.again import again_and_again
from feltd.floor.postgres_streams import Do

LOOK_EVERY: Final = 1.0
"""Seconds after which a change at the latest holds for who is signed in."""
NAME_MOST: Final = 64
EVERYBODY: Final = "(everybody)"
"""In whose name a person gives tables to each account that is not named. No account can have this name."""
UNSAID: Final = (
    "groups: nobody has said who sees which tables, so anybody who signs in sees and decides at all of them. Say it: "
    "`feltd floor group person`"
)
_log = logging.getLogger("feltd.floor")


class SightKind(StrEnum):
    """What a row is about."""

    GROUP = "group"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class SightRow:
    """A group with its tables, or a person with their groups; `everything`: a person who sees all tables.

    `who`, `why`: of whoever said so last.
    """

    kind: SightKind
    name: str
    parts: tuple[str, ...]
    everything: bool
    who: str
    why: str


class Groups(Protocol):
    """Where they are kept. Each call raises FloorAwayError."""

    async def set(self, row: SightRow) -> None:
        """Keep a row, which holds from now on in the place of the one before."""

    async def rows(self) -> list[SightRow]:
        """The rows that hold, by kind and name."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a person sees. `tables`: None for all, also those that come later."""

    tables: frozenset[str] | None

    @property
    def everything(self) -> bool:
        """Whether it is all tables, and so what concerns the whole floor."""
        return self.tables is None

    @property
    def mark(self) -> str:
        """The same for whoever sees the same tables; empty for everything."""
        if self.tables is None:
            return ""
        return hashlib.sha256("\0".join(sorted(self.tables)).encode()).hexdigest()[:16]

    def sees(self, table: str) -> bool:
        """Whether they see this table."""
        return self.tables is None or table in self.tables

    def sees_all(self, tables: Iterable[str]) -> bool:
        """Whether they see each of these tables."""
        return all(map(self.sees, tables))


EVERYTHING: Final = Sight(None)
NOTHING: Final = Sight(frozenset())


class Sights:
    """What each person sees, read again each second. Belongs to one loop, in which `run` must run."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._people: dict[str, Sight] | None = {}
        """None: nobody was given anything yet."""

    @property
    def trouble(self) -> tuple[str, ...]:
        """What a person must still say, in words for the pit page and the log."""
        return (UNSAID,) if self._people is None else ()

    async def load(self) -> None:
        """Read what holds now. Raises FloorAwayError: what was read before goes on."""
        had = self._people
        self._people = people_of(await self._groups.rows())
        if self._people is None and had is not None:
            _log.warning("the floor's %s", UNSAID)

    async def run(self) -> None:
        """Read again and again until cancelled. A database that is away is asked again."""
        await again_and_again(self.load, "groups", LOOK_EVERY)

    def of(self, account: str) -> Sight:
        """What the person of this account sees; before anything was read, nothing.

        A program's token sees what its account does. Players' screens, which nobody signs in at, are nobody's account.
        """
        if self._people is None:
            return EVERYTHING
        name = account.partition(" ")[0]
        others = NOTHING if name in ("", SCREENS) else self._people.get(EVERYBODY, NOTHING)
        return self._people.get(name, others)


def people_of(rows: Sequence[SightRow]) -> dict[str, Sight] | None:
    """What each person who is named sees; None where there is no row at all."""
    if not rows:
        return None
    groups = {row.name: row.parts for row in rows if row.kind is SightKind.GROUP}
    return {row.name: _sight(row, groups) for row in rows if row.kind is SightKind.PERSON}


def _sight(row: SightRow, groups: dict[str, tuple[str, ...]]) -> Sight:
    if row.everything:
        return EVERYTHING
    return Sight(frozenset(table for group in row.parts for table in groups.get(group, ())))


class MemoryGroups:
    """In memory."""

    def __init__(self) -> None:
        self._rows: dict[tuple[SightKind, str], SightRow] = {}

    async def set(self, row: SightRow) -> None:
        """See `Groups`."""
        self._rows[row.kind, row.name] = row

    async def rows(self) -> list[SightRow]:
        """See `Groups`."""
        return [row for _, row in sorted(self._rows.items())]


class PostgresGroups:
    """In PostgreSQL, by the functions of `groups.sql`."""

    def __init__(self, do: Do) -> None:
        self._do: Final = do

    async def set(self, row: SightRow) -> None:
        """See `Groups`."""
        values = (row.kind.value, row.name, list(row.parts), row.everything, row.who, row.why)
        await self._do(lambda one: one.execute("SELECT floor.set_sight($1, $2, $3, $4, $5, $6)", *values))

    async def rows(self) -> list[SightRow]:
        """See `Groups`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.sights()"))
        return [
            SightRow(
                SightKind(row["kind"]), row["name"], tuple(row["parts"]), row["everything"], row["who"], row["why"]
            )
            for row in found
        ]
