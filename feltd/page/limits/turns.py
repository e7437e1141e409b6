"""Work that takes long: in a thread beside the loop, in pieces, a piece of each person in turn."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from feltd.page.limits.refusals import Limit, Refusals

OF_ONE: Final = 4
"""Questions of one person that may be open at once."""
WORKS: Final = 0.003
"""Seconds that a thread works before it rests."""
RESTS: Final = 0.0015
"""Seconds of rest, in which the loop has the interpreter."""

_T = TypeVar("_T")


class TooManyQuestionsError(Exception):
    """The person has as many questions open as they may."""


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    work: Callable[[], Any]
    done: "asyncio.Future[Any]"


class Turns:
    """One thread, and those who wait for it. Belongs to the loop."""

    def __init__(self, name: str, refusals: Refusals) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._waiting: dict[str, deque[_Piece]] = {}
        """By person; the next one's turn is that of the first."""
        self._refusals = refusals
        self._open: Counter[str] = Counter()
        self._working: asyncio.Task[None] | None = None

    @contextmanager
    def question(self, who: str) -> Iterator[None]:
        """Count a question of this person as open. Raises TooManyQuestionsError."""
        if self._open[who] >= OF_ONE:
            self._refusals.add(Limit.QUESTIONS)
            raise TooManyQuestionsError(f"{OF_ONE} of your questions are not answered yet: wait for them")
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]

    async def turn(self, who: str, work: Callable[[], _T]) -> _T:
        """Do a piece of work in the thread when it is this person's turn; return or raise what it does."""
        context = copy_context()  # in whose language the work words what it finds
        piece = _Piece(lambda: context.run(work), asyncio.get_running_loop().create_future())
        self._waiting.setdefault(who, deque()).append(piece)
        if self._working is None:
            self._working = asyncio.get_running_loop().create_task(self._work(), name="turns")
        result: _T = await piece.done
        return result

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                piece = self._next()
                if piece.done.done():  # whoever asked has gone
                    continue
                try:
                    result = await loop.run_in_executor(self._thread, piece.work)
                except Exception as fault:  # noqa: BLE001 - whoever asked gets it
                    if not piece.done.done():
                        piece.done.set_exception(fault)
                    continue
                if not piece.done.done():
                    piece.done.set_result(result)
        finally:
            self._working = None

    def _next(self) -> _Piece:
        who = next(iter(self._waiting))
        pieces = self._waiting.pop(who)
        piece = pieces.popleft()
        if pieces:
            self._waiting[who] = pieces  # behind all others
        return piece

    def last(self, work: Callable[[], object]) -> None:
        """Do something in the thread behind what it does now; nobody waits for it."""
        self._thread.submit(work)

    def close(self, *, wait: bool = False) -> None:
        """Let the piece in hand end. No call may follow. `wait`: until it has ended."""
        self._thread.shutdown(wait=wait)


def paced(
    items: Iterable[_T],
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], object] = time.sleep,
) -> Iterator[_T]:
    """Give the items, and rest between them: a thread that never does takes the interpreter from the loop."""
    since = clock()
    for item in items:
        yield item
        if clock() - since >= WORKS:
            sleep(RESTS)
            since = clock()
