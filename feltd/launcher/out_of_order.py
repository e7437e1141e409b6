"""What stands in a table's place where it cannot start: its page, which says what is wrong, where, and what to do; the
devices that are known, at the level of a stop; and a look at whether the start is worth another attempt.

Nothing is played: what devices say is neither taken nor acknowledged, so they keep it.
"""

import asyncio
import logging
import tomllib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.launcher.running import asked_to_stop, serving, set_up_process
from feltd.page.addresses import is_loopback
from feltd.page.certificate import Certificate, CertificateError, certificate_for
from feltd.page.out_of_order import Trouble, make_app
from feltd.page.server import PageServer, listen
from feltd.table.config.config import ConfigError, ConfigFileError, Page, SoundSections, load_config, sound_sections
from feltd.table.config.key_files import KeyFileError
from feltd.table.daemon.out_of_order import stopped_devices
from feltd.table.host.health import ServiceManager, feed_watchdog
from feltd.table.keeper.edition import RecoveryError
from feltd.text.errors import FeltdError, JournalError

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the table's file."""
TRY_EVERY: Final = 30.0
"""Seconds after which a start is tried again that something else than the table's file kept from being."""
_UNNAMED: Final = "This table"
_LOOPBACK: Final = "127.0.0.1"

_log = logging.getLogger("feltd")


@dataclass(frozen=True, slots=True)
class Known:
    """The usable part of a table's file.

    `name`: the table's. `accounts`: the folder of the page's own files, None if it is not known. `devices`: the whole
    configuration, if nothing about the devices is at fault.
    """

    name: str
    page: Page
    accounts: Path | None
    devices: SoundSections | None


def run_or_say_why(file: Path) -> bool:
    """Run the table of a file until SIGTERM or SIGINT; if it cannot start, show why.

    True: the start is worth another attempt, by a new process. Raises FeltdError if a table that ran has failed, or if
    not even the page can be served.
    """
    set_up_process()
    return asyncio.run(_run_or_say_why(file))


async def _run_or_say_why(file: Path) -> bool:
    stop = asked_to_stop()
    seen = _stamp(file)
    started = False
    try:
        async with serving(load_config(file)):
            started = True
            await stop.wait()
        return False
    except FeltdError as fault:
        if started:
            raise
        trouble = trouble_of(fault, file)
        _log.error("the table cannot start: %s", fault)
        known = known_of(file, fault)
    async with standing(known, trouble) as address:
        _log.error("out of order: %s; the page at %s says what is wrong", trouble.words, address)
        return await _worth_a_try(stop, lambda: _stamp(file) != seen, TRY_EVERY if trouble.may_pass else None)


def trouble_of(fault: FeltdError, file: Path) -> Trouble:
    """Describe a start that failed, for everybody and for the person at the board."""
    details = tuple(str(fault).splitlines())
    if isinstance(fault, ConfigError):
        lines = sorted({problem.line for problem in fault.problems if problem.line is not None})
        where = f" ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})" if lines else ""
        count = "a fault" if len(details) == 1 else f"{len(details)} faults"
        return Trouble(f"the table's file {file} has {count}{where}", details, may_pass=False)
    if isinstance(fault, ConfigFileError):
        return Trouble("the table's file cannot be read", details)
    if isinstance(fault, RecoveryError):
        return Trouble(f"the round in progress cannot go on: {fault.what}", details)
    if isinstance(fault, JournalError):
        return Trouble(f"the record of the table cannot be opened: {' '.join(fault.what.split())}", details)
    if isinstance(fault, KeyFileError):
        return Trouble("a key cannot be read", details)
    return Trouble("something that the table needs cannot be used", details)


def known_of(file: Path, fault: FeltdError) -> Known:
    """Return the part of the table's file that is usable in spite of the fault."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return Known(_UNNAMED, Page(), None, None)
    sound = sound_sections(document, file.parent)
    page = sound.page or Page()
    accounts = page.accounts or (sound.journal and sound.journal.path)
    faulty = {problem.key.partition(".")[0] for problem in fault.problems} if isinstance(fault, ConfigError) else set()
    return Known(
        name=sound.table.name if sound.table else _UNNAMED,
        page=page,
        accounts=accounts.parent if accounts else None,
        devices=None if faulty & {"", "device", "pins"} else sound,
    )


@asynccontextmanager
async def standing(known: Known, trouble: Trouble) -> AsyncIterator[str]:
    """Serve the page and hold the devices at a stop; give the page's address.

    Raises PageError.
    """
    host, certificate = _where(known)
    listener = listen(host, known.page.port)
    server = PageServer(make_app(known.name, trouble, host), listener, certificate)
    manager = ServiceManager()
    await server.start()
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(feed_watchdog(manager, lambda: None, _log.error), name="watchdog")]
            if known.devices is not None:
                bridge = stopped_devices(known.devices, trouble.words)
                tasks.append(group.create_task(bridge.run(), name="links"))
            manager.ready(f"OUT OF ORDER: {trouble.words}; {server.address}")
            yield server.address
            manager.stopping()
            for task in tasks:
                task.cancel()
    finally:
        await server.stop()


def _where(known: Known) -> tuple[str, Certificate | None]:
    """The page's address. Without a certificate no other machine is served: then it is loopback."""
    place = known.page
    if is_loopback(place.host) or (place.certificate is None and known.accounts is None):
        return place.host if is_loopback(place.host) else _LOOPBACK, None
    try:
        folder = known.accounts or Path()
        return place.host, certificate_for(place.host, place.certificate, place.certificate_key, folder)
    except CertificateError as fault:
        _log.warning("the page is served to this machine only: %s", fault)
        return _LOOPBACK, None


async def _worth_a_try(stop: asyncio.Event, changed: Callable[[], bool], try_every: float | None) -> bool:
    """Wait until a start is worth another attempt; False where the process is asked to stop before."""
    waited = 0.0
    while not changed() and (try_every is None or waited < try_every):
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), LOOK_EVERY)
            return False
        waited += LOOK_EVERY
    return True


def _stamp(file: Path) -> tuple[int, int] | None:
    """Changes when the file does; None where it is not there."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_ctime_ns  # who may read it counts as well
