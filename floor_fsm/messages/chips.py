"""Chips: issued and taken beside entries, counted, raced at all tables, brought back; bags over night."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from floor_fsm.core.event import FROZEN, Chips, EntryNumber, Event, Name, Seat
from floor_fsm.core.output import Output
from floor_fsm.messages.opening import TableName
from floor_fsm.play.chips import Into, OutOf, Returned

Some = Annotated[int, Field(ge=1, le=10**15)]
Few = Annotated[int, Field(ge=0, le=10**4)]
AtSeat = Annotated[tuple[Seat, Few], Field(strict=False)]


class ChipsIssued(Event):
    """Chips come into play beside an entry's: a rebuy, an add-on, a stake that is given back."""

    ev: ClassVar[str] = "chips.issued"
    entry: EntryNumber
    why: Annotated[Into, Field(strict=False)]
    chips: Some


class ChipsTaken(Event):
    """Chips of an entry leave play. Of one that was given up it says how many they were."""

    ev: ClassVar[str] = "chips.taken"
    entry: EntryNumber
    why: Annotated[OutOf, Field(strict=False)]
    chips: Some


class ChipsCounted(Event):
    """All players' chips were counted, in a round, heat or final: `stage`."""

    ev: ClassVar[str] = "chips.counted"
    stage: Name
    chips: Chips


class StacksCounted(Event):
    """The stacks of players at a table, as somebody counted them. No place follows from it."""

    ev: ClassVar[str] = "stacks.counted"
    table: TableName
    stacks: Annotated[
        tuple[Annotated[tuple[EntryNumber, Chips], Field(strict=False)], ...],
        Field(min_length=1, max_length=11, strict=False),
    ]


class RaceOrdered(Event):
    """All tables race these chips for new ones."""

    ev: ClassVar[str] = "race.ordered"
    chip: Some
    new_chip: Some


class RaceTold(Event):
    """A table tells its race, by seat: odd chips, new chips; who had nothing else, and who was given one for that."""

    ev: ClassVar[str] = "race.told"
    needs_person: ClassVar[bool] = False
    table: TableName
    odd: Annotated[tuple[AtSeat, ...], Field(max_length=11, strict=False)] = ()
    chips: Annotated[tuple[AtSeat, ...], Field(max_length=11, strict=False)] = ()
    last: Annotated[tuple[Seat, ...], Field(max_length=11, strict=False)] = ()
    kept_in: Annotated[tuple[Seat, ...], Field(max_length=11, strict=False)] = ()
    out: Chips = 0


class Denomination(BaseModel):
    """How many chips of one denomination were issued, and came back."""

    model_config = FROZEN
    chip: Some
    issued: Few | Chips
    back: Few | Chips


class ChipsReturned(Event):
    """At the end: all chips that came back, by denomination, beside what was issued."""

    ev: ClassVar[str] = "chips.returned"
    chips: Annotated[tuple[Denomination, ...], Field(max_length=30, strict=False)]


class StackBagged(Event):
    """A stack is sealed for the night, counted by two people."""

    ev: ClassVar[str] = "stack.bagged"
    entry: EntryNumber
    first: Name
    first_chips: Chips
    second: Name
    second_chips: Chips


class Suspended(Event):
    """The tournament goes on another day: every stack is in its bag."""

    ev: ClassVar[str] = "suspended"


class Resumed(Event):
    """The tournament goes on."""

    ev: ClassVar[str] = "resumed"


@dataclass(frozen=True, slots=True)
class RaceAt(Output):
    """These tables race off a chip before the next hand."""

    kind: ClassVar[str] = "race"
    chip: int
    new_chip: int
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RaceOver(Output):
    """All tables have raced. `change`: of the chips in play."""

    kind: ClassVar[str] = "race_over"
    change: int


@dataclass(frozen=True, slots=True)
class ChipsDiffer(Output):
    """A count is not what should be in play."""

    kind: ClassVar[str] = "chips_differ"
    in_play: int
    counted: int


@dataclass(frozen=True, slots=True)
class ChipsMissing(Output):
    """Number and value that came back are not those that were issued."""

    kind: ClassVar[str] = "chips_missing"
    differences: tuple[Returned, ...]


@dataclass(frozen=True, slots=True)
class BackTo(Output):
    """Where an entry sits when the tournament goes on, with the chips of its bag."""

    kind: ClassVar[str] = "back_to"
    entry: int
    table: str
    seat: int
    chips: int
