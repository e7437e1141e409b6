"""The table's time, monotonic across restarts, and steps of the wall clock.

Table seconds count from the beginning of the record. While feltd runs, time is the monotonic clock's. Over a restart
only the wall clock can say how long it was. A sane answer is taken; in place of any other a moment is.
"""

import time
from collections.abc import Callable
from typing import Final

LONGEST_PAUSE: Final = 30 * 86400.0
"""Seconds: with a longer pause than this between two runs the wall clock was set."""
A_MOMENT: Final = 0.001
"""Seconds put between two runs where the wall clock is not believed."""
STEP: Final = 0.5
"""Seconds: a wall clock that moves by more than this against the monotonic one was set, not slewed."""


def resumed_at(last_t: float | None, last_wall: float | None, wall: float) -> tuple[float, bool]:
    """Table seconds at which a new run begins, and whether the wall clock was believed.

    `last_t`: of the record's last entry that has any, None in a new record. `last_wall`, `wall`: seconds since 1970, of
    that entry and now.
    """
    if last_t is None:
        return 0.0, True
    passed = None if last_wall is None else wall - last_wall
    if passed is None or not 0 <= passed <= LONGEST_PAUSE:
        return last_t + A_MOMENT, False
    return last_t + max(passed, A_MOMENT), True


class TableClock:
    """Stamps events with table seconds.

    `start`: table seconds now.
    """

    def __init__(
        self,
        start: float,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.monotonic = monotonic
        self.wall = wall
        self._zero = monotonic() - start
        self._between = wall() - monotonic()
        self._last = start

    def now(self) -> float:
        """Table seconds now, in whole microseconds; never less than before."""
        self._last = max(self._last, round(self.monotonic() - self._zero, 6))
        return self._last

    def at(self, monotonic: float, earliest: float) -> float:
        """Table seconds of a moment shortly before, given in monotonic seconds.

        Not before `earliest`, not after now.
        """
        return min(self.now(), max(earliest, round(monotonic - self._zero, 6)))

    def wall_step(self) -> float | None:
        """Seconds by which the wall clock was set since the last call; None where it was not.

        Call it each second: a slow correction by a time service is no step.
        """
        between = self.wall() - self.monotonic()
        moved = between - self._between
        self._between = between
        return moved if abs(moved) > STEP else None
