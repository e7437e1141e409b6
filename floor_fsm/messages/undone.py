"""What was decided by mistake and is taken back: the end of late entry, a chop, a session's end, a broken table.

The steps stay on record.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Event
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
