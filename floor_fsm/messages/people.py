"""People: penalties, time banks, absence, and who must leave."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Chips, EntryNumber, Event
from floor_fsm.core.output import Output
from floor_fsm.law.matters import Leaves
from floor_fsm.play.people import Penalty

Number = Annotated[int, Field(ge=0, le=10**4)]


class PenaltyImposed(Event):
    """The director imposes a penalty short of leaving. `number`: warnings (1), hands or rounds."""

    ev: ClassVar[str] = "penalty"
    entry: EntryNumber
    penalty: Annotated[Penalty, Field(strict=False)]
    number: Number = 1


class PenaltyTold(Event):
    """A table tells what is left of a penalty, or a director says it. `rounds`: of the button, not hands.

    `imposed`: of penalties, what the table had been told of; None where no table says it. `order`: the last order about
    this player that the table had; None in events of before 0.8.0.
    """

    ev: ClassVar[str] = "penalty.left"
    needs_person: ClassVar[bool] = False
    entry: EntryNumber
    left: Number
    rounds: bool = False
    imposed: Annotated[int, Field(ge=-(10**6), le=10**6)] | None = None
    order: Annotated[int, Field(ge=0, le=10**6)] | None = None


class TimeBanksTold(Event):
    """A table tells how many time banks a player has."""

    ev: ClassVar[str] = "time_banks"
    needs_person: ClassVar[bool] = False
    entry: EntryNumber
    number: Number


class AbsenceTold(Event):
    """A table tells that a player is away from the seat, or there."""

    ev: ClassVar[str] = "absence"
    needs_person: ClassVar[bool] = False
    entry: EntryNumber
    absent: bool


class PersonLeft(Event):
    """A player must leave the tournament; the chips leave play.

    `chips`: as counted. `refund`, `prize`: what the director says, where the book leaves it to them.
    """

    ev: ClassVar[str] = "person.left"
    entry: EntryNumber
    why: Annotated[Leaves, Field(strict=False)]
    chips: Chips
    refund: bool | None = None
    prize: bool | None = None


@dataclass(frozen=True, slots=True)
class Carried(Output):
    """What goes with a player to another table."""

    kind: ClassVar[str] = "carried"
    entry: int
    table: str
    hands_left: int
    rounds_left: int
    time_banks: int | None
    absent: bool


@dataclass(frozen=True, slots=True)
class Gone(Output):
    """What becomes of a player who must leave."""

    kind: ClassVar[str] = "gone"
    entry: int
    refund: bool
    prize: bool
    barred: bool
    clause: str
