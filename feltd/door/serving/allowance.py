"""How much of the table's time the page gets: a share of it, in short turns, and so many commands a second."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

SHARE: Final = 0.05
"""Part of the table's time that questions of the page may take: after a turn it rests so much longer than it worked."""
REST_MOST: Final = 0.5
"""Seconds of rest after one turn: a disk that was asked and hung is not the page's work."""
COMMANDS_A_SECOND: Final = 20.0
COMMANDS_AT_ONCE: Final = 40
"""A person's hands are slower; a program that goes on and on waits for its turn."""

_TICK: Final = 0.001

Sleep = Callable[[float], Awaitable[object]]


class Allowance:
    """One for all connections together. Belongs to the loop."""

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Sleep = asyncio.sleep,
        *,
        a_second: float = COMMANDS_A_SECOND,
        at_once: int = COMMANDS_AT_ONCE,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._a_second, self._at_once = a_second, at_once
        self._rested = clock()
        """When the next question may be looked at."""
        self._commands = float(at_once)
        self._counted = clock()

    async def turn(self) -> None:
        """Wait until a question may be looked at."""
        while (wait := self._rested - self._clock()) > 0:
            await self._sleep(wait)

    @contextmanager
    def working(self) -> Iterator[None]:
        """What runs in this block, without waiting for anything, is the page's."""
        began = self._clock()
        try:
            yield
        finally:
            now = self._clock()
            self._rested = max(now, self._rested) + min(REST_MOST, (now - began) * (1 / SHARE - 1))

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
