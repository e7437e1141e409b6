"""Seats: given late, changed, freed; tables broken."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import EntryNumber, Event, Seat
from floor_fsm.core.output import Output
from floor_fsm.drawing import Place
from floor_fsm.messages.opening import TableName


class SeatLate(Event):
    """Somebody who waits gets a seat, by the draw's own chance: a late entry, an alternate, who enters again."""

    ev: ClassVar[str] = "seat.late"
    entry: EntryNumber


class Moved(Event):
    """A player moves to another seat, with all chips in sight."""

    ev: ClassVar[str] = "moved"
    entry: EntryNumber
    table: TableName
    seat: Seat


class TableBroken(Event):
    """A table is broken: each of its players gets a seat at another."""

    ev: ClassVar[str] = "table.broken"
    table: TableName
    to: Annotated[tuple[tuple[EntryNumber, TableName, Seat], ...], Field(max_length=11, strict=False)]


@dataclass(frozen=True, slots=True)
class Seated(Output):
    """A player sits down here. `come_from`: where the player sat before; None for who is new."""

    kind: ClassVar[str] = "seat"
    entry: int
    place: Place
    come_from: Place | None = None


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
