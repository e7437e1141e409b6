"""From floord to the browsers: each gets the tables that have changed since it last took some, at its own pace."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import Any, Protocol

from feltd.door import Away
from feltd.door.pit.state import PitNews, PitSince, PitTable
from feltd.page.api.streaming import Listeners
from feltd.page.pit.shown import floor_item, table_as_json
from feltd.text.language import Language, speaking, spoken


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
        self._tables: dict[str, tuple[int, PitTable]] = {}
        """By name: the version of a table's last change, and the table."""
        self._texts: dict[tuple[Language, str], tuple[int, str]] = {}
        """By language and table: its JSON, and the version that it is of."""
        self._version = 0
        self._begun = 0
        """The version at which the list began anew: who has an older one gets it whole."""
        self._wall = 0.0
        self._wrong: tuple[str, ...] = ()
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
        """Admit a browser; return its server-sent events, which begin with all tables.

        They are in the language that is spoken as it is admitted.
        """
        seen = 0
        language = spoken()

        async def news() -> list[str]:
            nonlocal seen
            await self._asked()
            if seen == self._version:
                return []
            with speaking(language):
                text = self._told(seen)
            seen = self._version
            return [f"event: tables\ndata: {text}\n\n"]

        return self._browsers.admit(news)

    def _told(self, seen: int) -> str:
        whole = seen < self._begun
        texts = [self._text(name) for name, (version, _) in self._tables.items() if whole or version > seen]
        wrong = json.dumps([floor_item(words) for words in self._wrong], ensure_ascii=False)
        whole_text = "true" if whole else "false"
        tables = ",".join(texts)
        floor = f'"wall":{self._wall:.1f},"whole":{whole_text},"wrong":{wrong},"proof":{self._proof}'
        return f'{{{floor},"tables":[{tables}]}}'

    def _text(self, name: str) -> str:
        """A table's JSON in the language that is spoken, made once for all browsers."""
        version, table = self._tables[name]
        known = self._texts.get((spoken(), name))
        if known is None or known[0] != version:
            known = version, json.dumps(table_as_json(table), separators=(",", ":"), ensure_ascii=False)
            self._texts[spoken(), name] = known
        return known[1]

    async def _asked(self) -> None:
        """Ask floord what is new: once for all who wait for it."""
        async with self._asking:
            if not self._stale:
                return
            self._stale = False
            news = await self._door.news(self._since)
            self._version += 1
            if news.whole:
                self._tables, self._texts, self._begun = {}, {}, self._version
            self._tables.update((table.name, (self._version, table)) for table in news.tables)
            self._wrong = news.wrong
            self._proof = json.dumps(None if news.proof is None else asdict(news.proof))
            self._since, self._wall = PitSince(news.run, news.revision), news.wall
