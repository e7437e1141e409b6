"""How much of what tables send floord has in hand at once: what is beyond that waits as it travelled, in its turn."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

IN_HAND_MOST: Final = 32 * 1024 * 1024
"""Bytes of messages that were read and are not answered, and one message more: of a thousand tables that come back at
once each brings half a mebibyte."""


class Room:
    """Room for so many bytes. Belongs to one loop."""

    def __init__(self, most: int = IN_HAND_MOST) -> None:
        self._most = most
        self._held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._called: asyncio.Future[None] | None = None
        """Who was let in and has not said yet what it holds: nobody else is until then."""

    @property
    def held(self) -> int:
        """The bytes that are in hand now."""
        return self._held

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[Callable[[int], None]]:
        """Wait for room. What the block takes into its hands it says by the call that it gets, before it waits."""
        mine, turn = 0, asyncio.get_running_loop().create_future()

        def hold(size: int) -> None:
            nonlocal mine
            mine += size
            self._held += size
            self._let_in(turn)

        try:
            if self._waiting or self._called is not None or self._held >= self._most:
                self._waiting.append(turn)
                await turn
            yield hold
        finally:
            self._held -= mine
            self._let_in(turn)

    def _let_in(self, behind: asyncio.Future[None]) -> None:
        """Let the next one in where there is room, and who was let in before is no other than the one that says it."""
        if self._called is behind:
            self._called = None
        while self._waiting and self._called is None and self._held < self._most:
            turn = self._waiting.popleft()
            if not turn.done():  # who is done has gone away meanwhile
                self._called = turn
                turn.set_result(None)
