"""What was decided by mistake and is taken back: the end of late entry, a chop, a session's end, a broken table, chips
that were bought, a chip race, a tournament called off.

The steps stay on record.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import EntryNumber, Event
from floor_fsm.core.output import Output
from floor_fsm.messages.opening import TableName


class LateTakenBack(Event):
    """The end of late entry does not stand: entries are taken again, and nobody has a place or a prize yet."""

    ev: ClassVar[str] = "late.taken_back"


class ChopTakenBack(Event):
    """The division of the rest of the pool does not stand: prizes follow from places again."""

    ev: ClassVar[str] = "chop.taken_back"


class SessionTakenBack(Event):
    """The session is not over: everybody who was in it sits where they sat, and the stacks are still in their bags."""

    ev: ClassVar[str] = "session.taken_back"


class Players(StrEnum):
    """What becomes of the players of a table whose breaking is taken back."""

    BACK = "back"
    """Each has the seat again that was left."""
    STAY = "stay"
    """Each stays at the new table; the table stands ready without anybody."""


class TableTakenBack(Event):
    """A table that was broken by mistake stands ready again."""

    ev: ClassVar[str] = "table.taken_back"
    table: TableName
    players: Annotated[Players, Field(strict=False)]


class BoughtTakenBack(Event):
    """Chips that an entry bought do not stand: the last rebuy, or the last add-on.

    `to`: the entry that bought them in truth: money and chips are that one's. None: the chips are off the table, and
    the cents go back.
    """

    entry: EntryNumber
    to: EntryNumber | None = None


class RebuyTakenBack(BoughtTakenBack):
    """A rebuy does not stand."""

    ev: ClassVar[str] = "rebuy.taken_back"


class AddOnTakenBack(BoughtTakenBack):
    """An add-on does not stand."""

    ev: ClassVar[str] = "add_on.taken_back"


class RaceTakenBack(Event):
    """No table races any more: the chip race was ordered by mistake. Chips that tables have raced stay raced."""

    ev: ClassVar[str] = "race.taken_back"


class CancelTakenBack(Event):
    """The tournament is not called off: it is what it was before; its clock stands. What went back is there again."""

    ev: ClassVar[str] = "tournament.taken_back"


@dataclass(frozen=True, slots=True)
class RaceOff(Output):
    """These tables race no chips: the order is taken back. `change`: of the chips in play, by tables that had raced."""

    kind: ClassVar[str] = "race_off"
    tables: tuple[str, ...]
    change: int


@dataclass(frozen=True, slots=True)
class TournamentGoesOn(Output):
    """A tournament that was called off goes on. `entries`: in play, or waiting for a seat."""

    kind: ClassVar[str] = "tournament_goes_on"
    entries: int


@dataclass(frozen=True, slots=True)
class LateEntryOpen(Output):
    """Late entry, which was told to be over, is open again. `entries`: how many there are that count for the pool."""

    kind: ClassVar[str] = "late_entry_open"
    entries: int


@dataclass(frozen=True, slots=True)
class TableReady(Output):
    """This table, which was broken, deals again."""

    kind: ClassVar[str] = "table_ready"
    table: str


@dataclass(frozen=True, slots=True)
class SessionGoesOn(Output):
    """A session that was told to be over is on again, with these entries."""

    kind: ClassVar[str] = "session_goes_on"
    session: str
    entries: tuple[int, ...]
