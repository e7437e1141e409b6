"""What the floor may have a table do: a person's decision, taken at most once."""

from dataclasses import dataclass
from typing import Protocol

from feltd.door.commands import Person
from feltd.door.decisions import DecisionRequest


@dataclass(frozen=True, slots=True)
class FloorCommand:
    """A decision of a person at the floor, on what they saw.

    `id`: 32 hexadecimal digits; one id acts at most once. `until`: the table's clock, seconds since 1970, after which
    it is too late.
    """

    id: str
    person: Person
    decision: DecisionRequest
    until: float


@dataclass(frozen=True, slots=True)
class Obeyed:
    """What became of a command. `entry`: its last entry in the record. `refusal`: why the table did not take it."""

    id: str
    entry: int
    refusal: str | None


class ObeyingTable(Protocol):
    """What an uplink may ask of a table beside its record."""

    async def obey(self, command: FloorCommand) -> Obeyed:
        """Take a decision, once for each id, and return when it is on the disk.

        Raises CommandRefused where the floor may not, or it comes too late, PlayStopped, NotOnDiskError.
        """
