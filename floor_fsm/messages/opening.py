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


class TournamentOpen(Event):
    """A tournament is announced.

    `fee`: cents of an entry that go to the prize pool. `house`: cents of an entry that the operator keeps. `stack`:
    chips for an entry. `added`: cents that the operator adds to the pool. `most`: entries at most, None for no limit.
    `re_entries`: how often one person may enter again, 0 for never, None for no limit. `late_until`: the level with
    whose beginning late entry ends, None for before the first.
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
    tables: Annotated[tuple[TableSeats, ...], Field(min_length=1, max_length=500, strict=False)]

    @model_validator(mode="after")
    def _each_table_once(self) -> "TournamentOpen":
        names = [table.table for table in self.tables]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"these tables are named twice: {', '.join(twice)}")
        return self


@dataclass(frozen=True, slots=True)
class Opened(Output):
    """The tournament is open under the law of this id."""

    kind: ClassVar[str] = "opened"
    law: str
