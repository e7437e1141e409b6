"""Ends what listens to a connection on which nothing comes for long."""

import asyncio
from types import TracebackType
from typing import Self


class Silence:
    """A block that ends by TimeoutError where it listens for so many seconds and hears nothing.

    One timer for the whole connection, which looks when it was heard last: one for each message (`asyncio.timeout`)
    was a twenty-fifth of what floord does with a thousand tables. While the block works on what it heard, it may take
    as long as it likes.
    """

    __slots__ = ("_cancelling", "_expired", "_handle", "_loop", "_seconds", "_since", "_task")

    def __init__(self, seconds: float) -> None:
        """In a task."""
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._since: float | None = None
        self._expired = False
        self._handle: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        """Begin; it listens to nothing yet."""
        self._handle = self._loop.call_later(self._seconds, self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises TimeoutError where it was silent."""
        if self._handle is not None:
            self._handle.cancel()
        if self._expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from fault

    def listens(self) -> None:
        """From now on it waits for the other side."""
        self._since = self._loop.time()

    def heard(self) -> None:
        """It has heard something, and works on it."""
        self._since = None

    def _look(self) -> None:
        now = self._loop.time()
        ends = (now if self._since is None else self._since) + self._seconds
        if ends > now:
            self._handle = self._loop.call_at(ends, self._look)
            return
        self._expired = True
        self._task.cancel()
