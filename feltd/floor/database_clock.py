"""Whether floord's clock is that of the database, which all floords of it ask.

Each times decisions by its own clock, as its tables compare theirs with it. So two floords that differ by five seconds
each call late what the other one passes on: a person must hear that their clocks differ.
"""

import logging
import time
from collections.abc import Callable
from typing import Final, Protocol

from feltd.floor.again import again_and_again

LOOK_EVERY: Final = 10.0
"""Seconds."""
QUICK: Final = 0.5
"""Seconds within which an answer tells the time: the clock of one that took longer is not known well enough."""
OFF: Final = 1.0
"""Seconds from which on the two clocks are told to differ."""
_log = logging.getLogger("feltd.floor")


class Clocked(Protocol):
    """What has a clock of its own."""

    async def clock(self) -> float:
        """Seconds since 1970. Raises FloorAwayError."""


class DatabaseClock:
    """Belongs to one loop, in which `run` must run."""

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
