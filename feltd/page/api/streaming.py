"""Server-sent events to many listeners, each at its own pace, with no queue that one of them could fill."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Final

from feltd.door import TableAwayError
from feltd.door.wire.errors import WireError
from feltd.text.errors import JournalError

SILENT_FOR: Final = 15.0
"""Seconds of silence after which a listener is told that the line still stands."""

News = Callable[[], Awaitable[Sequence[str]]]
"""Events that one listener has not had yet, as text; empty where there are none."""


class Listeners:
    """Everybody who follows one stream."""

    def __init__(self) -> None:
        self._woken: set[asyncio.Event] = set()
        self._closed = False

    def __len__(self) -> int:
        return len(self._woken)

    @property
    def closed(self) -> bool:
        """Whether the stream has ended."""
        return self._closed

    def wake(self) -> None:
        """There may be news for every listener."""
        for woken in self._woken:
            woken.set()

    def close(self) -> None:
        """Let every listener go."""
        self._closed = True
        self.wake()

    def admit(self, news: News, first: str = "") -> AsyncGenerator[str, None]:
        """Admit a listener; return its texts: `first`, then `news()` after each wake-up."""
        return self._follow(news, first)

    async def _follow(self, news: News, first: str) -> AsyncGenerator[str, None]:
        woken = asyncio.Event()
        self._woken.add(woken)
        try:
            if first:
                yield first
            while not self._closed:
                woken.clear()
                try:
                    texts = await news()
                except (TableAwayError, WireError, JournalError):
                    return  # the listener asks again, and is told why there is nothing
                for text in texts:
                    yield text
                if texts or self._closed:
                    continue
                try:
                    await asyncio.wait_for(woken.wait(), SILENT_FOR)
                except TimeoutError:
                    yield ": the line stands\n\n"
        finally:
            self._woken.discard(woken)
