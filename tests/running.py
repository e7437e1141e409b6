"""Things that run beside a test: started, waited for, ended."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any


async def eventually(condition: Callable[..., object]) -> None:
    """In real time: let the loop turn until something is so. The test's own time limit is the end of patience."""
    while not condition():  # noqa: ASYNC110 - what other threads and other code do sets no event
        await asyncio.sleep(0.002)


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
