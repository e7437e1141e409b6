"""A table and its page, started and stopped together.

Order of a start: the table as its journal left it, the page, the table at work. Order of a stop: the other way round.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from feltd.page.settings import PageSettings
from feltd.table.config.config import TableConfig
from feltd.table.daemon.daemon import Daemon, at_work, opened
from feltd.table.host.logs import set_up_logging

if TYPE_CHECKING:
    from feltd.page.opening import OpenPage


@dataclass(frozen=True, slots=True)
class Running:
    """A table at work, and the address of its page."""

    table: Daemon
    address: str


def run(config: TableConfig) -> None:
    """Run a table until SIGTERM or SIGINT.

    Raises FeltdError if it cannot start, or if something failed.
    """
    set_up_process()
    asyncio.run(_run(config))


def set_up_process() -> None:
    """Set up the log, and let only the service and its group read what the process writes."""
    set_up_logging()
    os.umask(0o027)


def asked_to_stop() -> asyncio.Event:
    """An event that SIGTERM or SIGINT sets. Call within the loop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def _run(config: TableConfig) -> None:
    stop = asked_to_stop()
    async with serving(config):
        await stop.wait()


@asynccontextmanager
async def serving(
    config: TableConfig, *, port: int | None = None, extend: "Callable[[OpenPage], None] | None" = None
) -> AsyncIterator[Running]:
    """Run a table and its page as long as the block lasts.

    `port`: in place of the configuration's; 0 takes any. `extend`: adds to the page before it is served. Raises
    FeltdError if they cannot start, StoppedByFailureError if something failed later.
    """
    settings = settings_of(config)
    if port is not None:
        settings = replace(settings, port=port)
    with opened(config) as table:
        from feltd.page.opening import served  # the web framework: the table's own faults are told without it

        async with served(settings, table.door, table.books, extend) as address, at_work(table, address):
            yield Running(table, address)


def settings_of(config: TableConfig) -> PageSettings:
    """Return the page's settings for this table.

    Its own files are beside the accounts, its index is beside the journal.
    """
    page, journal, accounts = config.page, config.journal.path, config.accounts_file
    return PageSettings(
        host=page.host,
        port=page.port,
        accounts=accounts,
        own_files=accounts.parent,
        index=journal.with_name(f"{journal.name}.index"),
        certificate=page.certificate,
        certificate_key=page.certificate_key,
        idle_minutes=page.idle_minutes,
        open_on_loopback=page.open_on_loopback,
    )
