"""What a table's sender tells the table of its witness: a word of a closed set, and no text of its own."""

from dataclasses import dataclass
from enum import StrEnum


class WitnessSays(StrEnum):
    """How it stands between a table's record and its witness."""

    HAS = "has"
    """The witness has just said that it has what the table has signed."""
    AWAY = "away"
    """It is not reached, or it does not take this record."""
    CONTRADICTS = "contradicts"
    """It keeps another history of this record."""


@dataclass(frozen=True, slots=True)
class WitnessWord:
    """How it stands now. A sender says it every ten seconds, and after each attempt that failed."""

    says: WitnessSays
