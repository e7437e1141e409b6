"""How much of the table's time the page gets: a share of it, in short turns, and so many commands a second."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

SHARE: Final = 0.01
"""Part of the table's time that questions of the page may take in the long run. So one event in a hundred at most finds
the table at work for the page, and the 99th waits no longer than without it. The state takes 0.6 ms and is asked once
for all who want it: 16 times a second."""
SHARE_AT_ONCE: Final = 0.05
"""The same for a page that a person opens: after a turn it rests so much longer than it worked."""
AHEAD: Final = 3.0
"""Seconds whose share may be taken at once."""
REST_MOST: Final = 0.5
"""Seconds of rest after one turn: a disk that was asked and hung is not the page's work."""
COMMANDS_A_SECOND: Final = 20.0
COMMANDS_AT_ONCE: Final = 40
"""A person's hands are slower; a program that goes on and on waits for its turn."""

_TICK: Final = 0.001

Sleep = Callable[[float], Awaitable[object]]


class Allowance:
    """The time and the commands that all connections may take together. Belongs to the loop."""

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Sleep = asyncio.sleep,
        *,
        work: Callable[[], float] = time.thread_time,
        share: float = SHARE,
        a_second: float = COMMANDS_A_SECOND,
        at_once: int = COMMANDS_AT_ONCE,
    ) -> None:
        """`work`: seconds of work so far. By default of the processor: a table that waits for one has not worked."""
        self._clock = clock
        self._sleep = sleep
        self._work = work
        self._share = share
        self._a_second, self._at_once = a_second, at_once
        self._rested = clock()
        """When the page has rested after its latest turn."""
        self._earned = self._rested - AHEAD
        """When the page has its share for all its turns so far."""
        self._commands = float(at_once)
        self._counted = clock()

    async def turn(self) -> None:
        """Wait until a question may be looked at."""
        while (wait := max(self._rested, self._earned) - self._clock()) > 0:
            await self._sleep(wait)

    @contextmanager
    def working(self) -> Iterator[None]:
        """What runs in this block, without waiting for anything, is the page's."""
        began = self._work()
        try:
            yield
        finally:
            now, worked = self._clock(), self._work() - began
            self._rested = max(now, self._rested) + min(REST_MOST, worked * (1 / SHARE_AT_ONCE - 1))
            self._earned = max(now - AHEAD, self._earned) + min(REST_MOST, worked / self._share)

    async def command(self) -> None:
        """Wait until one more command may be carried out."""
        while True:
            now = self._clock()
            self._commands = min(self._at_once, self._commands + (now - self._counted) * self._a_second)
            self._counted = now
            if self._commands >= 1:
                self._commands -= 1
                return
            await self._sleep(max(_TICK, (1 - self._commands) / self._a_second))
