"""What tables tell of their hands, who is moved by the book between them, and which table breaks when."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Event, Seat
from floor_fsm.core.output import Output
from floor_fsm.messages.opening import TableName

HandNumber = Annotated[int, Field(ge=1, le=10**6)]
"""Of a table's hands in this tournament, from 1."""


class HandBegan(Event):
    """A hand began at a table: here are its blinds. `small_blind`: where it was due, posted or not; None: not known."""

    ev: ClassVar[str] = "hand.began"
    needs_person: ClassVar[bool] = False
    table: TableName
    hand: HandNumber
    big_blind: Seat
    small_blind: Seat | None = None


class Balanced(Event):
    """After a hand of this table one player moves to another, as the book says: who, and to which seat."""

    ev: ClassVar[str] = "balanced"
    table: TableName
    hand: HandNumber
    to: TableName


class BreakingOrder(Event):
    """The order in which tables will break is announced, or changed."""

    ev: ClassVar[str] = "breaking.order"
    tables: Annotated[tuple[TableName, ...], Field(min_length=1, max_length=500, strict=False)]


@dataclass(frozen=True, slots=True)
class BreakingOrderTold(Output):
    """What players are told of the order in which tables break."""

    kind: ClassVar[str] = "breaking_order"
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableWaits(Output):
    """This table deals no hand until somebody sits at this seat. `clause`: of the book."""

    kind: ClassVar[str] = "table_waits"
    table: str
    seat: int
    clause: str


@dataclass(frozen=True, slots=True)
class TableGoesOn(Output):
    """This table deals again."""

    kind: ClassVar[str] = "table_goes_on"
    table: str
