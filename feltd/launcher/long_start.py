"""A start that takes long, because much of the record is played again: systemd, page and display hear how far it is.

The table's loop plays and does nothing else meanwhile. So the door and the devices have a thread and a loop of their
own until the table is there.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import TracebackType
from typing import Final, Self

from feltd.door.serving.listener import ShutDoor, listening
from feltd.door.wire.messages import Hello, Refused, Welcome
from feltd.table.config.config import TableConfig
from feltd.table.daemon.daemon import DoorPlace
from feltd.table.daemon.out_of_order import waiting_devices
from feltd.table.host.health import ServiceManager
from feltd.table.keeper.recovery import Progress
from feltd.table.links.display_words import StoppedBy

TELL_EVERY: Final = 1.0
"""Seconds between two words to systemd."""
MORE_SECONDS: Final = 30.0
"""Seconds until a start must have got on. Then systemd ends it, but not before the unit's `TimeoutStartSec`."""
SHOWN_AFTER: Final = 3.0
"""Seconds after which page and display show a start. Most starts are over by then."""
LOGGED_EVERY: Final = 10.0
"""Seconds between two lines of the log."""
DISPLAYED_EVERY: Final = 2.0
"""Seconds between two texts of the display."""

_log = logging.getLogger("feltd")

Show = Callable[[Callable[[], Progress]], AbstractContextManager[None]]
"""Shows how far a start is, for as long as the block lasts; it asks."""


class LongStart:
    """What is told of a start, and to whom. In a `with` block around it.

    It asks for time only when something was done: a start that hangs is ended by systemd.
    """

    def __init__(self, manager: ServiceManager, show: Show, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._manager = manager
        self._show = show
        self._monotonic = monotonic
        self._begun = self._told = self._logged = monotonic()
        self._shows = False
        self._shown = ExitStack()
        self._now: Progress | None = None

    def told(self, progress: Progress) -> None:
        """Something was done."""
        first, self._now = self._now is None, progress
        now = self._monotonic()
        if not first and now - self._told < TELL_EVERY:
            return
        self._told = now
        self._manager.starting(str(progress), seconds=MORE_SECONDS)
        if now - self._logged >= LOGGED_EVERY:
            self._logged = now
            _log.info("the table starts and %s", progress)
        if not self._shows and now - self._begun >= SHOWN_AFTER:
            self._shows = True
            self._shown.enter_context(self._show(lambda: self._now or progress))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The start is over: the door and the devices are left to the table."""
        self._shown.close()


class StartingDoor(ShutDoor):
    """Tells everybody who comes how far the start is."""

    def __init__(self, now: Callable[[], Progress]) -> None:
        self._now = now

    def receive(self, hello: Hello) -> Welcome | Refused:
        """Nobody is let in."""
        return Refused(str(self._now()), starting=True)


def shown_by(config: TableConfig, place: DoorPlace) -> Show:
    """Return what shows a start at the table's door and on its devices."""

    @contextmanager
    def show(now: Callable[[], Progress]) -> Iterator[None]:
        loop = asyncio.new_event_loop()
        over = asyncio.Event()
        thread = threading.Thread(target=loop.run_forever, name="long start")
        thread.start()
        task = asyncio.run_coroutine_threadsafe(_showing(config, place, now, over), loop)
        try:
            yield
        finally:
            loop.call_soon_threadsafe(over.set)
            try:
                task.result()
            except Exception as fault:  # noqa: BLE001 - what cannot be shown keeps no table from starting
                _log.error("the start could not be shown: %s", fault)
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    return show


async def _showing(config: TableConfig, place: DoorPlace, now: Callable[[], Progress], over: asyncio.Event) -> None:
    bridge = waiting_devices(config, _on_display(now()))
    async with listening(place.socket, place.uid, StartingDoor(now), place.reader):
        links = asyncio.create_task(bridge.run(), name="links")
        try:
            while not over.is_set():
                try:
                    async with asyncio.timeout(DISPLAYED_EVERY):
                        await over.wait()
                except TimeoutError:
                    bridge.stop_play(_on_display(now()), StoppedBy.STARTING)
        finally:
            links.cancel()
            await asyncio.gather(links, return_exceptions=True)


def _on_display(progress: Progress) -> str:
    return f"{progress.percent} %"
