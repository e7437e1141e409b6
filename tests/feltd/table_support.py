"""A keeper with a real table and a real journal, and everything around it made of test stuff."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.record import Source
from feltd.table.journal import Journal
from feltd.table.keeper.clock import TableClock
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.recovery import Recovered, recover
from feltd.text.errors import JournalError
from table_fsm.events import Event, TableOpen
from table_fsm.library import load_library
from table_fsm.outputs import Output
from table_fsm.rulebook import Rulebook

KEY = bytes(range(32))
BOOT = b"bootboot"
HOLDEM = "tas-2018-holdem"
UTH = "act-2019-uth"
STAR = "star-2025-holdem"
BOOKS: dict[str, Rulebook] = load_library(rulebook_sources(), structure_sources())


class FakeTime:
    """Monotonic and wall clock, moved by hand."""

    def __init__(self) -> None:
        self.monotonic = 1000.0
        self.wall = 1_800_000_000.0

    def pass_(self, seconds: float) -> None:
        self.monotonic += seconds
        self.wall += seconds


@dataclass
class FakeIndicators:
    """Notes what it is told."""

    sent: list[Output] = field(default_factory=list)
    observed: list[Event] = field(default_factory=list)
    acknowledged: list[tuple[str, int]] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)
    stopped: str | None = None
    stops: int = 0

    def observe(self, event: Event) -> None:
        self.observed.append(event)

    def send(self, outputs: Sequence[Output]) -> None:
        self.sent += outputs

    def stop_play(self, why: str) -> None:
        self.stopped = why
        self.stops += 1

    def resume_play(self) -> None:
        self.stopped = None

    def acknowledge(self, source: Source) -> None:
        self.acknowledged.append((source.device, source.seq))

    def fault(self, device: str, text: str, times: int = 1) -> None:
        self.faults += [(device, text)] * times


class Bench:
    """Keeper, journal, table, clock. Made within a running loop."""

    def __init__(self, folder: Path, time: FakeTime | None = None, key: bytes = KEY, **journal: Any) -> None:
        self.time = time or FakeTime()
        self.journal = Journal.open(
            folder / "table.journal", key, monotonic=lambda: self.time.monotonic, wall=lambda: self.time.wall, **journal
        )
        self.recovered: Recovered = recover(self.journal, BOOKS)
        self.indicators = FakeIndicators()
        self.clock = TableClock(
            self.recovered.last_t or 0.0, monotonic=lambda: self.time.monotonic, wall=lambda: self.time.wall
        )
        self.changes = 0
        self.tell: Callable[[], None] = lambda: None
        """Told of every change."""
        self.keeper = TableKeeper(
            self.recovered.table, self.journal, self.clock, self.indicators, self.recovered.standing,
            changed=self._changed,
        )  # fmt: skip
        self.failures: list[JournalError] = []
        self.journal.on_synced(self.keeper.synced)
        self.journal.on_failed(self._failed)
        self.journal.on_recovered(self.keeper.journal_recovered)

    def _changed(self) -> None:
        self.changes += 1
        self.tell()

    def _failed(self, error: JournalError) -> None:
        self.failures.append(error)
        self.keeper.journal_failed(error)

    def take(self, kind: type[Any], /, *, by: str | None = None, seq: int = 0, **fields: Any) -> None:
        """One event for the table, by a device or by nobody."""
        source = None if by is None else Source(by, BOOT, seq)
        self.keeper.deliver(Delivery(by or "test", lambda t: [kind(t=t, **fields)], source))

    def open_table(self, book: str = HOLDEM) -> None:
        self.keeper.open_with(opening(book))

    async def synced(self) -> None:
        """Everything appended is on the disk, and whoever waits for that has been told."""
        await self.journal.flush()
        for _ in range(3):
            await asyncio.sleep(0)


def opening(book: str = HOLDEM) -> TableOpen:
    options: dict[str, Any] = {"blinds": [100, 200]} if book == HOLDEM else {"table_min": 500}
    return TableOpen(t=0.0, rulebook=book, seats=[1, 2, 3], options=options, button=3 if book == HOLDEM else None)


def tournament_opening(structure: str = "two-bullet") -> TableOpen:
    """A table of The Star's: five players, levels of twenty minutes."""
    options: dict[str, Any] = {"tournament": True, "structure": structure}
    return TableOpen(t=0.0, rulebook=STAR, seats=[1, 2, 3, 4, 5], options=options, button=5)
