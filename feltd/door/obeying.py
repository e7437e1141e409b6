"""What the floor may have a table do: a person's decision, or a tournament's event, each taken at most once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Protocol

from feltd.door.bounds import Count, Many, Moment, Name, Number, Text, Words
from feltd.door.commands import Person
from feltd.door.decisions import DecisionRequest
from feltd.door.witnessing import WitnessWord

ORDER_MOST: Final = 96 * 1024
"""Characters of an order."""
CUT_OFF: Final = "the table ended before it did anything: its record has the note of it alone"
"""What became of a command whose note is on record, and behind which no event came."""


@dataclass(frozen=True, slots=True)
class FloorCommand:
    """A decision of a person at the floor, on what they saw.

    `id`: 32 hexadecimal digits; one id acts at most once. `until`: the table's clock, seconds since 1970, after which
    it is too late. `made`: as of the `SignedCommand` that it came in, 0 where it is not signed.
    """

    id: Name
    person: Person
    decision: DecisionRequest
    until: Moment
    made: Count = 0


@dataclass(frozen=True, slots=True)
class TournamentCommand:
    """An event that a tournament over many tables has for this table: who comes and goes, the field, the clock.

    `id`, `until`, `made`: as of a `FloorCommand`. `event`: as `table_fsm.events` writes it; its `t` is ignored.
    `person`: the tournament; `why`: which of its events it follows from.
    """

    id: Name
    person: Person
    why: Words
    event: Annotated[Mapping[str, Any], Many(64)]
    until: Moment
    made: Count = 0


@dataclass(frozen=True, slots=True)
class SignedCommand:
    """A command as the floor has signed it (`feltd.door.floor_signing.command_text`).

    `order`: JSON of an `Order`, as it was signed; `until`: the floor's clock; `made`: when the floor made it,
    microseconds of its clock, later for each; `signature`: hexadecimal; `offset`: seconds by which the uplink finds the
    floor's clock ahead of this machine's.
    """

    id: Name
    order: Annotated[str, Text(ORDER_MOST)]
    until: Moment
    made: Count
    signature: Annotated[str, Text(128)]
    offset: Annotated[float, Number(-(10**12), 10**12)]


@dataclass(frozen=True, slots=True)
class FloorReceipt:
    """The floor has the record up to `entry`: what `feltd.record.receipts` signs, by a key that the table knows.

    `chain`, `signature`: hexadecimal; `at`: the floor's clock, milliseconds since 1970.
    """

    entry: Count
    chain: Name
    at: Count
    signature: Annotated[str, Text(128)]


@dataclass(frozen=True, slots=True)
class ShownCode:
    """What a table that is at no floor yet shows, for a person who says it there. `code`: "" shows none any more."""

    code: Name


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

    async def obey_signed(self, command: SignedCommand) -> Obeyed:
        """Take either, as the floor has signed it.

        Raises as both, and CommandRefused where no key of the floor that this table knows has signed it.
        """

    async def obey_tournament(self, command: TournamentCommand) -> Obeyed:
        """Take an event of the floor's tournament, once for each id, and return when it is on the disk.

        Raises as `obey`, and CommandRefused where a round is in progress that it must not disturb.
        """

    async def take_receipt(self, receipt: FloorReceipt) -> bool:
        """Enter a receipt of the floor into the record, one after each round at most; whether it was entered.

        Raises CommandRefused for one that is not the floor's or not of this record, PlayStopped.
        """

    async def show_code(self, code: ShownCode) -> bool:
        """Show on the display the code by which the floor is to know this table; whether there is a display for it.

        It is shown while no round is in progress, for a minute, or until it is given once more: an uplink that ends
        shows nothing. Raises CommandRefused for what is no such code.
        """

    async def hear_witness(self, word: WitnessWord) -> None:
        """Take the word of this table's sender on how it stands with the witness: people are told, nothing stops."""
