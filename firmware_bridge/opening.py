"""A port that is opened in a thread, and closed where nobody wants it any more."""

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Port = TypeVar("Port")


class Opening(Generic[Port]):
    """What a thread opens. Who is cancelled while waiting for it has it closed, by whichever of the two comes second.

    It asks no event loop for that: a table that has started ends the loop of its start while ports are still being
    opened, and one that nobody closed kept the table's own links out of it ("another program has it open").
    """

    def __init__(self, work: Callable[[], Port], close: Callable[[Port], object]) -> None:
        self._work = work
        self._close = close
        self._turn = threading.Lock()
        self._abandoned = False
        self._opened: Port | None = None

    async def done(self) -> Port:
        """Open it beside the loop. Raises what the work raises."""
        try:
            opened = await asyncio.get_running_loop().run_in_executor(None, self._run)
        except asyncio.CancelledError:
            self._abandon()
            raise
        assert opened is not None, "only who was cancelled abandons it"
        return opened

    def _run(self) -> Port | None:
        opened = self._work()
        with self._turn:
            if not self._abandoned:
                self._opened = opened
                return opened
        self._close(opened)
        return None

    def _abandon(self) -> None:
        with self._turn:
            self._abandoned, opened = True, self._opened
        if opened is not None:
            self._close(opened)
