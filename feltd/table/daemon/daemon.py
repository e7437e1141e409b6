"""The daemon of one table: start, watch and stop of all its parts, which `assembly` puts together.

Order of a start: configuration and rulebooks, the journal, the table as the journal left it (`opened`), the links
(`at_work`); then the service manager is told. Order of a stop: links, journal.
"""

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from devices.drivers.badge import BadgeDriver
from feltd.books.own import library_to_play, loaded_of
from feltd.door.serving.listener import OpenDoor, listening
from feltd.door.serving.records import RecordReaders
from feltd.installed.mark import running_package
from feltd.record import made
from feltd.record.notes import START_NOTE
from feltd.record.rows import JournalRows
from feltd.table.config.config import TableConfig
from feltd.table.daemon.assembly import Daemon, assemble
from feltd.table.daemon.old_keys import OldKeys
from feltd.table.host.hand_tables import map_hand_tables
from feltd.table.host.health import ServiceManager, SyncProgress, feed_watchdog, journal_thread_lives, loop_unwell
from feltd.table.host.large_pages import take_large_pages
from feltd.table.host.loading import uncollected
from feltd.table.host.memory import give_back
from feltd.table.journal import Journal, JournalState
from feltd.table.keeper.badge_pins import BADGES, BadgePins
from feltd.table.keeper.edition import software
from feltd.table.keeper.noted_wishes import NotedWishes
from feltd.table.keeper.recovery import Progress, state_mark, to_nobody
from feltd.table.keeper.since_before import since_before
from feltd.table.keeper.staff import STAFF_KEPT_NOTE, StaffList
from feltd.table.links.bridge import Bridge
from feltd.table.links.counters_note import CountersNote
from feltd.table.links.floods import Floods
from feltd.table.links.hotplug import HotPlug
from feltd.table.links.keypads_note import KeypadsNote
from feltd.table.packs.pack_file import PackShelf, packs_file_of
from feltd.text.errors import FeltdError
from feltd.text.zone import own_zone_name
from firmware_bridge.moments import last_moment

BEAT: Final = 1.0
"""Seconds between two beats."""
RETRY_EVERY: Final = 2.0
"""Seconds between two attempts of a journal that the disk refused."""
GRACE: Final = 3.0
"""Seconds that devices have to come up at the start before they count as missing."""

_log = logging.getLogger("feltd")


class StoppedByFailureError(FeltdError):
    """The daemon ended because a part of feltd failed."""


@contextmanager
def opened(config: TableConfig, told: Callable[[Progress], None] = to_nobody) -> Iterator[Daemon]:
    """Open a table as its journal left it, not yet at work.

    `told`: how far the start is. The journal is closed at the end of the block. Raises FeltdError where the table
    cannot start.
    """
    map_hand_tables()
    with uncollected():
        books = library_to_play(config.table.rulebooks, config.table.rulebook)
    keys = {device.name: device.wire_key.read() for device in config.devices if device.wire_key is not None}
    master_key = config.journal.sealing_key_file.read()
    journal = Journal.open(
        config.journal.path,
        master_key,
        sealed_to=config.record.sealed_to,
        gather_seconds=config.journal.gather_seconds,
        sign_at_rest=config.journal.signs_at_rest,
    )
    try:
        shelf = PackShelf(packs_file_of(config.journal.path), master_key)
        daemon = assemble(config, books, keys, journal, told, shelf)
        daemon.wishes.settings.put_at_start(_log.warning)
        noted = NotedWishes(daemon.wishes.books.memory, lambda: JournalRows(journal.path), journal.reader.journal_id)
        noted.note_left_out(daemon.keeper)  # before the start is noted: the floor takes what it says for the wish's
        _note_start(daemon)
        yield daemon
    finally:
        journal.close()


@dataclass(frozen=True, slots=True)
class DoorPlace:
    """Where a page comes in.

    `socket`: the path; `uid`: the user that the page runs as; `reader`: the user that may read the record alone.
    """

    socket: Path
    uid: int
    reader: int | None = None


@asynccontextmanager
async def at_work(daemon: Daemon, place: DoorPlace, up: Callable[[], Awaitable[str]]) -> AsyncIterator[None]:
    """Run the table for as long as the block lasts, with its door at `place`.

    `up`: awaited once the table is at work; returns what the service manager and the log are to say of it. Raises
    StoppedByFailureError where a part of feltd failed, DoorError.
    """
    manager = ServiceManager()
    keeper, bridge, journal = daemon.keeper, daemon.bridge, daemon.journal
    journal.on_synced(keeper.synced)
    journal.on_failed(keeper.journal_failed)
    journal.on_recovered(keeper.journal_recovered)
    if daemon.recovered.last_t is not None:
        bridge.indicating.set_again()
    opening, wished = daemon.wishes.books.opening_at_start(keeper.standing.opening, _log.warning)
    keeper.open_with(opening, seats_stay=wished)
    try:
        async with _door_of(daemon, place), asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(bridge.run(), name="links"),
                group.create_task(HotPlug(daemon.config, bridge, journal).run(), name="plugs"),
                group.create_task(_beat(daemon), name="beat"),
                group.create_task(daemon.lag.measure(), name="lag"),
                group.create_task(daemon.door.board.run(), name="board"),
                group.create_task(feed_watchdog(manager, _unwell(daemon), _log.error), name="watchdog"),
                group.create_task(_first_moments(bridge, daemon.staff, daemon.pins), name="first moments"),
            ]
            gc.freeze()  # what is loaded stays: to scan it would block the loop of a slow board for half a second
            words = await up()
            manager.ready(f"{daemon.config.table.name}: {words}")
            _log.info("%s: ready, %s", daemon.config.table.name, words)
            yield
            manager.stopping()
            _log.info("stopping")
            bridge.indicating.leave()
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as failures:
        raise _as_one(failures) from failures
    finally:
        if not journal.health.error:
            daemon.door.access.close()
            journal.append_note("feltd stops")


@asynccontextmanager
async def _door_of(daemon: Daemon, place: DoorPlace) -> AsyncIterator[None]:
    """Let pages in, and have the record read for them beside the table."""
    readers = RecordReaders(daemon.journal.path)
    name, journal = daemon.config.table.name, daemon.journal.reader.journal_id
    try:
        reception = OpenDoor(daemon.door, name, journal, readers, daemon.door, daemon.door.refused)
        signed = bool(daemon.config.floor.keys)
        async with listening(place.socket, place.uid, reception, place.reader, signed=signed):
            yield
    finally:
        readers.close()


def _as_one(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """The failure that ended everything.

    feltd's own errors stay as they are, any other becomes StoppedByFailureError.
    """
    first: BaseException = failures
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    if isinstance(first, FeltdError) or not isinstance(first, Exception):
        return first
    _log.critical("a failure of feltd's own", exc_info=first)
    return StoppedByFailureError(
        f"feltd failed ({type(first).__name__}) and stopped; start it again: devices send again what was not recorded, "
        "and please report the lines above"
    )


def _note_start(daemon: Daemon) -> None:
    recovered, sealed_to = daemon.recovered, daemon.config.record.sealed_to
    package, first_key = running_package(), daemon.journal.first_key.hex()
    _log.info("%s: first key of the record: %s", daemon.config.journal.path, first_key)
    said: dict[str, Any] = {
        "software": software(),
        "package": None if package is None else package.to_dict(),
        "first_key": first_key,
        made.NAME: daemon.journal.reader.made().to_body(),
        "state": state_mark(recovered.table, daemon.journal.mark),
        "sealed_to": None if sealed_to is None else sealed_to.fingerprint,
        "rulebooks": {book.id: book.digest for book in loaded_of(daemon.books).values()},
        "file": dict(daemon.config.written),
        "replayed": recovered.replayed,
        "settings": dict(daemon.wishes.settings.now.values),
        "wishes": daemon.wishes.books.memory.wishes_known(),
        "page": daemon.config.page.address,
        "zone": daemon.config.table.zone or own_zone_name(),
        "adapters": {device.name: device.adapter for device in daemon.config.devices if device.adapter},
        "pins": daemon.pins.marks,
        "staff": daemon.staff.told,
        "notes": [STAFF_KEPT_NOTE],
    }
    remarks = [*recovered.notes, *since_before(daemon.journal.reader, said)]
    for remark in remarks:
        _log.warning("%s", remark)
    daemon.journal.append_note(START_NOTE, {**said, "remarks": remarks})
    if recovered.counts_lost:
        daemon.keeper.count_anew()


async def _beat(daemon: Daemon) -> None:
    """Once a second: pass time, renew counters shown by the page, retry a refused journal."""
    retried, loop = 0.0, asyncio.get_running_loop()
    counters = CountersNote(daemon.bridge, daemon.keeper, daemon.journal)
    keypads = KeypadsNote(daemon.bridge, daemon.journal)
    floods = Floods(daemon.bridge)
    old_keys = OldKeys(daemon.bridge, daemon.journal)
    while True:
        now = loop.time()
        await asyncio.sleep(last_moment(now) + BEAT - now)  # when links ping too: one moment wakes both
        daemon.keeper.beat()
        counters.beat(time.monotonic())
        keypads.beat(time.monotonic())
        floods.beat()
        old_keys.beat()
        daemon.workshop.beat()
        daemon.signatures.expire()
        daemon.pins.beat(daemon.journal, partial(daemon.bridge.tell, BADGES))
        daemon.door.access.beat()
        daemon.door.at_rest.beat()
        daemon.door.witnessed.beat()
        if daemon.bridge.first_ends():
            daemon.bridge.indicating.show_order()
        daemon.door.broadcasting.beat()
        daemon.changes.tell()
        if daemon.journal.health.state is JournalState.FAILED and time.monotonic() - retried >= RETRY_EVERY:
            retried = time.monotonic()
            daemon.journal.retry()


async def _first_moments(bridge: Bridge, staff: StaffList, pins: BadgePins) -> None:
    await asyncio.sleep(GRACE)
    if not bridge.complete:
        bridge.give_up_waiting()
    say_if_nobody_signs(bridge, staff, pins)
    give_back()  # links and page have been greeted by now: what that took for a moment goes too
    await asyncio.to_thread(take_large_pages)


def say_if_nobody_signs(bridge: Bridge, staff: StaffList, pins: BadgePins) -> None:
    """Tell page and log where a table has a badge reader, and no badge that may decide, or none with its PIN."""
    nobody = staff.nobody_decides or pins.nobody_has_one(staff.may_decide)
    for name, slot in bridge.slots.items():
        if nobody is not None and isinstance(slot.driver, BadgeDriver):
            bridge.tell(name, f"{name}: {nobody}")


def _unwell(daemon: Daemon) -> Callable[[], str | None]:
    progress = SyncProgress()

    def reason() -> str | None:
        if not journal_thread_lives():
            return "the journal's thread is gone"
        if progress.hangs(daemon.journal.health):
            return "the disk has been silent for too long"
        return loop_unwell(daemon.lag)

    return reason
