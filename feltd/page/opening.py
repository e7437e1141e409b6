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
from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import AccountBook
from feltd.page.access.known_devices import KnownDevices, secret_in
from feltd.page.access.roles import Role
from feltd.page.access.sessions import Sessions
from feltd.page.access.signing_in import SigningIn
from feltd.page.access.staff import StaffTeller
from feltd.page.access.telling import AccessTeller
from feltd.page.addresses import hosts_for
from feltd.page.api.app import Parts, make_api
from feltd.page.api.feed import Feed, from_record
from feltd.page.api.guard import Guard
from feltd.page.api.hub import Hub
from feltd.page.api.on_record import OnRecord
from feltd.page.api.state import state_as_json
from feltd.page.app import make_app
from feltd.page.certificate import Certificate, certificate_for
from feltd.page.connections import Connections
from feltd.page.gate import Gate
from feltd.page.history.desk import HistoryDesk
from feltd.page.limits.places import StreamPlaces
from feltd.page.limits.refusals import Refusals
from feltd.page.out_of_order import make_app as make_without
from feltd.page.rules_routes import add_rules
from feltd.page.server import PageServer, listen
from feltd.page.settings import PageSettings
from feltd.page.turnstile import BehindProxies, Turnstile
from feltd.page.views import ShowPage
from feltd.page.wrapping import SecurityHeaders
from feltd.text import zone
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
    hub: Hub
    feed: Feed
    desk: HistoryDesk
    certificate: Certificate | None
    staff: StaffTeller
    record: AccessTeller
    news: AccountNews
    refusals: Refusals
    connections: Connections


def open_page(settings: PageSettings, door: TableDoor, books: Mapping[str, Rulebook]) -> OpenPage:
    """The page of the table behind this door; `books`: those it may open with, by id.

    Raises CertificateError, AccountError where the page's files cannot be used.
    """
    zone.choose(settings.zone, twelve_hours=settings.twelve_hours)
    certificate = certificate_for(settings.host, settings.certificate, settings.certificate_key, settings.own_files)
    accounts = AccountBook(settings.accounts)
    if not len(accounts):
        _log.warning("nobody can sign in to the page yet: feltd user add NAME --role supervisor makes an account")
    record = AccessTeller(door, time.monotonic, time.time)
    idle = settings.idle_minutes * 60.0
    factor_for = map(Role, settings.second_factor)
    sessions = Sessions(accounts, time.monotonic, record.session_over, record.session_paused, idle, factor_for)
    devices = KnownDevices(accounts, secret_in(settings.own_files), time.time)
    refusals = Refusals()
    connections = Connections(settings.limits, refusals, secure=certificate is not None, proxies=settings.proxies)
    guard = Guard(
        SigningIn(accounts, sessions, devices, time.monotonic, time.time, refusals, record),
        secure=certificate is not None,
        open_on_loopback=settings.open_on_loopback,
    )

    async def state() -> dict[str, Any]:
        return state_as_json(await door.state())

    hub = Hub(state)
    door.on_changed(hub.changed)
    feed = Feed(from_record(door.open_record), time.time, refusals)
    door.on_answers(feed.record)
    desk = HistoryDesk(door.open_record, settings.index, books, refusals)
    places = StreamPlaces(settings.limits, refusals)
    news = AccountNews(accounts, settings.own_files, record)
    exports = OnRecord(door, time.monotonic, time.time)
    api = make_api(Parts(guard, door, hub, feed, desk, places, exports, news, time.time))
    app = make_app(
        api, guard, state, desk, exports,
        metrics=lambda: _metrics(door, connections, places, refusals), unwell=lambda: unwell(door),
        hosts=hosts_for(settings.host),
    )  # fmt: skip
    add_rules(app, books, lambda: _book_in_force(door))
    return OpenPage(
        app=app, api=api, guard=guard, state=state, show=app.state.show, pages=app.state.pages, hub=hub, feed=feed,
        desk=desk, certificate=certificate, staff=StaffTeller(accounts, door), record=record, news=news,
        refusals=refusals, connections=connections,
    )  # fmt: skip


async def unwell(door: TableDoor) -> str | None:
    """Return why the table behind this door cannot be played now, in a few words; None if it can."""
    try:
        state = await door.state()
    except TableAwayError as away:
        return str(away)
    return None if state.stopped is None else "the record of the table cannot be kept"


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
    if extend is not None:
        extend(page)
    refusals = Refusals()
    connections = Connections(settings.limits, refusals, secure=page.certificate is not None, proxies=settings.proxies)
    listener = listen(settings.host, settings.port, connections)
    without = make_without(settings.name, lambda: door.away or _BACK, settings.host)
    gate = Gate(page.app, without, lambda: door.away)
    turnstile = Turnstile(gate, settings.limits, page.guard.visitor, time.monotonic, page.refusals)
    behind = BehindProxies(SecurityHeaders(turnstile), settings.proxies)
    server = PageServer(behind, listener, page.certificate, (page.hub, page.feed))
    await server.start()

    def look() -> None:
        page.news.look()  # before its sessions end by it
        page.guard.signing_in.sessions.sweep()

    telling = [
        asyncio.create_task(page.staff.run(), name="staff"),
        asyncio.create_task(page.record.run(look), name="record"),
    ]
    try:
        yield server.address
    finally:
        for task in telling:
            task.cancel()
        await server.stop()
        await asyncio.gather(*telling, return_exceptions=True)
        await page.record.close()
        page.guard.signing_in.close()
        page.desk.close()
