"""What follows from a part of a state alone, reckoned once for each.

A part never changes, so what is remembered of it saves time and says nothing of its own. Five thousand entries that are
looked through for each hand of five hundred tables take minutes.
"""

from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

FoundT = TypeVar("FoundT")
_MOST: Final = 16
"""Of some tournaments, each with the one before."""


class Remembered(Generic[FoundT]):
    """What was found of the last few mappings."""

    def __init__(self) -> None:
        self._known: Final[dict[int, tuple[Mapping[Any, Any], FoundT]]] = {}
        """By the identity of the mapping, which is kept too: so no other object has it."""

    def of(self, source: Mapping[Any, Any]) -> FoundT | None:
        """What was found of this very mapping; None where it is not remembered."""
        known = self._known.get(id(source))
        return None if known is None else known[1]

    def keep(self, source: Mapping[Any, Any], found: FoundT) -> FoundT:
        """Remember what was found, and return it."""
        while len(self._known) >= _MOST:
            del self._known[next(iter(self._known))]
        self._known[id(source)] = source, found
        return found
