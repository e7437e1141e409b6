"""The page's process: it asks the table over its socket, and says why where there is no table to ask.

It opens no device, no key and no journal.
"""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from feltd.books.own import library_with
from feltd.door import Away
from feltd.door.asking.socket_door import SocketDoor
from feltd.launcher.process import TRY_EVERY, asked_to_stop, set_up_process, stamp, worth_a_try
from feltd.launcher.trouble import Known, known_of, trouble_of
from feltd.page.addresses import is_loopback
from feltd.page.certificate import Certificate, CertificateError, certificate_for
from feltd.page.limits.facts import PageLimits
from feltd.page.settings import PageSettings, WebhookSettings
from feltd.table.config.config import Page, TableConfig, load_config
from feltd.table.config.security_keys import keys_at
from feltd.table.host.health import LoopLag, ServiceManager, feed_watchdog, loop_unwell
from feltd.text.errors import FeltdError
from table_fsm.rulebook import Rulebook

_LOOPBACK: Final = "127.0.0.1"
SWITCH_WITHIN: Final = 0.001
"""Seconds for which a thread that reads the record may keep the interpreter from the loop; Python's own are five."""
_log = logging.getLogger("feltd.page")

Announce = Callable[[str], None]


def run_page(file: Path, socket: Path | None, *, for_another: bool = False, ended: Path | None = None) -> bool:
    """Serve the page of a table's file until SIGTERM or SIGINT.

    `socket`: of the table's door, in place of the file's. `for_another`: the process that started this one reads the
    address from standard output, and its end is the end of standard input. `ended`: where the package's script writes
    how the table's process has ended. True: what kept the page from being served
    whole may have changed, and a new process is to try. Raises FeltdError where no page can be served.
    """
    set_up_process()
    sys.setswitchinterval(SWITCH_WITHIN)
    return asyncio.run(_run(file, socket, for_another, ended))


async def _run(file: Path, socket: Path | None, for_another: bool, ended: Path | None) -> bool:
    stop = asked_to_stop()
    if for_another:
        _until_input_ends(stop)
    announce = _print_address if for_another else _say_nothing
    seen = stamp(file)
    try:
        config = load_config(file)
        books = library_with(config.table.rulebooks)
    except FeltdError as fault:
        known, trouble = known_of(file, fault), trouble_of(fault, file)
    else:
        door = SocketDoor(socket or config.door_socket)
        served = _served(replace(settings_of(config), ended=ended), door, books)
        async with asking(door), served as address, _at_work(address, announce):
            await stop.wait()
        return False
    async with _standing(known, trouble, socket or known.socket, ended) as address, _at_work(address, announce):
        return await worth_a_try(stop, lambda: stamp(file) != seen, TRY_EVERY if trouble.may_pass else None)


@asynccontextmanager
async def asking(door: SocketDoor) -> AsyncIterator[None]:
    """Keep the connection to the table up as long as the block lasts; it begins when that is known to stand or not."""
    task = asyncio.get_running_loop().create_task(door.run(), name="door")
    try:
        await door.reached()
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def _served(settings: PageSettings, door: SocketDoor, books: Mapping[str, Rulebook]) -> AsyncIterator[str]:
    # Beside the loop: on a small board it takes longer than the table's silence is borne at the door.
    await asyncio.to_thread(_load_web_framework)
    from feltd.page.opening import served

    async with served(settings, door, books) as address:
        yield address


def _load_web_framework() -> None:
    """Faults of the table's file are told without it."""
    import feltd.page.opening  # noqa: F401 - loaded for those who import it next


@asynccontextmanager
async def _at_work(address: str, announce: Announce) -> AsyncIterator[None]:
    """Tell whoever started this that the page is served, and the service manager that it lives."""
    manager, lag = ServiceManager(), LoopLag()
    tasks = [
        asyncio.create_task(lag.measure(), name="lag"),
        asyncio.create_task(feed_watchdog(manager, lambda: loop_unwell(lag), _log.error), name="watchdog"),
    ]
    manager.ready(f"page at {address}")
    _log.info("page at %s", address)
    announce(address)
    try:
        yield
    finally:
        manager.stopping()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _standing(known: Known, trouble: Away, socket: Path | None, ended: Path | None) -> AsyncIterator[str]:
    """Serve the page that says why there is none; what the table itself says of it comes first. Raises PageError."""
    from feltd.page.connections import Connections
    from feltd.page.ended import with_its_end
    from feltd.page.limits.refusals import Refusals
    from feltd.page.out_of_order import make_app
    from feltd.page.server import PageServer, listener_of

    host, certificate = where(known)
    door = None if socket is None else SocketDoor(socket)

    def now() -> Away:
        told = None if door is None else with_its_end(door.away, ended)
        return told if told is not None and told.out_of_order else trouble

    _log.error("out of order: %s", trouble.words)
    connections = Connections(
        limits_of(known.page), Refusals(), secure=certificate is not None, proxies=known.page.proxies
    )
    listener = listener_of(known.page.socket, known.page.socket_group, host, known.page.port, connections)
    server = PageServer(make_app(known.name, now, host, known.page.address), listener, certificate)
    await server.start()
    try:
        if door is None:
            yield server.address
        else:
            async with asking(door):
                yield server.address
    finally:
        await server.stop()


def where(known: Known) -> tuple[str, Certificate | None]:
    """The page's address. Without a certificate no other machine is served: then it is loopback."""
    place = known.page
    if place.socket is not None:
        return _LOOPBACK, None
    if is_loopback(place.host) or (place.certificate is None and known.folder is None):
        return place.host if is_loopback(place.host) else _LOOPBACK, None
    try:
        folder = known.folder or Path()
        return place.host, certificate_for(place.host, place.certificate, place.certificate_key, folder)
    except CertificateError as fault:
        _log.warning("the page is served to this machine only: %s", fault)
        return _LOOPBACK, None


def settings_of(config: TableConfig) -> PageSettings:
    """Return the page's settings for this table.

    Its index is in its folder, its own certificate beside the accounts.
    """
    page, accounts = config.page, config.accounts_file
    return PageSettings(
        name=config.table.name,
        host=page.host,
        port=page.port,
        accounts=accounts,
        own_files=accounts.parent,
        index=config.page_folder / f"{config.journal.path.name}.index",
        certificate=page.certificate,
        certificate_key=page.certificate_key,
        idle_minutes=page.idle_minutes,
        open_on_loopback=page.open_on_loopback,
        proxies=page.proxies,
        limits=limits_of(page),
        zone=config.table.zone,
        twelve_hours=config.table.clock_hours == 12,
        language=config.table.language,
        second_factor=page.second_factor,
        address=page.address,
        socket=page.socket,
        socket_group=page.socket_group,
        keys_at=keys_at(page).origin,
        webhook=None if page.webhook is None else WebhookSettings(**dict(page.webhook)),
    )


def limits_of(page: Page) -> PageLimits:
    """The limits of a page as its section of the table's file has them."""
    return PageLimits(**page.limits.model_dump())


def _until_input_ends(stop: asyncio.Event) -> None:
    """End when the process that started this one does."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()

    def came() -> None:
        with suppress(BlockingIOError):
            if not os.read(descriptor, 1024):
                loop.remove_reader(descriptor)
                stop.set()

    os.set_blocking(descriptor, False)
    loop.add_reader(descriptor, came)


def _print_address(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


def _say_nothing(_: str) -> None:
    """Nobody reads it: the log has it."""
