"""Everything a running table's page stands on, put together and served: accounts, sessions, API, certificate."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI

from feltd.door import Away, TableAwayError, TableDoor
from feltd.page.access.fingerprint import FingerprintTeller
from feltd.page.access.staff import StaffTeller
from feltd.page.addresses import hosts_for
from feltd.page.api.app import Parts, make_api
from feltd.page.api.feed import Feed, from_record
from feltd.page.api.guard import Guard
from feltd.page.api.hub import Hub
from feltd.page.api.on_record import OnRecord
from feltd.page.api.state import state_as_json
from feltd.page.app import make_app
from feltd.page.certificate import Certificate
from feltd.page.connections import Connections
from feltd.page.doorway import Doorway, doorway, page_at_address
from feltd.page.ended import with_its_end
from feltd.page.history.deliveries import Deliveries
from feltd.page.history.desk import HistoryDesk
from feltd.page.limits.places import StreamPlaces
from feltd.page.limits.refusals import Refusals
from feltd.page.rules_routes import add_rules
from feltd.page.settings import PageSettings
from feltd.page.views import ShowPage
from feltd.page.webhook.sending import Sender, sender_of
from feltd.posting.signed import WebhookError
from feltd.text import language, zone
from table_fsm.rulebook import Rulebook

_BACK: Final = Away("the table answers again: load the page anew")
_log = logging.getLogger("feltd.page")


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page ready to be served."""

    app: FastAPI
    api: FastAPI
    guard: Guard
    state: Callable[[], Awaitable[dict[str, Any]]]
    show: ShowPage
    """Renders a template."""
    pages: list[tuple[str, str, str]]
    """What every page links to: name, address, words."""
    also: dict[str, Any]
    """Names that each template can use besides its own."""
    hub: Hub
    feed: Feed
    desk: HistoryDesk
    sender: Sender | None
    """Of bookmarks, where the page has a webhook."""
    certificate: Certificate | None
    staff: StaffTeller
    fingerprint: FingerprintTeller | None
    """Where the page has made its certificate itself."""
    at: Doorway


def open_page(settings: PageSettings, door: TableDoor, books: Mapping[str, Rulebook]) -> OpenPage:
    """The page of the table behind this door; `books`: those it may open with, by id.

    Raises CertificateError, AccountError where the page's files cannot be used.
    """
    zone.choose(settings.zone, twelve_hours=settings.twelve_hours)
    language.choose(settings.language)
    at = doorway(settings, door)
    guard, refusals, news = at.guard, at.refusals, at.news

    async def state() -> dict[str, Any]:
        return state_as_json(await door.state())

    hub = Hub(state)
    door.on_changed(hub.changed)
    feed = Feed(from_record(door.open_record), time.time, refusals)
    door.on_answers(feed.record)
    desk = HistoryDesk(door.open_record, settings.index or settings.own_files / "history.index", books, refusals)
    places = StreamPlaces(settings.limits, refusals)
    exports = OnRecord(door, time.monotonic, time.time)
    deliveries = Deliveries()
    api = make_api(Parts(guard, door, hub, feed, desk, places, exports, deliveries, news, time.time, time.monotonic))
    app = make_app(
        api, guard, state, desk, exports,
        metrics=lambda: _metrics(door, at.connections, places, refusals), unwell=lambda: unwell(door),
        hosts=hosts_for(settings.host, settings.address),
    )  # fmt: skip
    add_rules(app, books, lambda: _book_in_force(door))
    return OpenPage(
        app=app, api=api, guard=guard, state=state, show=app.state.show, pages=app.state.pages,
        also=app.state.also, hub=hub, feed=feed, desk=desk, sender=begin_sending(settings, door, feed, deliveries),
        certificate=at.certificate, staff=StaffTeller(at.accounts, door),
        fingerprint=_fingerprint(settings, at, door), at=at,
    )  # fmt: skip


def _fingerprint(settings: PageSettings, at: Doorway, door: TableDoor) -> FingerprintTeller | None:
    if at.certificate is None or settings.certificate is not None:
        return None
    return FingerprintTeller(at.accounts, door, at.certificate.fingerprint)


def begin_sending(
    settings: PageSettings, door: TableDoor, feed: Feed, deliveries: Deliveries | None = None
) -> Sender | None:
    """Make the sender of bookmarks; None without a webhook, and where it cannot be used: log and page tell that."""
    if settings.webhook is None:
        return None
    deliveries = deliveries or Deliveries()
    deliveries.begin(settings.webhook.url)

    async def name() -> str:
        return settings.name

    try:
        sender = sender_of(settings.webhook, feed, settings.own_files, name, deliveries)
    except WebhookError as fault:
        deliveries.cannot(str(fault))
        _log.error("no bookmark is sent: %s", fault)
        return None
    door.on_answers(sender.told)
    return sender


async def unwell(door: TableDoor) -> str | None:
    """Return why the table behind this door cannot be played now, in a few words; None if it can."""
    try:
        state = await door.state()
    except TableAwayError as away:
        return str(away)
    if state.stopped is not None:
        return "the record of the table cannot be kept"
    return "the record of the table was put back to an older state" if state.put_back else None


async def _book_in_force(door: TableDoor) -> str | None:
    """The id of the rulebook in force; None too while the table is away: its rules can be read all the same."""
    try:
        book = (await door.state()).rulebook
    except TableAwayError:
        return None
    return None if book is None else book.id


async def _metrics(door: TableDoor, connections: Connections, places: StreamPlaces, refusals: Refusals) -> bytes:
    # prometheus_client: only a page that is asked for metrics loads it
    from feltd.page.metrics import PageCounters, metrics_text

    page = PageCounters(len(connections), len(places), refusals.counts)
    return metrics_text(await door.state(), await door.counters(), page)


@asynccontextmanager
async def served(
    settings: PageSettings,
    door: TableDoor,
    books: Mapping[str, Rulebook],
    extend: Callable[[OpenPage], None] | None = None,
) -> AsyncIterator[str]:
    """Serve the page as long as the block lasts; give its address.

    `extend`: adds to the page before it is served. Raises CertificateError, AccountError, PageError.
    """
    page = open_page(settings, door, books)

    def away() -> Away | None:
        return with_its_end(door.away, settings.ended)

    if extend is not None:
        extend(page)
    tasks = [asyncio.create_task(page.staff.run(), name="staff")]
    if page.fingerprint is not None:
        tasks.append(asyncio.create_task(page.fingerprint.run(), name="fingerprint"))
    if page.sender is not None:
        tasks.append(asyncio.create_task(page.sender.run(), name="webhook"))
    try:
        closing = (page.hub, page.feed)
        async with page_at_address(settings, page.at, page.app, away, closing) as address:
            yield address
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        page.desk.close()
