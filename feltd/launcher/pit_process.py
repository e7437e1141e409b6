"""The pit page's process: it asks floord over its socket. No database, no certificate of tables, no table's door."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

from feltd.custody.settings import PitSettings, pit_settings
from feltd.door.asking.pit_door import PitDoor
from feltd.launcher.page_process import limits_of
from feltd.launcher.process import asked_to_stop, set_up_process
from feltd.page.pit.opening import served
from feltd.page.settings import PageSettings
from feltd.table.config.config import Page
from feltd.table.config.security_keys import keys_at
from feltd.table.host.health import ServiceManager

_log = logging.getLogger("feltd.page")


def run_pit(file: Path) -> None:
    """Serve the pit page until SIGTERM or SIGINT.

    `file`: pit.toml. Raises SettingsError, FeltdError where it cannot be served.
    """
    settings = pit_settings(file)
    set_up_process()
    settings.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(_run(settings, file.absolute()))


async def _run(settings: PitSettings, file: Path) -> None:
    stop, manager = asked_to_stop(), ServiceManager()
    keys = keys_at(settings)
    if settings.address is not None and keys.origin is None:
        _log.warning("security keys do not work at this page: %s", keys.why)
    if keys.doubt:
        _log.warning("security keys may not work at this page: %s", keys.doubt)
    door = PitDoor(settings.floor)
    asking = asyncio.get_running_loop().create_task(door.run(), name="door")
    try:
        await door.reached()
        async with served(replace(page_settings(settings), pit_file=file), door) as address:
            _log.info("pit page at %s", address)
            manager.ready(f"pit page at {address}")
            await stop.wait()
            manager.stopping()
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


def page_settings(settings: PitSettings) -> PageSettings:
    """What the page is told of its place."""
    return PageSettings(
        name=settings.name,
        host=settings.host,
        port=settings.port,
        accounts=settings.accounts_file,
        own_files=settings.folder,
        limits=limits_of(Page()),
        certificate=settings.certificate,
        certificate_key=settings.certificate_key,
        idle_minutes=settings.idle_minutes,
        open_on_loopback=settings.open_on_loopback,
        zone=settings.zone,
        currency=settings.currency,
        screens=settings.screens,
        tournament_books=settings.tournament_books,
        second_factor=settings.second_factor,
        address=settings.address,
        keys_at=keys_at(settings).origin,
    )
