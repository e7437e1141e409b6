"""From the table to the browsers: the latest state, to each as fast as it takes it.

There is no queue that could grow: a browser that is slow gets the state that is the latest when it is ready again, and
misses those between. Nothing is made while nobody looks, and nothing more often than every `GATHER` seconds.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

GATHER: Final = 0.04
"""Seconds in which changes are gathered into one state."""
BROWSERS_MAX: Final = 64
SILENT_FOR: Final = 15.0
"""Seconds without a change after which a browser is told that the line still stands."""


class TooManyBrowsersError(Exception):
    """More browsers than the page serves at once."""


class Hub:
    """Tells browsers of changes. `state` is asked only while somebody looks."""

    def __init__(self, state: Callable[[], dict[str, Any]]) -> None:
        self._state = state
        self._browsers: set[asyncio.Event] = set()
        self._latest = ""
        self._version = 0
        self._due: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def browsers(self) -> int:
        """How many look."""
        return len(self._browsers)

    def changed(self) -> None:
        """Something has changed: whoever looks is told soon. Costs nothing while nobody looks."""
        if self._browsers and self._due is None and not self._closed:
            self._due = asyncio.get_running_loop().call_later(GATHER, self._publish)

    def close(self) -> None:
        """Let every browser go."""
        self._closed = True
        if self._due is not None:
            self._due.cancel()
            self._due = None
        for woken in self._browsers:
            woken.set()

    def admit(self) -> AsyncGenerator[str, None]:
        """A new browser: server-sent events, the state as it is now first. Raises TooManyBrowsersError."""
        if len(self._browsers) >= BROWSERS_MAX:
            raise TooManyBrowsersError(f"{BROWSERS_MAX} browsers look already: close one")
        return self._watch()

    async def _watch(self) -> AsyncGenerator[str, None]:
        woken = asyncio.Event()
        self._browsers.add(woken)
        try:
            self._render()
            seen = self._version
            yield self._event()
            while not self._closed:
                try:
                    await asyncio.wait_for(woken.wait(), SILENT_FOR)
                except TimeoutError:
                    yield ": the line stands\n\n"
                    continue
                woken.clear()
                if self._version != seen and not self._closed:
                    seen = self._version
                    yield self._event()
        finally:
            self._browsers.discard(woken)

    def _publish(self) -> None:
        self._due = None
        self._render()
        for woken in self._browsers:
            woken.set()

    def _render(self) -> None:
        text = json.dumps(self._state(), separators=(",", ":"), ensure_ascii=False)
        if text != self._latest:
            self._latest = text
            self._version += 1

    def _event(self) -> str:
        return f"id: {self._version}\nevent: state\ndata: {self._latest}\n\n"
