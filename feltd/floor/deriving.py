"""Beside custody: facts made of the rows that have come, journal by journal, never in the way of tables that send."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from feltd.custody.errors import CustodyError, FloorAwayError, FloorDamagedError, FloorUnfitError
from feltd.floor.again import again_and_again
from feltd.floor.engine import Engine
from feltd.floor.facts import Behind, Fact, Reading

LOOK_EVERY: Final = 1.0
"""Seconds."""
BATCHES: Final = 20
_log = logging.getLogger("feltd.floor")


class Deriving:
    """Makes facts. `on_facts` is called when some were kept."""

    def __init__(self, engine: Engine, on_facts: Callable[[], None] = lambda: None) -> None:
        self._engine = engine
        self._on_facts = on_facts
        self._shut: set[bytes] = set()
        """Journals with a batch that cannot be read: `feltd floor verify` names it."""

    async def run(self) -> None:
        """Make facts until cancelled. A database that is away is asked again."""
        await again_and_again(self.turn, "facts", LOOK_EVERY)

    async def turn(self) -> None:
        """Make facts of all that is there, of each journal a part in its turn. Raises FloorAwayError."""
        waiting = deque(behind for behind in await self._engine.facts.behind() if behind.journal not in self._shut)
        while waiting:
            behind = waiting.popleft()
            try:
                rest = await self._part(behind)
                if rest is not None:
                    waiting.append(rest)
            except CustodyError as fault:
                if isinstance(fault, FloorAwayError) and not isinstance(fault, FloorDamagedError | FloorUnfitError):
                    raise
                self._shut.add(behind.journal)
                _log.error("journal %s: no facts are made of it any more: %s", behind.journal.hex(), fault)

    async def _part(self, behind: Behind) -> Behind | None:
        """Make facts of a part of a journal; what is left of it, None for nothing."""
        reading = Reading.from_text(behind.state)
        batches = await self._engine.batches(behind.journal, behind.seq, BATCHES)
        begun, seq = time.thread_time(), behind.seq
        facts: list[Fact] = []
        for batch in batches:
            for row in batch.rows[max(0, seq + 1 - batch.first) :]:
                seq += 1
                fact = reading.take(seq, row)
                if fact is not None:
                    facts.append(fact)
        if seq == behind.seq:
            return None
        state = reading.to_text()
        if not await self._engine.facts.keep(behind, seq, state, facts):
            return None
        if facts:
            self._on_facts()
        await asyncio.sleep(time.thread_time() - begun)  # of a long record at most half of the processor
        return Behind(behind.journal, behind.head, seq, state) if seq < behind.head else None
