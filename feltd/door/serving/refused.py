"""What the table's door has refused before anybody at the table looked at it: a count, and no other trace."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from feltd.door.commands import OutOfBounds


class Why(StrEnum):
    """Why something was refused at the door."""

    BOUNDS = "bounds"
    """A word or a number was beyond its bounds."""
    BUDGET = "budget"
    """Too many commands came before it."""
    SHAPE = "shape"
    """Nobody may ask that there."""


class DoorRefusals:
    """The counts since the start."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, refusal: Exception) -> None:
        """Count a refusal of what was asked."""
        self.add(Why.BOUNDS if isinstance(refusal, OutOfBounds) else Why.SHAPE)

    def add(self, why: Why) -> None:
        """Count a refusal for this reason."""
        self._counts[why.value] += 1

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how often something was refused, by the value of `Why`."""
        return dict(self._counts)
