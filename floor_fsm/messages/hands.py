"""Hands: told by tables, released one by one in hand for hand; places that a person decides."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from floor_fsm.core.event import FROZEN, Chips, EntryNumber, Event
from floor_fsm.core.output import Output
from floor_fsm.messages.opening import TableName
from floor_fsm.play.hand_for_hand import Why

HandNumber = Annotated[int, Field(ge=1, le=10**6)]


class WentOut(BaseModel):
    """An entry that lost its last chips in a hand.

    `stack`: before the hand; `put_in`: into its pots; None where the table does not know it.
    """

    model_config = FROZEN
    entry: EntryNumber
    stack: Chips | None = None
    put_in: Chips | None = None


class HandOver(Event):
    """A table tells the end of a hand, and who went out in it.

    `hand`: its number in hand for hand; None where that is not played.
    """

    ev: ClassVar[str] = "hand.over"
    needs_person: ClassVar[bool] = False
    table: TableName
    hand: HandNumber | None = None
    out: Annotated[tuple[WentOut, ...], Field(max_length=10, strict=False)] = ()


class HandForHandBegan(Event):
    """From the next hand on all tables play hand for hand."""

    ev: ClassVar[str] = "hand_for_hand.began"
    why: Annotated[Why, Field(strict=False)]


class HandForHandEnded(Event):
    """Tables deal at their own pace again."""

    ev: ClassVar[str] = "hand_for_hand.ended"


class HandReleased(Event):
    """The next hand of hand for hand begins at all tables."""

    ev: ClassVar[str] = "hand.released"


class AllInHeld(Event):
    """A table tells that an all-in was called and nobody can act: its cards stay down."""

    ev: ClassVar[str] = "all_in.held"
    needs_person: ClassVar[bool] = False
    table: TableName
    hand: HandNumber


class AllInsTurned(Event):
    """The director lets the cards of all-ins be turned."""

    ev: ClassVar[str] = "all_ins.turned"


class TableAway(Event):
    """A table cannot be reached."""

    ev: ClassVar[str] = "table.away"
    needs_person: ClassVar[bool] = False
    table: TableName


class TableBack(Event):
    """A table can be reached again."""

    ev: ClassVar[str] = "table.back"
    needs_person: ClassVar[bool] = False
    table: TableName


class TableExcused(Event):
    """The director rules that the hand goes on without a table that is away."""

    ev: ClassVar[str] = "table.excused"
    table: TableName


class PlaceDecided(Event):
    """The director says who is placed higher of those who went out together. `groups`: the best first.

    They may name those of the orders right behind `order` too: then all of them went out together.
    """

    ev: ClassVar[str] = "place.decided"
    order: Annotated[int, Field(ge=1)]
    groups: Annotated[
        tuple[Annotated[tuple[EntryNumber, ...], Field(strict=False)], ...], Field(max_length=5_000, strict=False)
    ]


@dataclass(frozen=True, slots=True)
class Placed(Output):
    """The place of an entry; a shared one runs from `first` to `last`. `provisional`: it may still change."""

    kind: ClassVar[str] = "place"
    entry: int
    first: int
    last: int
    provisional: bool


@dataclass(frozen=True, slots=True)
class ToDecide(Output):
    """Who is placed higher is a person's to say. `clause`: the book's. `order`: names it in the decision."""

    kind: ClassVar[str] = "to_decide"
    order: int
    entries: tuple[int, ...]
    clause: str
