"""Beside custody: facts made of the rows that have come, journal by journal, never in the way of tables that send."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from feltd.custody.errors import CustodyError, FloorAwayError, FloorDamagedError, FloorUnfitError
from feltd.floor.again import again_and_again
from feltd.floor.engine import Batch, Engine
from feltd.floor.facts import Behind, Fact, Made, Reading

LOOK_EVERY: Final = 1.0
"""Seconds."""
BATCHES: Final = 20
"""Of a journal, read at once."""
MANY: Final = 50
"""Journals that are read and kept together. Each for itself, a thousand tables that play cost the database as many
commits a second, which is most of what a floor does."""
LITTLE: Final = 100
"""Entries that a journal of these has at most: one with more, whose table was away, is read alone."""
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
            waiting += await self._some(_next(waiting))

    async def _some(self, together: Sequence[Behind]) -> list[Behind]:
        """Make facts of a part of each of these journals; what is left of them. One that cannot be read is shut out."""
        try:
            return await self._parts(together)
        except CustodyError as fault:
            if isinstance(fault, FloorAwayError) and not isinstance(fault, FloorDamagedError | FloorUnfitError):
                raise
            if len(together) > 1:  # which of them it is shows where each is read for itself
                return [rest for behind in together for rest in await self._some([behind])]
            self._shut.add(together[0].journal)
            _log.error("journal %s: no facts are made of it any more: %s", together[0].journal.hex(), fault)
            return []

    async def _parts(self, together: Sequence[Behind]) -> list[Behind]:
        asked = [(behind.journal, behind.seq) for behind in together]
        read = await self._engine.batches_of_many(asked, BATCHES)
        begun = time.thread_time()
        found = (_made(behind, batches) for behind, batches in zip(together, read, strict=True))
        made = [one for one in found if one is not None]
        if not made:
            return []
        spent = time.thread_time() - begun
        kept = await self._engine.facts.keep(made)
        ours = [one for one, is_kept in zip(made, kept, strict=True) if is_kept]
        if any(one.facts for one in ours):
            self._on_facts()
        await asyncio.sleep(spent)  # of a long record at most half of the processor
        return [one.rest for one in ours if one.after < one.behind.head]


def _next(waiting: deque[Behind]) -> list[Behind]:
    """The journals whose turn it is: those with little to read together, one with much alone."""
    together = [waiting.popleft()]
    while waiting and len(together) < MANY and _has_little(together[-1]) and _has_little(waiting[0]):
        together.append(waiting.popleft())
    return together


def _has_little(behind: Behind) -> bool:
    return behind.head - behind.seq <= LITTLE


def _made(behind: Behind, batches: Sequence[Batch]) -> Made | None:
    """The facts of these batches; None where they have nothing new."""
    reading, seq = Reading.from_text(behind.state), behind.seq
    facts: list[Fact] = []
    for batch in batches:
        for number, row in batch.behind(seq):
            seq = number
            fact = reading.take(seq, row)
            if fact is not None:
                facts.append(fact)
    return None if seq == behind.seq else Made(behind, seq, reading.to_text(), facts)
