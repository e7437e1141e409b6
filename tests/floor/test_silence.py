"""Who listens to a connection on which nothing comes is let go; who works on what came is not."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from feltd.floor.silence import Silence
from tests.floor.commanded import VirtualLoop

SECONDS = 60.0


def played(work: Callable[[], Awaitable[None]]) -> None:
    """Play it by a clock that goes on as nobody has anything to do."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(_awaited(work))


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()


def passed() -> float:
    return asyncio.get_running_loop().time()


def test_it_ends_so_many_seconds_behind_what_it_heard_last() -> None:
    async def listening() -> None:
        async with Silence(SECONDS) as silence:
            for wait in (59.0, 1.0, 59.9):
                silence.listens()
                await asyncio.sleep(wait)
                silence.heard()
            silence.listens()
            await asyncio.Event().wait()

    async def work() -> None:
        began = passed()
        with pytest.raises(TimeoutError):
            await listening()
        assert passed() - began == pytest.approx(59.0 + 1.0 + 59.9 + SECONDS)
        current = asyncio.current_task()
        assert current is not None
        assert not current.cancelling(), "whoever goes on is not cancelled"

    played(work)


def test_work_on_what_was_heard_takes_as_long_as_it_likes() -> None:
    async def work() -> None:
        async with Silence(SECONDS) as silence:
            silence.listens()
            await asyncio.sleep(59.0)
            silence.heard()
            await asyncio.sleep(10 * SECONDS)
            silence.listens()
            await asyncio.sleep(59.0)

    played(work)


def test_whoever_cancels_it_meanwhile_has_it_cancelled() -> None:
    async def listening() -> None:
        async with Silence(SECONDS) as silence:
            silence.listens()
            await asyncio.Event().wait()

    async def work() -> None:
        task = asyncio.ensure_future(listening())
        await asyncio.sleep(SECONDS - 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    played(work)


def test_another_fault_is_told_as_it_is() -> None:
    async def ended() -> None:
        async with Silence(SECONDS) as silence:
            silence.listens()
            raise ConnectionError("gone")

    async def work() -> None:
        with pytest.raises(ConnectionError, match="gone"):
            await ended()
        await asyncio.sleep(2 * SECONDS)

    played(work)
