"""All who are told outside, as floor.toml names them: a webhook and a broker. floord waits for none of them."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from feltd.custody.settings import FloorSettings
from feltd.floor.alone import one_at_a_time
from feltd.floor.elsewhere import floord_name
from feltd.floor.engine import Engine
from feltd.floor.following import Follower
from feltd.floor.pit_book import PitBook
from feltd.floor.webhook import WebhookPost
from feltd.posting.signed import WebhookError
from feltd.text.errors import FeltdError

if TYPE_CHECKING:
    from feltd.floor.mqtt import Broker

_log = logging.getLogger("feltd.floor")


class Outside:
    """Who is told. What cannot be used as it is set up is told in the log and at the pit, and stops nothing."""

    def __init__(self, settings: FloorSettings, engine: Engine) -> None:
        self._settings = settings
        self._alone = engine.alone
        self._wrong: list[str] = []
        self._post: WebhookPost | None = None
        self._followers: tuple[Follower, ...] = ()
        self._broker: Broker | None = None
        if settings.webhook is not None:
            try:
                self._post = WebhookPost.of(settings.webhook)
                self._followers = (
                    Follower("webhook", engine.facts, self._post.deliver),
                    Follower("webhook, custody's alarms", engine.standing, self._post.deliver),
                )
            except WebhookError as fault:
                self._not_told("webhook", fault)

    def _not_told(self, what: str, fault: FeltdError) -> None:
        _log.error("%s: nothing is told: %s", what, fault)
        self._wrong.append(f"{what}: nothing is told: {fault}")

    @property
    def trouble(self) -> tuple[str, ...]:
        """What is wrong now, in words for the pit page."""
        following = tuple(words for follower in self._followers for words in follower.trouble)
        return (*self._wrong, *following, *(() if self._broker is None else self._broker.trouble))

    def told(self) -> None:
        """There are new facts."""
        for follower in self._followers:
            follower.told()

    @asynccontextmanager
    async def told_of(self, book: PitBook) -> AsyncIterator[None]:
        """Tell them for as long as the block lasts."""
        if self._settings.mqtt is not None:
            from feltd.floor.mqtt import Broker  # paho's memory is for who uses it

            try:
                self._broker = Broker(self._settings.mqtt, book, floord_name(self._settings.port))
            except FeltdError as fault:
                self._not_told("mqtt", fault)
        works = [(follower.name, follower.run) for follower in self._followers]
        works += [] if self._broker is None else [("mqtt", self._broker.run)]
        telling = [asyncio.create_task(one_at_a_time(self._alone, *work), name=work[0]) for work in works]
        try:
            yield
        finally:
            for task in telling:
                task.cancel()
            await asyncio.gather(*telling, return_exceptions=True)
            if self._post is not None:
                self._post.close()
