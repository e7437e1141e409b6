"""Sends the bookmarks of a running table: one at a time, in order, each until it is taken.

What the table waits for is none of it: the record has every bookmark, a post waits in a thread of its own, and the
page remembers no more than the entry that was taken last. After an outage the rest is read back from the record, as far
as that goes for any follower (`feltd.page.api.feed`); what is older is told in the log and stays in the list.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from feltd.page.api.feed import Feed
from feltd.page.history.bookmarks import Bookmark, bookmark_of
from feltd.page.history.deliveries import Deliveries
from feltd.page.settings import WebhookSettings
from feltd.posting.retrying import FIRST_WAIT, until_taken
from feltd.posting.signed import Poster, Signed, read_key, sign
from feltd.text.atomic_file import replace_atomically
from feltd.text.errors import JournalError

SECTION: Final = "page.webhook"
_log = logging.getLogger("feltd.page")


class Sender:
    """Sends the bookmarks that come after the one that was taken last; at its first start, those from now on."""

    def __init__(
        self,
        feed: Feed,
        post: Callable[[Signed], None],
        key: bytes,
        position: Path,
        name: Callable[[], Awaitable[str]],
        *,
        deliveries: Deliveries | None = None,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`post`: posts once, and blocks; it is called in a thread of the sender's own. `position`: the file that has
        the last entry taken. `name`: the table's. `deliveries`: is told how each fares, for people."""
        self._feed = feed
        self._post = post
        self._key = key
        self._position = position
        self._name = name
        self._deliveries = deliveries or Deliveries()
        self._wall = wall
        self._sleep = sleep
        self._news = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webhook")

    def told(self, _told: object) -> None:
        """The table has answered; the first call says only how far it is."""
        self._news.set()

    async def run(self) -> None:
        """Send until it is cancelled."""
        try:
            await self._news.wait()
            at = self._start()
            while True:
                self._news.clear()
                at = await self._send_after(at)
                if at >= self._feed.latest:
                    await self._news.wait()
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> int:
        """The entry after which to go on."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            return min(int(json.loads(self._position.read_bytes())["entry"]), self._feed.latest)
        return self._feed.latest

    async def _send_after(self, at: int) -> int:
        """Send some of what came after an entry; return how far that went."""
        latest = self._feed.latest
        try:
            answers = await self._feed.since(at)
        except JournalError as fault:
            _log.warning("webhook: the record cannot be read: %s", fault)
            await self._sleep(FIRST_WAIT)
            return at
        if not answers and at < latest:
            _log.warning("webhook: entries %d to %d are too old to be sent: export their list", at + 1, latest)
            self._deliveries.are_too_old(at + 1, latest)
            await self._keep(latest)
            return latest
        for answer in answers:
            bookmark = bookmark_of(answer)
            if bookmark is not None:
                await self._deliver(bookmark)
                await self._keep(answer.seq)
            at = answer.seq
        return at

    async def _deliver(self, bookmark: Bookmark) -> None:
        """Post a bookmark until it is taken, or is refused for good."""
        body = json.dumps({"table": await self._name(), **asdict(bookmark)}, ensure_ascii=False).encode()
        loop = asyncio.get_running_loop()
        entry, deliveries = bookmark.entry, self._deliveries

        async def post() -> None:
            signed = sign(self._key, body, entry, self._wall())
            await loop.run_in_executor(self._thread, self._post, signed)

        def told(why: str | None) -> None:
            if why is not None:
                deliveries.waits(entry, why)

        if await until_taken(post, f"webhook: entry {entry}", _log, self._sleep, told):
            deliveries.is_taken(entry, self._wall())
        else:
            deliveries.is_refused(entry)

    async def _keep(self, entry: int) -> None:
        """Remember how far it is. Where that fails, a start sends some once more: receivers know them by the entry."""

        def kept() -> None:
            text = json.dumps({"entry": entry}).encode()
            replace_atomically(self._position, text, self._position.parent.stat())

        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, kept)
        except OSError as fault:
            _log.warning("webhook: %s: %s", self._position, fault.strerror)


def sender_of(
    settings: WebhookSettings,
    feed: Feed,
    folder: Path,
    name: Callable[[], Awaitable[str]],
    deliveries: Deliveries | None = None,
) -> Sender:
    """Make the sender of a page. Raises WebhookError where its key or certificates cannot be used."""
    poster = Poster(settings.url, settings.ca_file, SECTION)
    key = read_key(settings.key_file, SECTION)
    return Sender(feed, poster.post, key, folder / "webhook.json", name, deliveries=deliveries)
