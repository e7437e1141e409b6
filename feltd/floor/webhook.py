"""The floor's webhook: each ruling, alarm and decision of every table, signed, posted until it is taken."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from feltd.custody.settings import FloorWebhook
from feltd.floor.facts import Told
from feltd.floor.left_out import moment
from feltd.posting.retrying import until_taken
from feltd.posting.signed import Poster, Signed, read_key, sign

SECTION: Final = "floor.webhook"
_log = logging.getLogger("feltd.floor")


def body_of(told: Told) -> bytes:
    """A fact as it is posted. `number` is its own for good: by it a receiver knows one that came twice."""
    return json.dumps(
        {
            "number": told.number,
            "table": told.table,
            "journal": told.journal.hex(),
            "entry": told.fact.seq,
            "round": told.fact.round,
            "time": moment(told.fact.wall),
            "kind": told.fact.kind.value,
            told.fact.kind.value: dict(told.fact.body),
        },
        ensure_ascii=False,
    ).encode()


class WebhookPost:
    """Delivers facts over HTTP, in a thread of its own; see `Follower`. Close it."""

    def __init__(
        self,
        post: Callable[[Signed], None],
        key: bytes,
        *,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`post`: posts once, and blocks."""
        self._post = post
        self._key = key
        self._wall = wall
        self._sleep = sleep
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webhook")

    @classmethod
    def of(cls, settings: FloorWebhook) -> "WebhookPost":
        """As floor.toml says. Raises WebhookError where its key or certificates cannot be used."""
        poster = Poster(settings.url, settings.ca_file, SECTION)
        return cls(poster.post, read_key(settings.key_file, SECTION))

    async def deliver(self, told: Told, says: Callable[[str | None], None]) -> None:
        """Post a fact until it is taken, or is refused for good."""
        body, loop = body_of(told), asyncio.get_running_loop()

        async def post() -> None:
            signed = sign(self._key, body, told.number, self._wall())
            await loop.run_in_executor(self._thread, self._post, signed)

        await until_taken(post, f"webhook: number {told.number}", _log, self._sleep, says)

    def close(self) -> None:
        """Post nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)
