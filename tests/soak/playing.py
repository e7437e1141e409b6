"""A whole table that plays for a long time: processes of its own, faults of its wires, a reader at its page."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from devices.simulated.errors import CroupierStuckError
from devices.simulated.people.dealer import Dealer
from devices.simulated.people.game import Game
from devices.simulated.things.equipment import Equipment, lay_out
from feltd.simulated.games import game_for, options_for
from feltd.simulated.plan import SEATS
from feltd.simulated.setting_up import write_config
from feltd.table.config.key_files import read_key
from table_fsm.rulebook import Rulebook
from tests.devices.together import together
from tests.feltd.kill_support import DaemonProcess, last_events
from tests.ports import free_port
from tests.soak.feed import TableFeed
from tests.soak.floor_beside import FloorBeside
from tests.soak.looking import Sample, child, look
from tests.soak.page_reader import PageReader
from tests.soak.stretches import End, StretchFile

MISTAKES: Final = 0.3
"""Share of the rounds in which something goes wrong."""
WIRE_FAULTS: Final = 0.001
"""Share of the dealer's motions before which a wire is noisy or silent, or a device starts anew."""
PATIENCE: Final = 900.0
"""Seconds for a page to come up, or for the next event, on a machine with much else to do: a quiet one takes two."""
LOOKS: Final = 100
"""Samples of the processes, evenly over the events."""
DEALER: Final = "dealer and devices"
"""The name of the process that plays: it is no part of feltd, and is not judged."""
_PAUSE: Final = 0.5
"""Seconds between two looks at how far the record is."""


def journal_of(folder: Path) -> Path:
    """The record of a table whose files are there."""
    return folder / "table.journal"


def door_of(folder: Path) -> Path:
    """Where a table whose files are there is asked."""
    return folder / "table.journal.door"


def master_key(folder: Path) -> bytes:
    """The key of a record whose files are there."""
    return read_key(folder / "journal.key")


class Playing:
    """One stretch of a book at its table: from its record as it is, where there is one, until that has so many events.

    `file`: takes what is seen. `start_floor`: starts a floor that is to have the whole record at the end.
    """

    def __init__(
        self,
        book: Rulebook,
        folder: Path,
        events: int,
        seed: int,
        file: StretchFile,
        start_floor: Callable[[], FloorBeside] | None = None,
    ) -> None:
        options = options_for(book)
        self._game = game_for(book, SEATS, options, seed=seed, mistake_rate=MISTAKES)
        self._equipment = lay_out(folder, self._game)
        port = free_port()
        self._folder = folder
        self._wanted = events
        self._daemon = DaemonProcess(write_config(self._equipment, self._game, options, "127.0.0.1", port), folder)
        self._feed = TableFeed(journal_of(folder), len(self._equipment.devices))
        self._reader = PageReader(port)
        self._file = file
        self._start_floor = start_floor
        self._floor: FloorBeside | None = None
        self._stop = asyncio.Event()
        self._begun = time.monotonic()
        self._pages = 0

    def stop(self) -> None:
        """End the stretch in good order."""
        self._stop.set()

    async def run(self) -> bool:
        """Play; whether the record has all of its events now. Every process has ended then, and what went wrong is in
        the file."""
        said: dict[str, tuple[str, int]] = {}
        faults: list[str] = []
        try:
            self._feed.look()
            async with together(self._equipment):
                try:
                    faults += await self._through(said)
                finally:
                    await self._daemon.close()
        except (AssertionError, OSError) as wrong:
            faults.append(f"{wrong!r}: {self._daemon.log()}")
        finally:
            self._feed.close()
            await self._daemon.close()
        self._file.ended(End(said, tuple(faults)))
        return self._is_played and not self._stop.is_set()

    async def _through(self, said: dict[str, tuple[str, int]]) -> list[str]:
        await self._daemon.start()
        await self._ready()
        if self._stop.is_set():
            return []
        self._floor = self._start_floor() if self._start_floor is not None else None
        faults = await self._play()
        said.update(await asyncio.wait_for(last_events(self._equipment), PATIENCE))
        if self._floor is not None and self._is_played and not self._stop.is_set():
            faults += await self._floor.faults(journal_of(self._folder), master_key(self._folder), PATIENCE)
        self._look()
        ended = await self._daemon.stop()
        return [*faults, f"feltd ended with {ended}: {self._daemon.log()}"] if ended else faults

    async def _play(self) -> list[str]:
        """Until the record has its events, or the stretch is to end."""
        reading = asyncio.create_task(self._reader.run())
        dealing: asyncio.Task[None] | None = None
        try:
            faults = await page_faults(self._reader, self._stop)
            dealing = asyncio.create_task(_deal(self._game, self._equipment, self._feed))
            await self._watch(dealing)
        finally:
            tasks = [task for task in (reading, dealing) if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return faults if self._pages or self._stop.is_set() else [*faults, "the page's process was never seen"]

    async def _watch(self, dealing: "asyncio.Task[None]") -> None:
        """Look at all processes now and then. Fails where one has ended, or where nothing happens any more."""
        self._look()  # also where all is played already, and this stretch has to be judged alone
        next_look, last, came = self._feed.events + self._wanted / LOOKS, self._feed.events, time.monotonic()
        while not self._is_played and not self._stop.is_set():
            if self._feed.events >= next_look:
                self._look()
                next_look = self._feed.events + self._wanted / LOOKS
            if self._feed.events > last:
                last, came = self._feed.events, time.monotonic()
            assert time.monotonic() < came + PATIENCE, f"no event for {PATIENCE:g} s, after {last} of them"
            self._daemon.assert_runs()
            if dealing.done():
                dealing.result()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), _PAUSE)
            self._feed.look()

    @property
    def _is_played(self) -> bool:
        return self._feed.events >= self._wanted

    def _look(self) -> None:
        """One look at all processes."""
        events = self._feed.look().events
        seen: dict[str, Sample] = {"table": look(self._daemon.pid, events)}
        if (serving := child(self._daemon.pid, "page")) is not None:
            seen["page"] = look(serving, events)
            self._pages += 1
        seen |= {} if self._floor is None else self._floor.look(events)
        seen[DEALER] = look(os.getpid(), events)
        self._file.looked(time.monotonic() - self._begun, self._reader.read, seen)

    async def _ready(self) -> None:
        """Wait until the daemon is ready, or the stretch is to end."""
        waiting: list[asyncio.Task[Any]] = [
            asyncio.create_task(self._daemon.ready()),
            asyncio.create_task(self._stop.wait()),
        ]
        done = await first_of(waiting, PATIENCE)
        assert done, f"feltd was not ready within {PATIENCE:g} s"
        done.pop().result()


async def first_of(waiting: "list[asyncio.Task[Any]]", patience: float) -> "set[asyncio.Task[Any]]":
    """Wait for the first of these, and leave the others; none is given where the seconds have passed before."""
    done, left = await asyncio.wait(waiting, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    return done


async def page_faults(reader: PageReader, stop: asyncio.Event, patience: float = PATIENCE) -> list[str]:
    """Wait until the page's reader gets something: a page comes up long after its table where much else runs, and a
    table that plays without one shows less. What is wrong where it gets nothing for so many seconds."""
    waiting: list[asyncio.Task[Any]] = [asyncio.create_task(reader.came.wait()), asyncio.create_task(stop.wait())]
    return [] if await first_of(waiting, patience) else [f"no page was reached within {patience:g} s"]


async def _deal(game: Game, equipment: Equipment, feed: TableFeed) -> None:
    """One dealer after the other: who is at a loss leaves."""
    while True:
        feed.takes_over()
        with suppress(CroupierStuckError):
            await Dealer(game, equipment, feed, pace=0, wire_fault_rate=WIRE_FAULTS).run()
