"""What a follower was not told of a table, gathered into one thing that says so: how many, and from when to when.

It is told before the next thing of that sort of the table, or after a minute, and once a minute: a table that tells
without end has so many more by it, and no receiver takes a silence for nothing to say.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from feltd.floor.facts import Fact, FactKind, Told
from feltd.floor.shares import SORTS, Whose

TOLD_EVERY: Final = 60.0
"""Seconds."""


@dataclass(slots=True)
class _Gathered:
    first: Told
    last: Told
    since: float
    count: int = 1


class LeftOut:
    """What was left out and not yet said. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._gathered: dict[Whose, _Gathered] = {}
        self._said_at: dict[Whose, float] = {}

    def note(self, whose: Whose, told: Told) -> None:
        """This is not told."""
        gathered = self._gathered.get(whose)
        if gathered is None:
            self._gathered[whose] = _Gathered(told, told, self._clock())
        else:
            gathered.last, gathered.count = told, gathered.count + 1

    def before(self, told: Told) -> list[Told]:
        """What is to be said before this one: that others of its sort and table were left out in front of it."""
        whose = told.table, SORTS[told.fact.kind]
        said_at = self._said_at.get(whose)
        soon = said_at is not None and self._clock() - said_at < TOLD_EVERY
        return [] if soon or whose not in self._gathered else [self._say(whose)]

    def due(self) -> list[Told]:
        """What has waited for a minute to be said."""
        now = self._clock()
        due = [whose for whose, one in self._gathered.items() if now - one.since >= TOLD_EVERY]
        return [self._say(whose) for whose in due]

    def _say(self, whose: Whose) -> Told:
        self._said_at[whose] = self._clock()
        return _said(whose, self._gathered.pop(whose))


def moment(wall: float) -> str | None:
    """A time as those outside have it; None for what is none: a table says it."""
    try:
        return datetime.fromtimestamp(wall, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None


def _said(whose: Whose, gathered: _Gathered) -> Told:
    """In the last one's place, under its number: that one is never told."""
    body = {
        "what": whose[1].value, "count": gathered.count, "first": _place(gathered.first), "last": _place(gathered.last)
    }  # fmt: skip
    last = gathered.last
    return Told(
        last.number, last.table, last.journal, Fact(last.fact.seq, FactKind.LEFT_OUT, None, last.fact.wall, body)
    )


def _place(told: Told) -> dict[str, Any]:
    return {
        "number": told.number, "journal": told.journal.hex(), "entry": told.fact.seq, "time": moment(told.fact.wall)
    }  # fmt: skip
