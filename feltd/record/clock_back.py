"""Whether the wall clock of a record was set back, and at which entry.

Each entry has the wall clock and the host's clock, which no one sets and which begins anew with each boot. The wall
clock less the host's is when the machine was started, and that never becomes earlier. A board without a clock that
runs on a battery starts with an older time by itself, so nobody need have done it: it is told, and the record is sound.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from feltd.record.entries import Row, is_well_formed

TOLERANCE: Final = 60.0
"""Seconds by which a clock is put right while a table plays."""
KEPT: Final = 1000


@dataclass(frozen=True, slots=True)
class FoundClock:
    """A clock that was set back: the first entry written by it, in words."""

    seq: int
    text: str


class ClockBack:
    """Looks through a record, entry by entry, for a wall clock that was set back."""

    def __init__(self) -> None:
        self.found: list[FoundClock] = []
        self._last: tuple[float, float] | None = None

    def observe(self, row: Row) -> None:
        """Take the next entry."""
        if not is_well_formed(row):  # a changed entry
            return
        if self._last is not None:
            wall, started = self._last
            back = max(wall - row.wall, started - (row.wall - row.host))
            if back > TOLERANCE and len(self.found) < KEPT:
                text = f"the clock went back by {back:.0f} s: {_moment(wall)} before it, {_moment(row.wall)} in it"
                self.found.append(FoundClock(row.seq, text))
        self._last = row.wall, row.wall - row.host


def _moment(wall: float) -> str:
    try:
        return f"{datetime.fromtimestamp(wall, UTC):%Y-%m-%d %H:%M:%S}Z"
    except (OverflowError, ValueError, OSError):
        return "no time"
