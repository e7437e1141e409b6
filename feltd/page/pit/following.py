"""From floord to the browsers: each gets the tables that have changed since it last took some, at its own pace."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import Any, Protocol

from feltd.door import Away
from feltd.door.pit.state import PitNews, PitSince
from feltd.page.api.streaming import Listeners
from feltd.page.pit.shown import floor_item, table_as_json


class AsksPit(Protocol):
    """What the pit page asks of the floor."""

    @property
    def away(self) -> Away | None:
        """Why the floor does not answer; None while it does."""

    async def news(self, since: PitSince) -> PitNews:
        """The tables that have changed since. Raises TableAwayError."""


class PitFollow:
    """All tables as they were last told, as text that is made once for all browsers. Belongs to one loop."""

    def __init__(self, door: AsksPit) -> None:
        self._door = door
        self._since = PitSince("", 0)
        self._texts: dict[str, tuple[int, str]] = {}
        """By table: the version of its last change, and its JSON."""
        self._version = 0
        self._begun = 0
        """The version at which the list began anew: who has an older one gets it whole."""
        self._wall = 0.0
        self._wrong = "[]"
        self._proof = "null"
        self._stale = True
        self._asking = asyncio.Lock()
        self._browsers = Listeners()

    def changed(self) -> None:
        """Something has changed, or a second has passed."""
        self._stale = True
        self._browsers.wake()

    def close(self) -> None:
        """Let every browser go."""
        self._browsers.close()

    async def state(self) -> dict[str, Any]:
        """All tables as they are now. Raises TableAwayError."""
        self._stale = True
        await self._asked()
        return json.loads(self._told(0))  # type: ignore[no-any-return]

    def admit(self) -> AsyncGenerator[str, None]:
        """Admit a browser; return its server-sent events, which begin with all tables."""
        seen = 0

        async def news() -> list[str]:
            nonlocal seen
            await self._asked()
            if seen == self._version:
                return []
            text = self._told(seen)
            seen = self._version
            return [f"event: tables\ndata: {text}\n\n"]

        return self._browsers.admit(news)

    def _told(self, seen: int) -> str:
        whole = seen < self._begun
        texts = [text for version, text in self._texts.values() if whole or version > seen]
        whole_text = "true" if whole else "false"
        tables = ",".join(texts)
        floor = f'"wall":{self._wall:.1f},"whole":{whole_text},"wrong":{self._wrong},"proof":{self._proof}'
        return f'{{{floor},"tables":[{tables}]}}'

    async def _asked(self) -> None:
        """Ask floord what is new: once for all who wait for it."""
        async with self._asking:
            if not self._stale:
                return
            self._stale = False
            news = await self._door.news(self._since)
            self._version += 1
            if news.whole:
                self._texts, self._begun = {}, self._version
            for table in news.tables:
                text = json.dumps(table_as_json(table), separators=(",", ":"), ensure_ascii=False)
                self._texts[table.name] = self._version, text
            self._wrong = json.dumps([floor_item(words) for words in news.wrong], ensure_ascii=False)
            self._proof = json.dumps(None if news.proof is None else asdict(news.proof))
            self._since, self._wall = PitSince(news.run, news.revision), news.wall
