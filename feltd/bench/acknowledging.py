"""Measures the time from an event to its synced acknowledgement.

One bare `fdatasync` on the same disk is measured beside it, interleaved.
"""

import asyncio
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from feltd.record.entries import Source
from feltd.table.journal.journal import Journal
from feltd.text.errors import JournalClosed, JournalError
from table_fsm.events import CardPlaced
from table_fsm.outputs import Output, Phase
from table_fsm.prompts.types import Deal

BLOCK: Final = 4096
FIXED_BLOCKS: Final = 256
WARM_UP: Final = 200
"""Events before the first that counts: the log has been round once by then, as it has on a table after some minutes."""


@dataclass(slots=True)
class Measured:
    """Seconds each, one value an event, in the order measured.

    `append`: what the event loop spends on an event with two outputs. `acknowledged`: from before that to the callback
    in the loop that may acknowledge. `bare_append`: write 4 KiB at the end of a file, `fdatasync`. `bare_overwrite`:
    the same within a file that has its size already (as the log has, once it is used again).
    """

    append: list[float] = field(default_factory=list)
    acknowledged: list[float] = field(default_factory=list)
    bare_append: list[float] = field(default_factory=list)
    bare_overwrite: list[float] = field(default_factory=list)


async def measure_acknowledgements(directory: Path, *, events: int = 1000, pause: float = 0.003) -> Measured:
    """Write a journal of `events` events with two outputs each in an empty `directory`.

    Events come `pause` seconds apart. Between two events one bare `fdatasync` of either kind is taken. Raises
    JournalError, OSError; both where the disk refuses in the middle.
    """
    measured = Measured()
    journal = Journal.open(directory / "measured.journal", os.urandom(32))
    growing = os.open(directory / "growing", os.O_WRONLY | os.O_CREAT, 0o600)
    fixed = os.open(directory / "fixed", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(fixed, bytes(BLOCK) * FIXED_BLOCKS)
        os.fsync(fixed)
        device = _Device(journal)
        journal.begin_round(1)
        for number in range(WARM_UP + events):
            append, acknowledged = await device.event(number)
            measured.append.append(append)
            measured.acknowledged.append(acknowledged)
            measured.bare_append.append(_bare(growing, number))
            measured.bare_overwrite.append(_bare(fixed, number % FIXED_BLOCKS))
            await asyncio.sleep(pause)
    except JournalError:
        with suppress(JournalClosed):  # it would hide what the disk said
            journal.close()
        raise
    finally:
        os.close(growing)
        os.close(fixed)
        journal.close()
    for values in (measured.append, measured.acknowledged, measured.bare_append, measured.bare_overwrite):
        del values[:WARM_UP]
    return measured


class _Device:
    """Sends one event after the other, each when the one before has been acknowledged."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._last = 0
        self._answered = asyncio.Event()
        self._refused: JournalError | None = None
        journal.on_synced(self._synced)
        journal.on_failed(self._failed)

    def _synced(self, seq: int) -> None:
        if seq >= self._last:
            self._answered.set()

    def _failed(self, error: JournalError) -> None:
        self._refused = error
        self._answered.set()

    async def event(self, number: int) -> tuple[float, float]:
        """Seconds to append, and until acknowledged. Raises JournalError where the disk refuses."""
        journal, t, digest = self._journal, float(number), "5e" * 32
        self._answered.clear()
        event = CardPlaced(t=t, zone="seat:3", card="As", deck="blue")
        phase = Output(t, Phase("dealing", "pre_flop"))
        prompt = Output(t, Deal("seat:4", "down"))
        source = Source("reader:seats", b"measured", number)
        started = time.perf_counter()
        with journal.together():
            journal.append_event(event, source=source, round_number=1, rulebook_digest=digest)
            journal.append_output(phase, round_number=1, rulebook_digest=digest)
            self._last = journal.append_output(prompt, round_number=1, rulebook_digest=digest)
        appended = time.perf_counter() - started
        if self._refused is None:
            await self._answered.wait()
        if self._refused is not None:
            raise self._refused
        return appended, time.perf_counter() - started


def _bare(descriptor: int, block: int) -> float:
    content = os.urandom(BLOCK)
    started = time.perf_counter()
    os.pwrite(descriptor, content, block * BLOCK)
    os.fdatasync(descriptor)
    return time.perf_counter() - started
