"""What a table told and a person must look at, and that somebody has."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Event, Seat
from floor_fsm.core.output import Output
from floor_fsm.errors import Reason
from floor_fsm.messages.opening import TableName


class SeatUnclaimed(Event):
    """A table tells that a seat lost its last chips, and no entry of the tournament has that seat."""

    ev: ClassVar[str] = "seat.unclaimed"
    needs_person: ClassVar[bool] = False
    table: TableName
    seat: Seat


class ReportSettled(Event):
    """A person has looked at what a table told, and has done what there was to do. `number`: as `Doubtful` has it."""

    ev: ClassVar[str] = "report.settled"
    number: Annotated[int, Field(ge=1)]


@dataclass(frozen=True, slots=True)
class Doubtful(Output):
    """A table told what cannot be, and a person must look at it.

    `entry`, `seat`: whom it is about, as far as that is known. `reason`, `words`, `clause`: why it is not taken.
    """

    kind: ClassVar[str] = "doubtful"
    number: int
    table: str
    entry: int | None
    seat: int | None
    reason: Reason
    words: str
    clause: str | None
