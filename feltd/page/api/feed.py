"""The table's answers as they go into the record, for whoever listens: numbered, and to be taken up after a cut.

Each answer has the number of its entry in the record. A listener who names the last one it has gets every later one:
from memory, or from the record where it is older. That is read in pieces, those of several people in turn, and only as
far back as a cut may last: who is further behind is told to load the state anew, and goes on from there.

Nothing of it is compressed. What people write and what the table says lie in one stream, so its size on the wire must
not depend on how the one resembles the other.
"""

import json
import time
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable
from itertools import islice
from typing import Final

from feltd.door import Answer, NewAnswers, RecordRows
from feltd.page.api.streaming import Listeners
from feltd.page.limits.refusals import Limit, Refusals
from feltd.page.limits.turns import Turns, paced
from feltd.record import EntryKind, Reveal, Span

KEPT: Final = 4096
"""Answers in memory, and at times up to twice as many."""
BATCH: Final = 250
"""Answers that are read from the record, or told, in one turn."""
BEHIND_MOST: Final = 20_000
"""Entries of the record that a listener may be behind."""
OLDEST: Final = 3600.0
"""Seconds that what is read from the record may be old."""
RELOAD: Final = "reload"
"""The event that says: what came between is not told, load the state anew."""

ReadBack = Callable[[int, int], list[Answer]]
"""(after, until) → the first of the answers in the record between the two; called off the loop."""


def from_record(open_record: Callable[[], RecordRows]) -> ReadBack:
    """Make a function that reads answers from the record, as far as they are on the disk; sealed ones stay sealed."""

    def read_back(after: int, until: int) -> list[Answer]:
        span = Span(after=after, until=until, kind=EntryKind.OUTPUT)
        with open_record() as record:
            entries = paced(record.entries(span, reveal=Reveal.NOTHING))
            return [
                Answer(entry.seq, entry.wall, entry.round, entry.name, entry.body or {})
                for entry in islice(entries, BATCH)
            ]

    return read_back


class _Told:
    """An answer, and its event once somebody has listened: written once for all."""

    __slots__ = ("_event", "answer")

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self._event = ""

    @property
    def event(self) -> str:
        if not self._event:
            self._event = _as_event(self.answer)
        return self._event


class Feed:
    """The answers that the table has told of, the latest of them in memory."""

    def __init__(
        self, read_back: ReadBack, wall: Callable[[], float] = time.time, refusals: Refusals | None = None
    ) -> None:
        """`read_back`: called in a thread of the feed's own. `wall`: seconds since 1970."""
        self._read_back = read_back
        self._wall = wall
        self._refusals = refusals or Refusals()
        self._kept: list[_Told] = []
        self._listeners = Listeners()
        self._turns = Turns("answers", self._refusals)
        self._forgotten = 0
        """Everything up to this entry is in the record only."""

    def record(self, told: NewAnswers) -> None:
        """The table has answered."""
        if told.missed_until is not None:
            self._kept.clear()
            self._forgotten = told.missed_until
        self._kept.extend(map(_Told, told.answers))
        if len(self._kept) >= 2 * KEPT:
            self._forgotten = self._kept[-KEPT - 1].answer.seq
            del self._kept[:-KEPT]
        self._listeners.wake()

    def close(self) -> None:
        """Let every listener go."""
        self._listeners.close()
        self._turns.close()

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return len(self._listeners)

    def listen(self, after: int | None, who: str = "") -> AsyncGenerator[str, None]:
        """Server-sent events, some in one text: what came after that entry, then what comes. None: only what comes.

        `who`: in whose turn the record is read. A listener who is too far behind gets `reload` and only what comes.
        """
        at = self.latest if after is None else min(after, self.latest)

        async def news() -> list[str]:
            nonlocal at
            told = None if self.latest - at > BEHIND_MOST else await self._since(at, who)
            if told is None:
                at = self.latest
                self._refusals.add(Limit.CATCH_UP)
                return [_reload(at)]
            if told:
                at = told[-1].answer.seq
            return ["".join(one.event for one in told)] if told else []

        return self._listeners.admit(news, "retry: 1000\n\n")

    @property
    def latest(self) -> int:
        """The last entry that the table has told of; 0 before it has said how far it is."""
        return self._kept[-1].answer.seq if self._kept else self._forgotten

    async def since(self, after: int) -> list[Answer]:
        """Return answers after an entry, oldest first: possibly not all, and the next call returns the rest.

        Raises JournalError.
        """
        return [told.answer for told in await self._since(after, "") or ()]

    async def _since(self, after: int, who: str) -> list[_Told] | None:
        """The same; None where the first of them is too old."""
        if after < self._forgotten:
            until = self._forgotten
            older = await self._turns.turn(who, lambda: self._read_back(after, until))
            if older:
                return None if self._wall() - older[0].wall > OLDEST else [*map(_Told, older)]
            after = until
        first = bisect_right(self._kept, after, key=lambda told: told.answer.seq)
        return self._kept[first : first + BATCH]


def _as_event(answer: Answer) -> str:
    """One server-sent event."""
    data = {"seq": answer.seq, "wall": answer.wall, "round": answer.round, **answer.output}
    return f"id: {answer.seq}\nevent: {answer.kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"


def _reload(seq: int) -> str:
    return f'id: {seq}\nevent: {RELOAD}\ndata: {{"seq":{seq}}}\n\n'
