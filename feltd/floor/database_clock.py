"""The database's clock, by which every floord of it says until when a decision holds, and how late it is.

By their own clocks two floords that differ by five seconds would each call late what the other one passes on.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from feltd.custody.errors import FloorAwayError
from feltd.floor.again import again_and_again

LOOK_EVERY: Final = 10.0
"""Seconds."""
QUICK: Final = 0.5
"""Seconds within which an answer tells the time: the clock of one that took longer is not known well enough."""
OFF: Final = 1.0
"""Seconds from which on the two clocks are told to differ."""
TOO_FAR: Final = 10.0
"""Seconds from which on floord goes by its own clock: no table obeys what is so far from its own."""
_log = logging.getLogger("feltd.floor")


class Clocked(Protocol):
    """What has a clock of its own."""

    async def clock(self) -> float:
        """Seconds since 1970. Raises FloorAwayError."""


class DatabaseClock:
    """Call it for the time. `run` must run in the loop; before the first answer it is this machine's clock."""

    def __init__(
        self,
        engine: Clocked,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """`wall`: this machine's clock; `steady`: one that nobody sets."""
        self._engine = engine
        self._wall = wall
        self._steady = steady
        self._offset = 0.0

    def __call__(self) -> float:
        """Seconds since 1970."""
        return self._wall() + (self._offset if abs(self._offset) < TOO_FAR else 0.0)

    @property
    def trouble(self) -> tuple[str, ...]:
        """What is wrong with the two clocks, in words for the pit page and the log."""
        if abs(self._offset) < OFF:
            return ()
        return (
            f"clock: the database's differs from this floord's by {self._offset:+.0f} s. See that chrony runs on the "
            "machines of both",
        )

    async def run(self) -> None:
        """Look until cancelled. A database that is away is asked again, and what it said last holds."""
        await again_and_again(self.look, "the database's clock", LOOK_EVERY)

    async def look(self) -> None:
        """Ask once. Raises FloorAwayError."""
        before, begun = self._wall(), self._steady()
        theirs = await self._engine.clock()
        took = self._steady() - begun
        if took > QUICK:
            return
        had, self._offset = self.trouble, theirs - (before + took / 2)
        for words in self.trouble if not had else ():
            _log.error("the floor's %s", words)
        if had and not self.trouble:
            _log.warning("the floor's clock is well again")


async def clock_of(engine: Clocked) -> DatabaseClock:
    """The clock of a database, asked for the first time. One that is away is asked again by `run`."""
    clock = DatabaseClock(engine)
    with suppress(FloorAwayError):  # custody says it aloud
        await clock.look()
    return clock
