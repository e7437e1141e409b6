"""One question that many ask at once: the table is asked for all of them together."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Shared(Generic[_T]):
    """A question without a parameter. However many ask it, one is under way and one waits. Belongs to the loop."""

    def __init__(self, ask: Callable[[], Awaitable[_T]]) -> None:
        self._ask = ask
        self._asked: asyncio.Task[_T] | None = None
        """What was asked last."""
        self._to_ask: asyncio.Task[_T] | None = None
        """What is asked when that has come."""

    async def get(self) -> _T:
        """The answer as it is now or later: never as it was before the call. All who want it meanwhile get the same."""
        if self._to_ask is None:
            self._to_ask = asyncio.get_running_loop().create_task(self._newest(self._asked))
            self._to_ask.add_done_callback(lambda done: done.cancelled() or done.exception())  # all may have gone
        return await asyncio.shield(self._to_ask)

    async def _newest(self, before: "asyncio.Task[_T] | None") -> _T:
        if before is not None:
            await asyncio.wait([before])
        self._asked, self._to_ask = self._to_ask, None
        return await self._ask()
