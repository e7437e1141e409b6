"""The opening: what kind of tournament it is, what an entry costs and gets, and the tables that stand ready."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field, model_validator

from floor_fsm.core.event import FROZEN, Cents, Chips, EntryNumber, Event, Name, Seat
from floor_fsm.core.output import Output

TableName = Annotated[str, Field(min_length=1, max_length=40)]


class TableSeats(BaseModel):
    """A table and the seats that may be used at it, ascending."""

    model_config = FROZEN
    table: TableName
    seats: Annotated[tuple[Seat, ...], Field(min_length=2, max_length=11, strict=False)]

    @model_validator(mode="after")
    def _ascending(self) -> "TableSeats":
        if any(later <= earlier for earlier, later in zip(self.seats, self.seats[1:], strict=False)):
            raise ValueError(f"the seats of {self.table} are not ascending: {list(self.seats)}")
        return self


class RebuyTerms(BaseModel):
    """What chips beside those of an entry cost. `price`: cents for the pool; `house`: cents for the operator.

    `chips`: for it. `most`: times for an entry, None for no limit. `until_level`: through this level. `below`: for who
    has fewer chips than this, None for everybody, or as the book says of the game.
    """

    model_config = FROZEN
    price: Cents
    house: Cents = 0
    chips: Annotated[Chips, Field(ge=1)]
    most: Annotated[int, Field(ge=1, le=1000)] | None = None
    until_level: Annotated[int, Field(ge=1, le=100)]
    below: Annotated[Chips, Field(ge=1)] | None = None


class AddOnTerms(BaseModel):
    """One more stack of chips for everybody who is in. `from_level`, `until_level`: while these are played."""

    model_config = FROZEN
    price: Cents
    house: Cents = 0
    chips: Annotated[Chips, Field(ge=1)]
    most: Annotated[int, Field(ge=1, le=1000)] = 1
    from_level: Annotated[int, Field(ge=0, le=100)] = 0
    until_level: Annotated[int, Field(ge=1, le=100)]


class TournamentOpen(Event):
    """A tournament is announced.

    `fee`: cents of an entry that go to the prize pool. `house`: cents of an entry that the operator keeps. `stack`:
    chips for an entry. `added`: cents that the operator adds to the pool. `most`: entries at most, None for no limit.
    `re_entries`: how often one person may enter again, 0 for never, None for no limit. `late_until`: the level with
    whose beginning late entry ends, None for before the first. `game`: as the book's rows name it, where it has some.
    `rebuy`, `add_on`: None where there are none.
    """

    ev: ClassVar[str] = "tournament.open"
    name: Name
    fee: Cents
    house: Cents = 0
    stack: Annotated[Chips, Field(ge=1)]
    added: Cents = 0
    most: EntryNumber | None = None
    re_entries: Annotated[int, Field(ge=0, le=1000)] | None = 0
    late_until: Annotated[int, Field(ge=1, le=100)] | None = None
    game: Annotated[str, Field(pattern=r"^[a-z0-9-]+$", max_length=40)] | None = None
    rebuy: RebuyTerms | None = None
    add_on: AddOnTerms | None = None
    tables: Annotated[tuple[TableSeats, ...], Field(min_length=1, max_length=500, strict=False)]

    @model_validator(mode="after")
    def _each_table_once(self) -> "TournamentOpen":
        names = [table.table for table in self.tables]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"these tables are named twice: {', '.join(twice)}")
        return self


class TournamentCancelled(Event):
    """The tournament is called off: nobody plays on. `refund`: whether all that was paid goes back, where the book
    leaves it open.
    """

    ev: ClassVar[str] = "tournament.cancelled"
    refund: bool | None = None


@dataclass(frozen=True, slots=True)
class Refund(Output):
    """Cents that go back for an entry, with what was bought beside it."""

    kind: ClassVar[str] = "refund"
    entry: int
    cents: int


@dataclass(frozen=True, slots=True)
class Opened(Output):
    """The tournament is open under the law of this id."""

    kind: ClassVar[str] = "opened"
    law: str
