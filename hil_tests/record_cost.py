"""What the record costs a card: bytes that a machine's file system wrote to its disk, to the events of the evening."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.record import EntryKind, HostEntry, JournalReader, Span
from hil_tests.machine.disk import Flush, Write
from hil_tests.power import Evening

ROUNDS_A_DAY: Final = 600
"""Thirty an hour, twenty hours."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes and flushes from the beginning of play to its good end, and what happened in that time."""

    written: int
    flushes: int
    events: int
    rounds: int

    @property
    def a_day(self) -> float:
        """Bytes in a day of `ROUNDS_A_DAY` rounds."""
        return self.written / max(1, self.rounds) * ROUNDS_A_DAY

    def __str__(self) -> str:
        events, rounds = max(1, self.events), max(1, self.rounds)
        return (
            f"{self.written / events / 1024:.1f} KiB and {self.flushes / events:.2f} flushes an event, "
            f"{self.written / rounds / 1024:.0f} KiB a round ({self.events} events, {self.rounds} rounds); "
            f"{self.a_day / (1 << 20):.0f} MiB a day of {ROUNDS_A_DAY} rounds"
        )


def cost_of(evening: Evening, found: Path) -> Cost:
    """Of an evening whose journal is found in this folder."""
    asked = evening.log[evening.begun :]
    with JournalReader.open(found / "table.journal") as reader:
        events = sum(1 for _ in reader.rows(Span(kind=EntryKind.EVENT)))
        ended = sum(1 for _ in reader.rows(Span(kind=EntryKind.HOST, name=HostEntry.ROUND_END)))
    return Cost(
        sum(len(one.data) for one in asked if isinstance(one, Write)),
        sum(isinstance(one, Flush) for one in asked),
        events,
        ended,
    )
