"""How much of the table's time the page gets: a share of it, in short turns, so many commands a second, and fewer in
the long run: each is written down."""

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
COMMANDS_IN_A_ROW: Final = 300
COMMANDS_A_MINUTE: Final = 30.0
"""Commands that are written down, in a row and in each minute beyond. What is beyond that is refused: a program that
goes on all day would fill the card. All people of a busy tournament's table make ten a minute."""
KEPT_FOR_DECISIONS: Final = 30
"""Of those in a row, which no event by hand takes: a program that counts stacks keeps nobody from deciding."""

_TICK: Final = 0.001

Sleep = Callable[[float], Awaitable[object]]


class Allowance:
    """One for all connections together. Belongs to the loop."""

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Sleep = asyncio.sleep,
        *,
        work: Callable[[], float] = time.thread_time,
        share: float = SHARE,
        a_second: float = COMMANDS_A_SECOND,
        at_once: int = COMMANDS_AT_ONCE,
        a_minute: float | None = COMMANDS_A_MINUTE,
        in_a_row: int = COMMANDS_IN_A_ROW,
    ) -> None:
        """`work`: seconds of work so far. By default of the processor: a table that waits for one has not worked.

        `a_minute`: None sets no limit in the long run.
        """
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
        self._a_minute, self._in_a_row = a_minute, in_a_row
        self._written = float(in_a_row)
        self._written_at = self._counted

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

    def write(self, keep: int = 0) -> float:
        """Seconds until one more command may be written down; 0 takes one now. `keep`: so many are left for others."""
        if self._a_minute is None:
            return 0.0
        now = self._clock()
        rate = self._a_minute / 60.0
        self._written = min(self._in_a_row, self._written + (now - self._written_at) * rate)
        self._written_at = now
        lacks = 1 + keep - self._written
        if lacks > 0:
            return lacks / rate
        self._written -= 1
        return 0.0

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
