"""Passwords compared one at a time, in a thread of their own: who waits for it, in which order, and who is sent away.

Each comparison takes 64 MiB and a good part of a second on a small board, so few wait. First comes a browser in which
the person has signed in before, then the address with the fewest failures, then whoever came last: a crowd of guessers
is served when nobody else is there.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

WAITING_MOST: Final = 16
OF_ADDRESS: Final = 4
"""Waiting at once from one address, from browsers that are not known."""
OF_NAME: Final = 2
"""Waiting at once for one account: from known browsers, and as many from others. Of these, an address with fewer
failures takes the place of the one with most."""


class TooManyWaitError(Exception):
    """There was no place for this sign-in, or it had to give up the one it had."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Whose password is to be compared. `known`: from a browser in which they have signed in. `failures`: so far."""

    name: str
    address: str
    known: bool
    failures: int


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    attempt: Attempt
    number: int
    compare: Callable[[], bool]
    done: "asyncio.Future[bool]"

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The least comes first."""
        return not self.attempt.known, self.attempt.failures, -self.number


class Comparing:
    """The thread, and those who wait for it. Belongs to the loop."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="passwords")
        self._waiting: list[_Waiting] = []
        self._count = 0
        self._working: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    async def compared(self, attempt: Attempt, compare: Callable[[], bool]) -> bool:
        """Call `compare` in the thread when it is this attempt's turn. Raises TooManyWaitError."""
        if not self._room_for(attempt):
            self._take_place(attempt)
        self._count += 1
        loop = asyncio.get_running_loop()
        waiting = _Waiting(attempt, self._count, compare, loop.create_future())
        self._waiting.append(waiting)
        if len(self._waiting) > WAITING_MOST:
            self._send_away(max(self._waiting, key=lambda one: one.rank))
        if self._working is None:
            self._working = loop.create_task(self._work(), name="passwords")
        try:
            return await waiting.done
        finally:
            if waiting in self._waiting:  # whoever asked has gone
                self._waiting.remove(waiting)

    def _room_for(self, attempt: Attempt) -> bool:
        alike = [one.attempt for one in self._waiting if one.attempt.known == attempt.known]
        of_address = sum(one.address == attempt.address for one in alike)
        of_name = sum(one.name == attempt.name for one in alike)
        return of_name < OF_NAME and (attempt.known or of_address < OF_ADDRESS)

    def _take_place(self, attempt: Attempt) -> None:
        """Send the last in rank of the same account away for one that has failed less often. Raises TooManyWaitError.

        Else guessers at one account who never leave its places kept its owner out.
        """
        alike = [one for one in self._waiting if one.attempt.known == attempt.known]
        of_name = [one for one in alike if one.attempt.name == attempt.name]
        of_address = sum(one.attempt.address == attempt.address for one in alike)
        if not of_name or (not attempt.known and of_address >= OF_ADDRESS):
            raise TooManyWaitError
        last = max(of_name, key=lambda one: one.rank)
        if attempt.failures >= last.attempt.failures:
            raise TooManyWaitError
        self._send_away(last)

    def _send_away(self, waiting: _Waiting) -> None:
        self._waiting.remove(waiting)
        if not waiting.done.done():  # whoever asked may be going
            waiting.done.set_exception(TooManyWaitError())

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                first = min(self._waiting, key=lambda one: one.rank)
                self._waiting.remove(first)
                try:
                    right = await loop.run_in_executor(self._thread, first.compare)
                except Exception as fault:  # noqa: BLE001 - whoever waits for it gets it
                    if not first.done.done():
                        first.done.set_exception(fault)
                    continue
                if not first.done.done():
                    first.done.set_result(right)
        finally:
            self._working = None

    def close(self) -> None:
        """Let the comparison in hand end. No call may follow."""
        self._thread.shutdown()
