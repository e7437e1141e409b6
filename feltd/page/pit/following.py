"""From floord to the browsers: each gets the tables that have changed since it last took some, at its own pace.

floord says what a person sees and answers within it. Who sees the same tables shares what was asked and made for them.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import asdict
from typing import Any, Final, Protocol

from feltd.door import Away
from feltd.door.pit.sight import PitSight
from feltd.door.pit.state import PitNews, PitSince, PitTable
from feltd.page.api.band import Band
from feltd.page.api.streaming import Listeners
from feltd.page.pit.band import band_of_pit, band_of_table
from feltd.page.pit.shown import floor_item, table_as_json
from feltd.text.language import Language, speaking, spoken

SEEN_FOR: Final = 1.0
"""Seconds after which floord is asked anew what a person sees."""
FEEDS_MOST: Final = 32
PEOPLE_MOST: Final = 512
"""Beyond these, what was asked for longest ago is forgotten; it is asked anew where it is wanted."""


class AsksPit(Protocol):
    """What the pit page asks of the floor."""

    @property
    def away(self) -> Away | None:
        """Why the floor does not answer; None while it does."""

    async def sight(self, account: str) -> PitSight:
        """What the person of this account sees. Raises TableAwayError."""

    async def news(self, since: PitSince) -> PitNews:
        """The tables that have changed since, of those that the person sees. Raises TableAwayError."""


class _SightChangedError(Exception):
    """floord says that this person sees other tables now."""


class _Feed:
    """The tables that some people see alike, as they were last told, as text that is made once for all of them."""

    def __init__(self, door: AsksPit, mark: str) -> None:
        self.mark = mark
        self.version = 0
        self.stale = True
        self._door = door
        self._since = PitSince("", 0)
        self._tables: dict[str, tuple[int, PitTable]] = {}
        """By name: the version of a table's last change, and the table."""
        self._texts: dict[tuple[Language, str], tuple[int, str, Band]] = {}
        """By language and table: the version that it is of, its JSON and its band."""
        self._begun = 0
        """The version at which the list began anew: who has an older one gets it whole."""
        self._wall = 0.0
        self._wrong: tuple[str, ...] = ()
        self._proof = "null"
        self._asking = asyncio.Lock()

    def has(self, table: str) -> bool:
        """Whether a table is among them."""
        return table in self._tables

    def broadcasting(self) -> frozenset[str]:
        """Those whose cards go to a broadcast."""
        return frozenset(name for name, (_, table) in self._tables.items() if table.broadcast)

    def told(self, seen: int) -> str:
        """What has changed since version `seen`, in the language that is spoken."""
        whole = seen < self._begun
        texts = [self._made(name)[1] for name, (version, _) in self._tables.items() if whole or version > seen]
        band = json.dumps(asdict(self.band()), ensure_ascii=False)
        wrong = json.dumps([floor_item(words) for words in self._wrong], ensure_ascii=False)
        whole_text = "true" if whole else "false"
        tables = ",".join(texts)
        floor = f'"wall":{self._wall:.1f},"whole":{whole_text},"wrong":{wrong},"proof":{self._proof},"band":{band}'
        return f'{{{floor},"tables":[{tables}]}}'

    def band(self) -> Band:
        """The band of all of them, in the language that is spoken."""
        return band_of_pit(((name, self._made(name)[2]) for name in self._tables), self._wrong)

    def _made(self, name: str) -> tuple[int, str, Band]:
        """A table's JSON and its band in the language that is spoken, made once for all browsers."""
        version, table = self._tables[name]
        known = self._texts.get((spoken(), name))
        if known is None or known[0] != version:
            text = json.dumps(table_as_json(table), separators=(",", ":"), ensure_ascii=False)
            known = self._texts[spoken(), name] = version, text, band_of_table(table)
        return known

    async def asked(self, account: str) -> None:
        """Ask floord what is new, in the name of one of them: once for all who wait for it.

        Raises _SightChangedError where this person sees other tables now: nothing of the answer is kept.
        """
        async with self._asking:
            if not self.stale:
                return
            self.stale = False
            try:
                news = await self._door.news(PitSince(self._since.run, self._since.revision, account))
            except BaseException:
                self.stale = True
                raise
            if news.sight != self.mark:
                self.stale = True
                raise _SightChangedError
            self.version += 1
            if news.whole:
                self._tables, self._texts, self._begun = {}, {}, self.version
            self._tables.update((table.name, (self.version, table)) for table in news.tables)
            self._wrong = news.wrong
            self._proof = json.dumps(None if news.proof is None else asdict(news.proof))
            self._since, self._wall = PitSince(news.run, news.revision), news.wall


class PitFollow:
    """All tables as each person sees them. Belongs to one loop."""

    def __init__(self, door: AsksPit, clock: Callable[[], float] = time.monotonic) -> None:
        self._door = door
        self._clock = clock
        self._feeds: dict[str, _Feed] = {}
        """By mark, the one that was asked for longest ago first."""
        self._people: dict[str, tuple[float, str]] = {}
        """By account: when floord said what the person sees, and its mark."""
        self._browsers = Listeners()

    def changed(self) -> None:
        """Something has changed, or a second has passed."""
        for feed in self._feeds.values():
            feed.stale = True
        self._browsers.wake()

    def close(self) -> None:
        """Let every browser go."""
        self._browsers.close()

    async def state(self, account: str) -> dict[str, Any]:
        """All tables that a person sees, as they are now. Raises TableAwayError."""
        feed = await self._asked(account, anew=True)
        return json.loads(feed.told(0))  # type: ignore[no-any-return]

    async def band(self, account: str) -> Band:
        """The band of all tables that a person sees. Raises TableAwayError."""
        return (await self._asked(account)).band()

    async def broadcasting(self, account: str) -> frozenset[str]:
        """The tables, of those that a person sees, whose cards go to a broadcast. Raises TableAwayError."""
        return (await self._asked(account)).broadcasting()

    async def sees(self, account: str, table: str) -> bool:
        """Whether a person sees this table. Raises TableAwayError."""
        feed = await self._asked(account)
        return feed.mark == "" or feed.has(table)

    def admit(self, account: str) -> AsyncGenerator[str, None]:
        """Admit a person's browser; return its server-sent events, which begin with all tables that they see.

        They are in the language that is spoken as it is admitted. Who sees other tables from now on gets those whole.
        """
        feed: _Feed | None = None
        seen = 0
        language = spoken()

        async def news() -> list[str]:
            nonlocal feed, seen
            now = await self._asked(account)
            if now is not feed:
                feed, seen = now, 0
            if seen == now.version:
                return []
            with speaking(language):
                text = now.told(seen)
            seen = now.version
            return [f"event: tables\ndata: {text}\n\n"]

        return self._browsers.admit(news)

    async def _asked(self, account: str, *, anew: bool = False) -> _Feed:
        """What a person sees, with what is new in it."""
        while True:
            feed = await self._feed(account)
            feed.stale = feed.stale or anew
            try:
                await feed.asked(account)
            except _SightChangedError:
                self._people.pop(account, None)
                continue
            return feed

    async def _feed(self, account: str) -> _Feed:
        at, mark = self._people.get(account, (None, ""))
        if at is None or not 0 <= self._clock() - at < SEEN_FOR:
            mark = (await self._door.sight(account)).mark
            self._people.pop(account, None)
            self._people[account] = self._clock(), mark
            while len(self._people) > PEOPLE_MOST:
                del self._people[next(iter(self._people))]
        feed = self._feeds.pop(mark, None) or _Feed(self._door, mark)
        self._feeds[mark] = feed
        while len(self._feeds) > FEEDS_MOST:
            del self._feeds[next(iter(self._feeds))]
        return feed
