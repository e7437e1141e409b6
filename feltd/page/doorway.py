"""Who comes in, and where a page is served: what a table's page and the floor's stand on alike."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp

from feltd.door import Away
from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import AccountBook
from feltd.page.access.known_devices import KnownDevices, secret_in
from feltd.page.access.roles import Role
from feltd.page.access.security_keys import KeysPlace
from feltd.page.access.sessions import Sessions
from feltd.page.access.signing_in import SigningIn
from feltd.page.access.telling import AccessTeller, Told
from feltd.page.addresses import on_this_machine
from feltd.page.api.guard import Guard
from feltd.page.certificate import Certificate, certificate_for
from feltd.page.connections import Connections
from feltd.page.gate import Gate
from feltd.page.limits.refusals import Refusals
from feltd.page.out_of_order import make_app as make_without
from feltd.page.server import PageServer, Stream, listener_of
from feltd.page.settings import PageSettings
from feltd.page.turnstile import BehindProxies, BehindSocket, Turnstile
from feltd.page.wrapping import OverTlsAlone, SecurityHeaders

_BACK: Final = Away("it answers again: load the page anew")
_log = logging.getLogger("feltd.page")


@dataclass(frozen=True, slots=True)
class Doorway:
    """Accounts, sessions, what is told of them, and the limits of visitors."""

    certificate: Certificate | None
    accounts: AccountBook
    guard: Guard
    record: AccessTeller
    news: AccountNews
    refusals: Refusals
    connections: Connections


def doorway(settings: PageSettings, door: Told) -> Doorway:
    """Raises CertificateError, AccountError where the page's files cannot be used."""
    at_socket = settings.socket is not None
    certificate = None if at_socket else _certificate(settings)
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
    keys = None if settings.keys_at is None else KeysPlace(settings.keys_at)
    guard = Guard(
        SigningIn(accounts, sessions, devices, time.monotonic, time.time, refusals, record, keys),
        secure=certificate is not None or (at_socket and _is_over_tls(settings.address)),
        address=settings.address,
        open_on_loopback=_open_here(settings),
    )
    news = AccountNews(accounts, settings.own_files, record)
    return Doorway(certificate, accounts, guard, record, news, refusals, connections)


def _certificate(settings: PageSettings) -> Certificate | None:
    return certificate_for(settings.host, settings.certificate, settings.certificate_key, settings.own_files)


def _is_over_tls(address: str | None) -> bool:
    return address is not None and address.startswith("https://")


def _open_here(settings: PageSettings) -> bool:
    """Whether the page may be read on this machine without signing in: not where a proxy brings others from there."""
    if settings.open_on_loopback and settings.socket is not None:
        _log.warning("open_on_loopback does not count: [page] socket is a proxy's, so anybody may come over it")
        return False
    if settings.open_on_loopback and on_this_machine(settings.proxies):
        _log.warning("open_on_loopback does not count: [page] proxies names this machine, so anybody may come from it")
        return False
    return settings.open_on_loopback


@asynccontextmanager
async def page_at_address(
    settings: PageSettings,
    at: Doorway,
    app: ASGIApp,
    away: Callable[[], Away | None],
    closing: Sequence[Stream],
) -> AsyncIterator[str]:
    """Serve an application as long as the block lasts; give its address.

    `away`: why there is nothing to show; `closing`: streams that end with it. Raises PageError.
    """
    listener = listener_of(settings.socket, settings.socket_group, settings.host, settings.port, at.connections)
    gate = Gate(app, make_without(settings.name, lambda: away() or _BACK, settings.host, settings.address), away)
    turnstile = Turnstile(gate, settings.limits, at.guard.visitor, time.monotonic, at.refusals)
    inner = SecurityHeaders(turnstile)
    behind = (
        BehindProxies(inner, settings.proxies)
        if settings.socket is None
        else BehindSocket(OverTlsAlone(inner), settings.proxies)
    )
    server = PageServer(behind, listener, at.certificate, tuple(closing))
    await server.start()

    def look() -> None:
        at.news.look()  # before its sessions end by it
        at.guard.signing_in.sessions.sweep()

    telling = asyncio.create_task(at.record.run(look), name="record")
    try:
        yield server.address
    finally:
        telling.cancel()
        await server.stop()
        await asyncio.gather(telling, return_exceptions=True)
        await at.record.close()
        at.guard.signing_in.close()
