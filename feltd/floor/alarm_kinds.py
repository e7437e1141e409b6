"""What can be wrong with a table's custody, and an alarm of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

NO_JOURNAL: Final = bytes(16)
"""In an alarm that is about no journal."""


class AlarmKind(StrEnum):
    """What is wrong with a table's custody."""

    FORK = "fork"
    """Another chain at one entry."""
    PUT_BACK = "put back"
    """The table's journal ends before what the floor has of it."""
    BROKEN = "broken"
    """The rows of the table's journal are not those that its chain was made of."""
    FOREIGN = "foreign"
    """A table brings the journal of another."""
    CLOCK = "clock"
    """The table's clock is off."""
    HEADS = "heads"
    """A head is not signed by the journal's own key, or says another chain than the floor has."""
    CERTIFICATE = "certificate"
    """A table shows a certificate that has run out, or that another has come after."""
    CODE = "code"
    """Somebody who wants to enrol a table shows a code that is none, or is over."""
    SHUT = "shut"
    """A table that is shut has called."""
    WIRE = "wire"
    """A table says what is no message, or speaks a version of the wire that the floor does not know."""
    GAP = "gap"
    """The floor ends before what it told the table that it has: it was put back, or has lost entries."""
    DISK = "disk"
    """The table's disk is full, or nearly."""
    PROOF = "proof"
    """What the floor keeps of a table's journal is not as it was taken in."""
    SIZE = "size"
    """An entry of the table's journal is longer than the floor takes, so nothing behind it comes."""
    FLOOD = "flood"
    """A table says more than one that plays; it is read no faster than its pace."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """What is wrong, at which entry of which journal. `times`: how often it was told."""

    table: str
    journal: bytes
    kind: AlarmKind
    seq: int
    text: str
    times: int = 1
