"""The table's process: the table at work behind its door, or why it cannot start, told there.

It serves no page and imports none: no TCP, no HTTP, no templates, no passwords.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from feltd.door import Away
from feltd.door.serving.guest import uid_of
from feltd.door.serving.listener import DoorError, ShutDoor, listening
from feltd.door.wire.messages import Refused
from feltd.launcher.long_start import LongStart, shown_by
from feltd.launcher.process import TRY_EVERY, asked_to_stop, set_up_process, stamp, worth_a_try
from feltd.launcher.trouble import Known, known_of, trouble_of
from feltd.table.config.config import TableConfig, load_config
from feltd.table.daemon.assembly import Daemon
from feltd.table.daemon.daemon import DoorPlace, at_work, opened
from feltd.table.daemon.out_of_order import stopped_devices
from feltd.table.daemon.renewal import Renewal
from feltd.table.host.health import ServiceManager, feed_watchdog
from feltd.text.errors import FeltdError
from feltd.text.processor import comes_at_once, comes_first
from feltd.update.health import OUT_OF_ORDER

_log = logging.getLogger("feltd")


Beside = Callable[[Path], AbstractAsyncContextManager[str]]
"""What runs beside the table, given the door's socket; it gives words for the service manager."""


@dataclass(frozen=True, slots=True)
class TheWayIn:
    """What the command line says of the door, in place of the table's file.

    `user`: that the page runs as, by name or number.
    """

    socket: Path | None = None
    user: str | None = None


@asynccontextmanager
async def alone(socket: Path) -> AsyncIterator[str]:
    """Nothing beside the table: another process is the page."""
    yield f"door at {socket}"


def run_table(
    file: Path, *, stand_by: bool, way_in: TheWayIn, beside: Beside = alone, upgraded: Path | None = None
) -> bool:
    """Run the table of a file until SIGTERM or SIGINT.

    `stand_by`: if it cannot start, say why at its door and keep play stopped; True is then returned once the start is
    worth another attempt, by a new process. `upgraded`: where the package's scripts say that another version is
    installed; once they do, the table ends after its round, and True is returned. Raises FeltdError if it cannot start,
    or if something failed.
    """
    return asyncio.run(_run(file, stand_by, way_in, beside, upgraded))


async def _run(file: Path, stand_by: bool, way_in: TheWayIn, beside: Beside, upgraded: Path | None) -> bool:
    comes_at_once()  # before it has a thread: each has its turns from who started it
    stop = asked_to_stop()
    seen = stamp(file)
    started = False
    try:
        config = load_config(file)
        set_up_process()
        uid, reader = uid_of(way_in.user or config.door.user), reader_of(config.door.uplink)
        place = DoorPlace(way_in.socket or config.door_socket, uid, reader)
        async with playing(config, place, beside) as table:
            started = True
            return await _until_renewed(stop, table, upgraded)
    except FeltdError as fault:
        if started or not stand_by:
            raise
        set_up_process()
        trouble = trouble_of(fault, file)
        _log.error("the table cannot start: %s", fault)
        known = known_of(file, fault)
    renewal = Renewal(lambda: True)  # no round is in play here
    if upgraded is not None:
        renewal.hear(upgraded)
    async with standing(known, trouble, way_in, beside):
        return await worth_a_try(
            stop, lambda: stamp(file) != seen or renewal.look(), TRY_EVERY if trouble.may_pass else None
        )


async def _until_renewed(stop: asyncio.Event, table: Daemon, upgraded: Path | None) -> bool:
    """Wait until the process is asked to stop; or, True, until another version is installed and no round is in play."""
    if upgraded is None:
        await stop.wait()
        return False
    table.door.renewal.hear(upgraded)
    return await worth_a_try(stop, table.door.renewal.look, None)


def reader_of(uplink: str | None) -> int | None:
    """The number of the uplink's user. One that is not on this machine keeps no table from starting: it is logged."""
    if uplink is None:
        return None
    try:
        return uid_of(uplink)
    except FeltdError:
        _log.error('[door] uplink: there is no user "%s" on this machine: no uplink is let in', uplink)
        return None


@asynccontextmanager
async def playing(config: TableConfig, place: DoorPlace, beside: Beside) -> AsyncIterator[Daemon]:
    """Run a table, and what is beside it, as long as the block lasts. Raises FeltdError."""
    with ExitStack() as parts:
        with LongStart(ServiceManager(), shown_by(config, place)) as start:
            table = parts.enter_context(opened(config, start.told))
        async with AsyncExitStack() as stack:

            async def up() -> str:
                return await stack.enter_async_context(beside(place.socket))

            async with at_work(table, place, up):
                comes_first()  # once it plays: the start of a long record would hold up all else on the board
                try:
                    yield table
                finally:
                    await stack.aclose()  # the page first: it is told nothing of how the table ends


@asynccontextmanager
async def standing(known: Known, trouble: Away, way_in: TheWayIn, beside: Beside) -> AsyncIterator[None]:
    """Say at the door why there is no table, and hold the devices at a stop.

    Where the door itself is taken, it is said at another one, to what is beside; then no device is touched, because a
    table that plays may be behind the first. Raises DoorError.
    """
    manager = ServiceManager()
    told = ShutDoor(Refused(trouble.words, out_of_order=True, details=trouble.details, may_pass=trouble.may_pass))
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="feltd-"))
        uid, devices, spare = uid_of(way_in.user or known.door.user), known.devices, Path(folder) / "door"
        socket = way_in.socket or known.socket or spare
        try:
            await stack.enter_async_context(listening(socket, uid, told))
        except DoorError as taken:
            _log.error("%s", taken)
            socket, devices = spare, None
            await stack.enter_async_context(listening(socket, uid, told))
        words = await stack.enter_async_context(beside(socket))
        group = await stack.enter_async_context(asyncio.TaskGroup())
        tasks = [group.create_task(feed_watchdog(manager, lambda: None, _log.error), name="watchdog")]
        if devices is not None:
            bridge = stopped_devices(devices, trouble.words)
            tasks.append(group.create_task(bridge.run(), name="links"))
        _log.error("out of order: %s; %s", trouble.words, words)
        manager.ready(f"{OUT_OF_ORDER}: {trouble.words}; {words}")
        yield
        manager.stopping()
        for task in tasks:
            task.cancel()
