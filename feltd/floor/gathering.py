"""Batches of many tables put into one commit: what comes while one is under way, or soon after it began, goes into the
next. A commit costs the database ten times what a batch in it does.
"""

import asyncio
from collections import deque
from typing import Final

from feltd.custody.errors import FloorAwayError, FloorDamagedError
from feltd.floor.engine import Appended, Batch, Engine

BATCHES_MOST: Final = 500
BYTES_MOST: Final = 8 * 1024 * 1024
"""Of the rows of one commit, and one batch more."""
EVERY: Final = 0.05
"""Seconds between the beginnings of two commits while several tables send at once. One that sends alone never waits."""
Taken = list[tuple[Batch, "asyncio.Future[Appended]"]]
"""Batches, each with who waits for it."""


class Gatherer:
    """One for a daemon. `run` must run in the loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: deque[tuple[Batch, asyncio.Future[Appended]]] = deque()
        self._come = asyncio.Event()
        self._next = 0.0
        """When the next commit may begin, by the loop's clock."""

    async def append(self, batch: Batch) -> Appended:
        """Add a batch with those of others. Raises FloorAwayError."""
        future: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()
        self._waiting.append((batch, future))
        self._come.set()
        return await future

    async def run(self) -> None:
        """Add what comes until cancelled; what is under way then is finished by the engine."""
        while True:
            await self._come.wait()
            self._come.clear()
            while self._waiting:
                await self._gathered()
                taken = self._taken()
                self._next = asyncio.get_running_loop().time() + (EVERY if len(taken) > 1 else 0.0)
                await self._add(taken)

    async def _gathered(self) -> None:
        """Wait until the next commit may begin; one that is full waits for nothing."""
        wait = self._next - asyncio.get_running_loop().time()
        if wait > 0 and len(self._waiting) < BATCHES_MOST and self._size() <= BYTES_MOST:
            await asyncio.sleep(wait)

    def _size(self) -> int:
        return sum(len(row) for batch, _ in self._waiting for row in batch.rows)

    async def _add(self, taken: Taken) -> None:
        try:
            results = await self._engine.append_many([batch for batch, _ in taken])
        except FloorDamagedError as fault:
            if len(taken) == 1:
                _refuse(taken, fault)
                return
            # One table's head may lie where the disk is damaged: without this all tables would wait for it.
            half = len(taken) // 2
            await self._add(taken[:half])
            await self._add(taken[half:])
        except FloorAwayError as fault:
            _refuse(taken, fault)
        else:
            for (_, future), result in zip(taken, results, strict=True):
                if not future.done():  # its connection has gone: it asks anew where the floor stands
                    future.set_result(result)

    def _taken(self) -> Taken:
        taken: Taken = []
        size = 0
        while self._waiting and len(taken) < BATCHES_MOST and size <= BYTES_MOST:
            taken.append(self._waiting.popleft())
            size += sum(map(len, taken[-1][0].rows))
        return taken


def _refuse(taken: Taken, fault: FloorAwayError) -> None:
    """Each table is told why by an error of its own."""
    for _, future in taken:
        if not future.done():
            future.set_exception(FloorAwayError(fault.what, fault.place, fault.remedy))
