"""How fast one table is read: one that floods waits for itself, and the others do not wait for it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

MESSAGES_A_SECOND: Final = 20.0
MESSAGES_AT_ONCE: Final = 600
"""A living table says four a second at most, and what moves the floor's head counts for nothing."""
BYTES_A_SECOND: Final = 512 * 1024
BYTES_AT_ONCE: Final = 64 * 1024 * 1024
"""Of entries as they are written: a playing table writes some 240 a second, and three days of play are at once."""
QUIET_AFTER: Final = 60.0
"""Seconds without a wait after which a table floods no more."""

FLOOD_WORDS: Final = (
    "the table says more than one that plays, and is read no faster than its pace: the others do not wait for it. If "
    "it was not away for days, find out what writes there, or who shows its certificate"
)

Sleep = Callable[[float], Awaitable[object]]


class Pace:
    """One table's, over all its connections."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        *,
        messages: tuple[float, float] = (MESSAGES_A_SECOND, MESSAGES_AT_ONCE),
        size: tuple[float, float] = (BYTES_A_SECOND, BYTES_AT_ONCE),
    ) -> None:
        """`messages`, `size`: a second, and at once."""
        self._clock = clock
        self._sleep = sleep
        self._messages, self._size = messages, size
        self._has = [messages[1], size[1]]
        self._counted = clock()
        self._waited: float | None = None

    @property
    def floods(self) -> bool:
        """Whether the table has had to wait lately."""
        return self._waited is not None and self._clock() - self._waited < QUIET_AFTER

    async def take(self, size: int) -> bool:
        """A message of so many bytes has come: wait as long as it is too much. Whether a flood begins with it."""
        now = self._clock()
        for n, (a_second, at_once) in enumerate((self._messages, self._size)):
            self._has[n] = min(at_once, self._has[n] + (now - self._counted) * a_second)
        self._counted = now
        self._has[0] -= 1
        self._has[1] -= size
        owed = max(-self._has[0] / self._messages[0], -self._has[1] / self._size[0])
        if owed <= 0:
            return False
        began = not self.floods
        self._waited = now
        await self._sleep(owed)
        return began

    def gave(self) -> None:
        """The message moved the floor's head: a table that was away for long catches up as fast as it can."""
        self._has[0] = min(self._messages[1], self._has[0] + 1)
