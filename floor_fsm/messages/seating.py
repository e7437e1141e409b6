"""Seats: given late, changed, freed; tables broken; redraws."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import EntryNumber, Event, Seat
from floor_fsm.core.output import Output
from floor_fsm.drawing import Place
from floor_fsm.law.occasions import Occasion
from floor_fsm.messages.draw import Digest
from floor_fsm.messages.opening import TableName


class SeatLate(Event):
    """Somebody who waits gets a seat by a draw: a late entry, an alternate, who enters again."""

    ev: ClassVar[str] = "seat.late"
    entry: EntryNumber
    secret: Digest


class SeatGiven(Event):
    """The director gives somebody who waits this seat: by a ballot with cards, or for a need of the player's."""

    ev: ClassVar[str] = "seat.given"
    entry: EntryNumber
    table: TableName
    seat: Seat


class Moved(Event):
    """A player moves to another seat, with all chips in sight."""

    ev: ClassVar[str] = "moved"
    entry: EntryNumber
    table: TableName
    seat: Seat


class TableBreaks(Event):
    """A table is broken, and a draw gives each of its players a seat at another."""

    ev: ClassVar[str] = "table.breaks"
    table: TableName
    secret: Digest


class TableBroken(Event):
    """A table is broken: the director gives each of its players a seat at another."""

    ev: ClassVar[str] = "table.broken"
    table: TableName
    to: Annotated[tuple[tuple[EntryNumber, TableName, Seat], ...], Field(max_length=11, strict=False)]


class Redrawn(Event):
    """All players draw seats anew, at these tables; the other tables are broken."""

    ev: ClassVar[str] = "redrawn"
    occasion: Annotated[Occasion, Field(strict=False)]
    tables: Annotated[tuple[TableName, ...], Field(min_length=1, max_length=500, strict=False)]
    secret: Digest


class Why(StrEnum):
    """Why somebody sits down somewhere."""

    DRAWN = "drawn"
    LATE = "late"
    GIVEN = "given"
    """By the director's own choice."""
    BALANCED = "balanced"
    BROKEN = "broken"
    """The table before was broken."""
    REDRAWN = "redrawn"


@dataclass(frozen=True, slots=True)
class Seated(Output):
    """A player sits down here. `come_from`: where the player sat before; None for who is new.

    `to_big_blind`: hands until the big blind is there, 0 for the next one, None where the table has told of no hand.
    `dealt_out`: the seat is between the button and the small blind in the next hand: the player waits for one.
    """

    kind: ClassVar[str] = "seat"
    entry: int
    place: Place
    why: Why
    come_from: Place | None = None
    to_big_blind: int | None = None
    dealt_out: bool = False


@dataclass(frozen=True, slots=True)
class SeatFree(Output):
    """A seat is free, because its player is out."""

    kind: ClassVar[str] = "seat_free"
    entry: int
    place: Place


@dataclass(frozen=True, slots=True)
class TableGone(Output):
    """This table deals no more."""

    kind: ClassVar[str] = "table_gone"
    table: str
