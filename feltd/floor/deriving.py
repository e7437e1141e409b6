"""Beside custody: facts made of the rows that have come, journal by journal.

Of a table that plays, facts are made as its rows come (`take`), and nothing of it is asked of the database. What is
behind, as after a start, or of a table that was away, is read there, never in the way of tables that send.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from feltd.custody.errors import CustodyError, FloorAwayError, FloorDamagedError, FloorUnfitError
from feltd.floor.again import again_and_again
from feltd.floor.engine import Batch, Engine
from feltd.floor.facts import Behind, Fact, Made, Reading
from feltd.floor.open_rows import ROW_FAULTS
from feltd.record.entries import Row

LOOK_EVERY: Final = 1.0
"""Seconds."""
BATCHES: Final = 20
"""Of a journal, read at once."""
MANY: Final = 50
"""Journals that are read and kept together. Each for itself, a thousand tables that play cost the database as many
commits a second, which is most of what a floor does."""
LITTLE: Final = 100
"""Entries that a journal of these has at most: one with more, whose table was away, is read alone."""
KEPT_FOR: Final = 30.0
"""Seconds for which how far a journal's facts are made is kept, where its rows say none: a start reads these anew."""
_log = logging.getLogger("feltd.floor")
_Told = TypeVar("_Told")


@dataclass(slots=True)
class _Going:
    """A journal of which facts are made as its rows come. `after`: the last row; `facts`: that are not kept yet."""

    kept: int
    """The entry up to which the database has its facts."""
    since: float
    """When it was kept, by the steady clock."""
    after: int
    reading: Reading
    facts: list[Fact] = field(default_factory=list)
    short: int = -1
    """The last row at a look at which the database had more rows: their batch is on its way here, or never comes."""

    def take(self, first: int, rows: Sequence[Row | None]) -> None:
        """Take the next rows."""
        self.facts += _facts(self.reading.take_row, enumerate(rows, first))
        self.after = first + len(rows) - 1

    def is_due(self, now: float) -> bool:
        """Whether it is to be kept."""
        return bool(self.facts) or (self.after > self.kept and now - self.since >= KEPT_FOR)


class Deriving:
    """Makes facts. `on_facts` is called when some were kept. Belongs to one loop."""

    def __init__(
        self,
        engine: Engine,
        on_facts: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._on_facts = on_facts
        self._clock = clock
        self._shut: set[bytes] = set()
        """Journals with a batch that cannot be read: `feltd floor verify` names it."""
        self._going: dict[bytes, _Going] = {}
        self._coming: set[bytes] = set()
        """Journals whose rows come here: once all of it is read, facts are made as they come."""

    def take(self, batch: Batch, rows: Sequence[Row | None]) -> None:
        """A batch that was just added; `rows`: as `read_rows` has read them. What does not follow is read later."""
        going = self._going.get(batch.journal)
        if len(rows) > LITTLE or going is None or going.after + 1 != batch.first:
            self._going.pop(batch.journal, None)
            self._coming.add(batch.journal)
            return
        try:
            going.take(batch.first, rows)
        except ROW_FAULTS:  # the table is not to hear of it: the batch is added
            del self._going[batch.journal]
            _log.exception("no facts are made of a row of table %s: report it as a fault", batch.table)

    async def run(self) -> None:
        """Make facts until cancelled. A database that is away is asked again."""
        await again_and_again(self.turn, "facts", LOOK_EVERY)

    async def turn(self) -> None:
        """Make facts of all that is there, of each journal a part in its turn. Raises FloorAwayError."""
        try:
            behind = [one for one in await self._engine.facts.behind() if one.journal not in self._shut]
            waiting = deque(one for one in behind if not self._goes_on(one))
            for together in _by_many([one for one in behind if self._is_due(one)]):
                await self._keep(together)
            while waiting:
                waiting += await self._some(_next(waiting))
        except FloorAwayError:
            self._going.clear()  # another server, or one that was put back, may lack what was taken
            raise

    # -- as rows come

    def _goes_on(self, behind: Behind) -> bool:
        """Whether facts of a journal are made as its rows come; where the two do not fit, it is read."""
        going = self._going.get(behind.journal)
        if going is None:
            return False
        fits = going.kept == behind.seq and going.after <= behind.head
        waits = going.after < behind.head
        if not fits or (waits and going.short == going.after):
            del self._going[behind.journal]
            return False
        going.short = going.after if waits else -1
        return True

    def _is_due(self, behind: Behind) -> bool:
        going = self._going.get(behind.journal)
        return going is not None and going.is_due(self._clock())

    async def _keep(self, together: Sequence[Behind]) -> None:
        """Keep what was made of these journals. One that cannot be kept is read, which shows which it is."""
        parts = [(self._going.pop(one.journal), one) for one in together if one.journal in self._going]
        made = [Made(one, going.after, going.reading.to_text(), going.facts) for going, one in parts]
        try:
            kept = await self._engine.facts.keep(made)
        except (FloorDamagedError, FloorUnfitError):
            return
        for (going, _), one, is_kept in zip(parts, made, kept, strict=True):
            if is_kept:
                self._goes(one, going.reading)
        self._tell([one for one, is_kept in zip(made, kept, strict=True) if is_kept])

    def _goes(self, made: Made, reading: Reading) -> None:
        self._going[made.behind.journal] = _Going(made.after, self._clock(), made.after, reading)

    def _tell(self, kept: Sequence[Made]) -> None:
        if any(one.facts for one in kept):
            self._on_facts()

    # -- what is behind

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
        found = [_made(behind, batches) for behind, batches in zip(together, read, strict=True)]
        made = [(one, reading) for one, reading in found if one.after > one.behind.seq]
        if not made:
            return []
        spent = time.thread_time() - begun
        kept = await self._engine.facts.keep([one for one, _ in made])
        ours = [both for both, is_kept in zip(made, kept, strict=True) if is_kept]
        for one, reading in ours:
            if one.after >= one.behind.head and one.behind.journal in self._coming:
                self._coming.discard(one.behind.journal)
                self._goes(one, reading)
        self._tell([one for one, _ in ours])
        await asyncio.sleep(spent)  # of a long record at most half of the processor
        return [one.rest for one, _ in ours if one.after < one.behind.head]


def _facts(take: Callable[[int, _Told], Fact | None], rows: Iterable[tuple[int, _Told]]) -> list[Fact]:
    """The facts that `take` makes of these rows, each with its number: rows as they were read, or as bytes."""
    return [fact for seq, row in rows if (fact := take(seq, row)) is not None]


def _by_many(journals: Sequence[Behind]) -> Iterator[Sequence[Behind]]:
    for first in range(0, len(journals), MANY):
        yield journals[first : first + MANY]


def _next(waiting: deque[Behind]) -> list[Behind]:
    """The journals whose turn it is: those with little to read together, one with much alone."""
    together = [waiting.popleft()]
    while waiting and len(together) < MANY and _has_little(together[-1]) and _has_little(waiting[0]):
        together.append(waiting.popleft())
    return together


def _has_little(behind: Behind) -> bool:
    return behind.head - behind.seq <= LITTLE


def _made(behind: Behind, batches: Sequence[Batch]) -> tuple[Made, Reading]:
    """The facts of these batches, and what goes on from there; up to `behind` itself where they have nothing new."""
    reading, seq = Reading.from_text(behind.state), behind.seq
    facts: list[Fact] = []
    for batch in batches:
        facts += _facts(reading.take, batch.behind(seq))
        seq = max(seq, batch.last)
    return Made(behind, seq, reading.to_text(), facts), reading
