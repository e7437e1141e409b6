"""Reports of the writer's thread to those who wait: callbacks in their loop, and futures."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from typing import Any

from feltd.text.errors import JournalError


class Reports:
    """The progress of the disk, and whether it refuses.

    The writer's thread reports; any thread may ask and wait.
    """

    def __init__(self, synced: int) -> None:
        self.synced_to = synced
        self.error: JournalError | None = None
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, concurrent.futures.Future[int]]] = []
        self._on_synced: list[tuple[asyncio.AbstractEventLoop, Callable[[int], object]]] = []
        self._on_failed: list[tuple[asyncio.AbstractEventLoop, Callable[[JournalError], object]]] = []
        self._on_recovered: list[tuple[asyncio.AbstractEventLoop, Callable[[], object]]] = []

    def on_synced(self, callback: Callable[[int], object]) -> None:
        """Has `callback(seq)` called in the running loop after each sync."""
        self._on_synced.append((asyncio.get_running_loop(), callback))

    def on_failed(self, callback: Callable[[JournalError], object]) -> None:
        """Has `callback(error)` called in the running loop at each refusal."""
        self._on_failed.append((asyncio.get_running_loop(), callback))

    def on_recovered(self, callback: Callable[[], object]) -> None:
        """Has `callback()` called in the running loop after a refusal has been overcome."""
        self._on_recovered.append((asyncio.get_running_loop(), callback))

    def wait_for(self, seq: int) -> concurrent.futures.Future[int]:
        """Return a future that ends when `seq` is synced, or with the error if the disk refuses."""
        future: concurrent.futures.Future[int] = concurrent.futures.Future()
        with self._lock:
            if seq <= self.synced_to:
                future.set_result(seq)
            elif self.error is not None:
                future.set_exception(self.error)
            else:
                self._waiting.append((seq, future))
        return future

    # ---- from the writer's thread

    def synced(self, seq: int) -> None:
        """All entries up to `seq` are on the disk.

        Whoever waited for that finds the callbacks on their way already. A callback may run at once, in another thread:
        it must find `synced_to` as it is now, or it would wait for room that is there, and nobody would call it again.
        """
        with self._lock:
            self.synced_to = seq
            for loop, callback in tuple(self._on_synced):
                _call(loop, callback, seq)
            ready = [(target, future) for target, future in self._waiting if target <= seq]
            self._waiting = [waiting for waiting in self._waiting if waiting[0] > seq]
        for target, future in ready:
            if future.set_running_or_notify_cancel():
                future.set_result(target)

    def failed(self, error: JournalError) -> None:
        """The disk refuses."""
        with self._lock:
            self.error = error
            given_up, self._waiting = self._waiting, []
        for _, future in given_up:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
        for loop, callback in tuple(self._on_failed):
            _call(loop, callback, error)

    def recovered(self) -> None:
        """The disk takes writes again, and all that was kept is on it."""
        with self._lock:
            self.error = None
        for loop, callback in tuple(self._on_recovered):
            _call(loop, callback)


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *values: Any) -> None:
    try:
        loop.call_soon_threadsafe(callback, *values)
    except RuntimeError:
        return  # the loop is closed: nobody is left to be told
