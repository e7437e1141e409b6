"""A whole table that plays for a long time: processes of its own, faults of its wires, a reader at its page."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from devices.simulated.errors import CroupierStuckError
from devices.simulated.people.dealer import Dealer
from devices.simulated.people.game import Game
from devices.simulated.things.equipment import Equipment, lay_out
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.record import JournalReader, RecordedEvent
from feltd.record.verify import verify
from feltd.simulated.games import game_for, options_for
from feltd.simulated.plan import SEATS
from feltd.simulated.setting_up import write_config
from feltd.table.config.key_files import read_key
from table_fsm.library import load_library
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.devices.together import together
from tests.feltd.kill_support import DaemonProcess, GrowingRecord, JournalFeed, last_events
from tests.ports import free_port
from tests.soak.floor_beside import FloorBeside
from tests.soak.looking import Sample, child, grown, look

MISTAKES: Final = 0.3
"""Share of the rounds in which something goes wrong."""
WIRE_FAULTS: Final = 0.001
"""Share of the dealer's motions before which a wire is noisy or silent, or a device starts anew."""
PATIENCE: Final = 900.0
"""Seconds for a page to come up on a machine with much else to do: on a quiet one it takes two."""
LOOKS: Final = 100
"""Samples of the processes, evenly over the events."""


@dataclass(frozen=True, slots=True)
class Soaked:
    """How one book's run went.

    `seconds`: of play; `read`: bytes that the page's reader got; `samples`: of the table's process; `others`: of its
    page, of the dealer with the devices, and of the uplink and floord where a floor was beside it; `faults`: what must
    not be, in words.
    """

    book: str
    rounds: int
    events: int
    seconds: float
    record_bytes: int
    read: int
    samples: tuple[Sample, ...]
    others: Mapping[str, Sequence[Sample]]
    faults: tuple[str, ...]


@dataclass(slots=True)
class PageReader:
    """A reader of the page's events, who begins anew whenever the stream ends."""

    port: int
    read: int = field(default=0)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once something was read."""

    async def run(self) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                incoming, outgoing = await asyncio.open_connection("127.0.0.1", self.port)
                outgoing.write(f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
                try:
                    while data := await incoming.read(1 << 16):
                        self.read += len(data)
                        self.came.set()
                finally:
                    outgoing.close()
            await asyncio.sleep(1.0)


def door_of(folder: Path) -> Path:
    """Where a table whose files are there is asked."""
    return folder / "table.journal.door"


async def soak(
    book: Rulebook, folder: Path, events: int, seed: int, start_floor: Callable[[], FloorBeside] | None = None
) -> Soaked:
    """Play a book at a table of its own until its record has so many events; files go to `folder`. `start_floor`:
    starts a floor that is to have the whole record at the end."""
    options = options_for(book)
    game = game_for(book, SEATS, options, seed=seed, mistake_rate=MISTAKES)
    equipment = lay_out(folder, game)
    port = free_port()
    config = write_config(equipment, game, options, "127.0.0.1", port)
    journal = folder / "table.journal"
    daemon, record = DaemonProcess(config, folder), GrowingRecord(journal)
    feed, reader = JournalFeed(journal, daemon, len(equipment.devices)), PageReader(port)
    samples: list[Sample] = []
    page: list[Sample] = []
    hands: list[Sample] = []
    faults: list[str] = []
    start = time.monotonic()
    try:
        async with together(equipment):
            await daemon.start()
            await daemon.ready()
            floor = start_floor() if start_floor is not None else None
            tasks = [asyncio.create_task(reader.run())]
            faults += await page_faults(reader)
            tasks.append(asyncio.create_task(_deal(game, equipment, feed)))
            while (done := record.look().events) < events:
                if not samples or done >= samples[-1].events + events / LOOKS:
                    samples.append(look(daemon.pid, done))
                    hands.append(look(os.getpid(), done))
                    if (serving := child(daemon.pid, "page")) is not None:
                        page.append(look(serving, done))
                    if floor is not None:
                        floor.look(done)
                if tasks[-1].done():
                    tasks[-1].result()
                await asyncio.sleep(0.5)
            samples.append(look(daemon.pid, record.look().events))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            said = await last_events(equipment)
            if floor is not None:
                faults += await floor.faults(journal, read_key(folder / "journal.key"), PATIENCE)
                floor.look(record.look().events)
            ended = await daemon.stop()
    finally:
        feed.close()
        record.close()
        await daemon.close()
    faults += [f"feltd ended with {ended}: {daemon.log()}"] if ended else []
    faults += [] if page else ["the page's process was never seen"]
    judged = {"page": page, **(floor.seen if floor is not None else {})}
    faults += [f"{name}: {fault}" for name, those in judged.items() if those for fault in grown(those)]
    seen = {**judged, "dealer and devices": hands}
    soaked = Soaked(book.id, 0, 0, time.monotonic() - start, 0, reader.read, tuple(samples), seen, tuple(faults))
    return _judged(soaked, folder, said)


async def page_faults(reader: PageReader, patience: float = PATIENCE) -> list[str]:
    """Wait until the page's reader gets something: a page comes up long after its table where much else runs, and a
    table that plays without one shows less. What is wrong where it gets nothing for so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await reader.came.wait()
    return [] if reader.came.is_set() else [f"no page was reached within {patience:g} s"]


def _judged(soaked: Soaked, folder: Path, said: dict[str, tuple[str, int]]) -> Soaked:
    """With what its record shows."""
    journal, key = folder / "table.journal", read_key(folder / "journal.key")
    rounds, again = _replay(journal, key)
    found = (*soaked.faults, *_record_faults(journal, key), *_missing(again, said), *grown(soaked.samples))
    size = sum(file.stat().st_size for file in folder.glob("table.journal*"))
    return replace(soaked, rounds=rounds, events=len(again), record_bytes=size, faults=found)


async def _deal(game: Game, equipment: Equipment, feed: JournalFeed) -> None:
    """One dealer after the other: who is at a loss leaves."""
    while True:
        with suppress(CroupierStuckError):
            await Dealer(game, equipment, feed, pace=0, wire_fault_rate=WIRE_FAULTS).run()
        feed.tell_again()


def _replay(journal: Path, key: bytes) -> tuple[int, list[RecordedEvent]]:
    table = Table(load_library(rulebook_sources(), structure_sources()))
    with JournalReader.open(journal, key) as reader:
        events = list(reader.events_since(0, until=reader.head().seq))
    for recorded in events:
        table.apply(recorded.event)
    return table.round_number, events


def _record_faults(journal: Path, key: bytes) -> list[str]:
    with JournalReader.open(journal, key) as reader:
        verdict = verify(reader)
    return [] if verdict.sound and verdict.authenticated else [f"the record: {fault}" for fault in verdict.faults]


def _missing(events: list[RecordedEvent], said: dict[str, tuple[str, int]]) -> list[str]:
    """Every device's events are in the record: of its last boot from 1 to the last it made, each once, in order."""
    found = []
    for device, (boot, last) in said.items():
        taken = [
            recorded.source.seq
            for recorded in events
            if recorded.source is not None
            and recorded.source.device == device
            and recorded.source.boot_id.hex() == boot
        ]
        if taken != list(range(1, last + 1)):
            found.append(f"{device}: it made {last} events since its last start, the record has {len(taken)}")
    return found
