"""How much of what tables send floord has in hand at once: what is beyond that waits as it travelled, in its turn."""

import asyncio
from collections import deque
from collections.abc import Callable
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

    def entered(self) -> "Stay":
        """Wait for room. What the block takes into its hands it says by the call that it gets, before it waits."""
        return Stay(self)

    async def come(self, stay: "Stay") -> None:
        """Wait until this one may come in."""
        if self._waiting or self._called is not None or self._held >= self._most:
            stay.turn = asyncio.get_running_loop().create_future()
            self._waiting.append(stay.turn)
            await stay.turn

    def hold(self, stay: "Stay", size: int) -> None:
        """This one has so many bytes in its hands, and those that it had."""
        stay.mine += size
        self._held += size
        self._let_in(stay.turn)

    def leave(self, stay: "Stay") -> None:
        """This one has nothing in its hands any more."""
        self._held -= stay.mine
        self._let_in(stay.turn)

    def _let_in(self, behind: asyncio.Future[None] | None) -> None:
        """Let the next one in where there is room, and who was let in before is no other than the one that says it."""
        if self._called is behind:
            self._called = None
        while self._waiting and self._called is None and self._held < self._most:
            turn = self._waiting.popleft()
            if not turn.done():  # who is done has gone away meanwhile
                self._called = turn
                turn.set_result(None)


class Stay:
    """One that is in the room for as long as a block lasts. `turn`: what it waited for; None where it did not wait.

    A class and no generator: each message of each table comes in, and a generator cost half as much again.
    """

    __slots__ = ("_room", "mine", "turn")

    def __init__(self, room: Room) -> None:
        self._room = room
        self.mine = 0
        self.turn: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Callable[[int], None]:
        """Come in; what it gets says what it holds."""
        try:
            await self._room.come(self)
        except BaseException:
            self._room.leave(self)
            raise
        return self._hold

    async def __aexit__(self, *fault: object) -> None:
        """Go out."""
        self._room.leave(self)

    def _hold(self, size: int) -> None:
        self._room.hold(self, size)
