"""The daemon of one table: everything put together, started, watched and stopped.

Order of a start: configuration and rulebooks, the journal, the table as the journal left it, the page, the links; then
the service manager is told. Order of a stop: links, page, journal.
"""

import asyncio
import gc
import logging
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from feltd.table.check.check import book_sources, structure_sources_of
from feltd.table.config.config import TableConfig
from feltd.table.host.health import (
    LoopLag,
    ServiceManager,
    SyncProgress,
    feed_watchdog,
    journal_thread_lives,
    loop_unwell,
)
from feltd.table.host.logs import set_up_logging
from feltd.table.journal import Journal, JournalState
from feltd.table.keeper.clock import TableClock, resumed_at
from feltd.table.keeper.deliveries import GivenRuling
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.recovery import Recovered, recover, state_mark
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.counters_note import CountersNote
from feltd.table.links.hotplug import HotPlug
from feltd.table.links.pins import add_stations, pin_groups
from feltd.table.workshop.workshop import Workshop
from feltd.text.errors import FeltdError
from table_fsm.errors import RulebookError
from table_fsm.events import Event, TableOpen
from table_fsm.library import load_library
from table_fsm.outputs import Output
from table_fsm.rulebook import Rulebook

if TYPE_CHECKING:
    from feltd.page.opening import OpenPage

BEAT: Final = 1.0
"""Seconds between two looks at the time."""
RETRY_EVERY: Final = 2.0
"""Seconds between two attempts of a journal that the disk refused."""
GRACE: Final = 3.0
"""Seconds that devices have to come up at the start, before those that have not are called missing."""
IDLE_BEFORE_WARMING: Final = 0.5
START_NOTE: Final = "feltd starts"

_log = logging.getLogger("feltd")


class StoppedByFailureError(FeltdError):
    """The daemon ended because something of its own failed."""


@dataclass(slots=True)
class Daemon:
    """A running table. What may be done with it from within the same process."""

    config: TableConfig
    keeper: TableKeeper
    bridge: Bridge
    journal: Journal
    recovered: Recovered
    workshop: Workshop
    lag: LoopLag
    address: str

    def open_with(self, opening: TableOpen) -> None:
        """Play under this opening: now if between two rounds, else after the round."""
        self.keeper.open_with(opening)

    def on_outputs(self, listener: Callable[[Event, Sequence[Output]], None]) -> None:
        """Have `listener` told of each event and what the table said to it."""
        self.keeper.on_outputs(listener)


def run(config: TableConfig) -> None:
    """Run a table until SIGTERM or SIGINT. Raises FeltdError where it cannot start, or something failed."""
    set_up_process()
    asyncio.run(_run(config))


def set_up_process() -> None:
    """The log, and who may read what is written: the service and its group."""
    set_up_logging()
    os.umask(0o027)


def asked_to_stop() -> asyncio.Event:
    """Set when SIGTERM or SIGINT comes. Within the loop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def _run(config: TableConfig) -> None:
    stop = asked_to_stop()
    async with serving(config):
        await stop.wait()


def load_books(config: TableConfig) -> Mapping[str, Rulebook]:
    """The shipped rulebooks and the table's own. Raises FeltdError with every fault of every book."""
    try:
        own = config.table.rulebooks
        return load_library(book_sources(own), structure_sources_of(own))
    except RulebookError as faults:
        raise FeltdError("rulebooks with faults:\n" + "\n".join(faults.problems)) from faults


def opening_of(config: TableConfig) -> TableOpen:
    """The `table.open` that a configuration asks for."""
    play = config.table
    return TableOpen(
        t=0.0, rulebook=play.rulebook, seats=list(play.seats), options=dict(play.options), button=play.button
    )


@asynccontextmanager
async def serving(
    config: TableConfig, *, port: int | None = None, extend: "Callable[[OpenPage], None] | None" = None
) -> AsyncIterator[Daemon]:
    """A table that runs as long as the block does. `port`: the page's, in place of the configuration's; 0 takes any.
    `extend`: adds to the page before it is served.

    Raises FeltdError where it cannot start, StoppedByFailureError where it failed later.
    """
    books = load_books(config)
    if config.table.rulebook not in books:
        raise FeltdError(f'no rulebook "{config.table.rulebook}": feltd rules lists those there are')
    keys = {device.name: device.wire_key.read() for device in config.devices if device.wire_key is not None}
    master_key = config.journal.sealing_key_file.read()
    journal = Journal.open(config.journal.path, master_key)
    try:
        daemon = _assemble(config, books, keys, journal)
        _note_start(daemon, books, master_key)
        async with _page(config, daemon, books, port, extend) as address:
            daemon.address = address
            async with _at_work(daemon):
                yield daemon
    finally:
        journal.close()


def _assemble(
    config: TableConfig, books: Mapping[str, Rulebook], keys: Mapping[str, bytes], journal: Journal
) -> Daemon:
    """Table, clock, bridge and keeper from what the journal holds."""
    groups = pin_groups(config.pins)
    drivers = make_drivers(config.devices) | {group.name: group.driver() for group in groups}

    def observe(event: Event) -> None:
        for driver in drivers.values():
            driver.observe(event)

    recovered = recover(journal, books, observe)
    start, believed = resumed_at(recovered.last_t, recovered.last_wall, time.time())
    if not believed:
        recovered.notes.append("the wall clock cannot say how long feltd was down: table time goes on at once")
    clock = TableClock(start)
    bridge = Bridge(config.devices, keys, recovered.resume, drivers, wall=clock.wall)
    add_stations(bridge, config.pins, groups)
    keeper = TableKeeper(recovered.table, journal, clock, bridge, recovered.standing, changed=lambda: bridge.changed())
    shown = journal.reader.rulings(keeper.rulings.maxlen or 0)
    keeper.rulings.extend(GivenRuling(entry.wall, entry.body["ruling"]) for entry in shown)
    if shown:
        keeper.pending_rulings.recall(journal.reader, shown[-1].seq)
    bridge.deliver = keeper.deliver
    bridge.indicators = lambda: indicators_now(keeper)
    workshop = Workshop(config.devices, keys, keeper, bridge, journal)
    return Daemon(config, keeper, bridge, journal, recovered, workshop, LoopLag(), "")


def indicators_now(keeper: TableKeeper) -> list[Mapping[str, Any]]:
    """Everything that devices with something to show or to set should be told now."""
    view = keeper.table.view()
    said: list[Mapping[str, Any]] = [{"phase": view["phase"]}]
    if view["prompt"] is not None:
        said.append({"prompt": view["prompt"]})
    return [*said, *(output.to_dict() for output in keeper.table.indicators())]


@asynccontextmanager
async def _page(
    config: TableConfig,
    daemon: Daemon,
    books: Mapping[str, Rulebook],
    port: int | None,
    extend: "Callable[[OpenPage], None] | None",
) -> AsyncIterator[str]:
    """The page, up; its address."""
    from feltd.page.hub import Hub
    from feltd.page.opening import open_page
    from feltd.page.server import PageServer, listen
    from feltd.page.state import TableFacts

    titles = {book.id: book.title for book in books.values()}
    facts = TableFacts(config.table.name, daemon.keeper, daemon.bridge, daemon.journal, daemon.lag, titles)
    hub = Hub(facts.state)
    page = open_page(config, facts, hub, daemon.keeper, daemon.journal, daemon.workshop, books)
    if extend is not None:
        extend(page)
    listener = listen(config.page.host, config.page.port if port is None else port)
    server = PageServer(page.app, listener, page.certificate, (hub, page.feed))
    daemon.bridge.changed = hub.changed
    await server.start()
    try:
        yield server.address
    finally:
        await server.stop()
        page.desk.close()


@asynccontextmanager
async def _at_work(daemon: Daemon) -> AsyncIterator[None]:
    """Everything that goes on by itself, from the first event to the last."""
    manager = ServiceManager()
    keeper, bridge, journal = daemon.keeper, daemon.bridge, daemon.journal
    journal.on_synced(keeper.synced)
    journal.on_failed(keeper.journal_failed)
    journal.on_recovered(keeper.journal_recovered)
    if daemon.recovered.last_t is not None:
        bridge.set_before()
    keeper.open_with(opening_of(daemon.config))
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(bridge.run(), name="links"),
                group.create_task(HotPlug(daemon.config, bridge, journal).run(), name="plugs"),
                group.create_task(_beat(daemon), name="beat"),
                group.create_task(daemon.lag.measure(), name="lag"),
                group.create_task(feed_watchdog(manager, _unwell(daemon), _log.error), name="watchdog"),
                group.create_task(_first_moments(bridge), name="first moments"),
                group.create_task(_warm_up(), name="warm up"),
            ]
            manager.ready(f"{daemon.config.table.name}: {daemon.address}")
            _log.info("%s: ready, page at %s", daemon.config.table.name, daemon.address)
            yield
            manager.stopping()
            _log.info("stopping")
            bridge.leave()
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as failures:
        raise _told(failures) from failures
    finally:
        if not journal.health.error:
            journal.append_note("feltd stops")


def _told(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """The failure that ended everything, as one."""
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


def _note_start(daemon: Daemon, books: Mapping[str, Rulebook], master_key: bytes) -> None:
    recovered = daemon.recovered
    for note in recovered.notes:
        _log.warning("%s", note)
    daemon.journal.append_note(
        START_NOTE,
        {
            "state": state_mark(recovered.table, master_key),
            "rulebooks": {book.id: book.digest for book in books.values()},
            "replayed": recovered.replayed,
            "remarks": recovered.notes,
            "adapters": {device.name: device.adapter for device in daemon.config.devices if device.adapter},
        },
    )


async def _beat(daemon: Daemon) -> None:
    """Once a second: time passes, what the page shows of counters is renewed, a refused journal is tried again."""
    retried = 0.0
    counters = CountersNote(daemon.bridge, daemon.keeper, daemon.journal)
    while True:
        await asyncio.sleep(BEAT)
        daemon.keeper.beat()
        counters.beat(time.monotonic())
        daemon.workshop.beat()
        daemon.bridge.changed()
        if daemon.journal.health.state is JournalState.FAILED and time.monotonic() - retried >= RETRY_EVERY:
            retried = time.monotonic()
            daemon.journal.retry()


async def _first_moments(bridge: Bridge) -> None:
    await asyncio.sleep(GRACE)
    if not bridge.complete:
        bridge.give_up_waiting()


async def _warm_up() -> None:
    """Load what the first showdown needs, beside the loop and after the start.

    What is loaded stays for good: the collector never looks at it again, which would keep the loop of a slow board for
    half a second. There is no garbage in it to be thrown away first.
    """
    gc.freeze()
    await asyncio.sleep(IDLE_BEFORE_WARMING)
    from table_fsm.poker.hands import evaluation

    await asyncio.to_thread(evaluation.warm_up)
    gc.freeze()


def _unwell(daemon: Daemon) -> Callable[[], str | None]:
    progress = SyncProgress()

    def reason() -> str | None:
        if not journal_thread_lives():
            return "the journal's thread is gone"
        if progress.hangs(daemon.journal.health):
            return "the disk has been silent for too long"
        return loop_unwell(daemon.lag)

    return reason
