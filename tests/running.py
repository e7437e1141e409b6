"""Things that run beside a test: started, waited for, ended."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final

_SHORTEST: Final = 0.002
_LONGEST: Final = 0.05
"""Seconds between two looks: a test that looks all the time takes the processor from what it waits for."""


def _pauses() -> Iterator[float]:
    """Short ones at first, and longer ones for what takes its time."""
    pause = _SHORTEST
    while True:
        yield pause
        pause = min(1.2 * pause, _LONGEST)


async def eventually(condition: Callable[..., object]) -> None:
    """In real time: let the loop turn until something is so. The test's own time limit is the end of patience."""
    pauses = _pauses()
    while not condition():  # noqa: ASYNC110 - what other threads and other code do sets no event
        await asyncio.sleep(next(pauses))


async def eventually_answers(asked: Callable[[], Awaitable[object]]) -> None:
    """As `eventually`, of something that is asked and answers: a database, a page."""
    pauses = _pauses()
    while not await asked():  # noqa: ASYNC110 - what a database takes sets no event
        await asyncio.sleep(next(pauses))


def until(condition: Callable[[], object]) -> None:
    """As `eventually`, where no loop runs."""
    pauses = _pauses()
    while not condition():
        time.sleep(next(pauses))


async def turns(count: int = 50) -> None:
    """Let the loop turn so often: what was to be done in it at once is done then."""
    for _ in range(count):
        await asyncio.sleep(0)


@asynccontextmanager
async def running(work: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Something that goes on for as long as the block runs."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
