"""From the table to the browsers: the latest state, to each as fast as it takes it.

A browser that is slow gets the state that is the latest when it is ready again, and misses those between. No state is
made while nobody looks, and none more often than every `GATHER` seconds, and the less often the more look.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Final

from feltd.page.api.streaming import Listeners
from feltd.text.language import Language, speaking, spoken

GATHER: Final = 0.1
"""Seconds in which changes are gathered into one state."""
A_BROWSER: Final = 0.001
"""Seconds more for each browser that follows: what it takes to tell it must leave time for everybody else."""


class Hub:
    """Tells browsers of changes; calls `state` only while a browser follows."""

    def __init__(self, state: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        self._state = state
        self._browsers = Listeners()
        self._latest: dict[Language, str] = {}
        self._stale: set[Language] = set()
        self._making = asyncio.Lock()
        self._versions: dict[Language, int] = {}
        self._due: asyncio.TimerHandle | None = None

    @property
    def browsers(self) -> int:
        """The number of browsers that follow the table."""
        return len(self._browsers)

    @property
    def gathers(self) -> float:
        """Seconds in which changes are gathered now."""
        return GATHER + A_BROWSER * len(self._browsers)

    def changed(self) -> None:
        """Tell every browser soon that the state has changed. Costs nothing without a browser."""
        if self._browsers and self._due is None and not self._browsers.closed:
            self._due = asyncio.get_running_loop().call_later(self.gathers, self._publish)

    def close(self) -> None:
        """Let every browser go."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        self._browsers.close()

    def admit(self) -> AsyncGenerator[str, None]:
        """Admit a browser; return its server-sent events, which begin with the state as it is now.

        They are in the language that is spoken as it is admitted.
        """
        seen: int | None = None
        language = spoken()

        async def news() -> list[str]:
            nonlocal seen
            if seen is None:
                self._stale.add(language)
            await self._render(language)
            if seen == self._versions[language]:
                return []
            seen = self._versions[language]
            return [f"id: {seen}\nevent: state\ndata: {self._latest[language]}\n\n"]

        return self._browsers.admit(news)

    def _publish(self) -> None:
        self._due = None
        self._stale.update(Language)
        self._browsers.wake()

    async def _render(self, language: Language) -> None:
        """Make the state anew in a language where it has changed: once for all who wait for it."""
        async with self._making:
            if language not in self._stale:
                return
            self._stale.remove(language)
            with speaking(language):
                text = json.dumps(await self._state(), separators=(",", ":"), ensure_ascii=False)
            if text != self._latest.get(language):
                self._latest[language] = text
                self._versions[language] = self._versions.get(language, 0) + 1
