"""The table's answers as they go into the record, for whoever listens: numbered, and to be taken up after a cut.

Each answer has the number of its entry in the record. A listener who names the last one it has gets every later one:
from memory, or from the record where it is older.
"""

import asyncio
import json
from bisect import bisect_right
from collections import deque
from collections.abc import AsyncGenerator, Callable
from itertools import islice
from typing import Final

from feltd.door import Answer, NewAnswers, RecordRows
from feltd.page.api.streaming import Listeners
from feltd.record import EntryKind, Reveal, Span

KEPT: Final = 4096
"""Answers in memory."""
LISTENERS_MAX: Final = 64
READ_BACK_AT_MOST: Final = 2000
"""Most answers read from the record in one turn."""

ReadBack = Callable[[int, int], list[Answer]]
"""(after, until) → the first of the answers in the record between the two; called off the loop."""


def from_record(open_record: Callable[[], RecordRows]) -> ReadBack:
    """Make a function that reads answers from the record, as far as they are on the disk; sealed ones stay sealed."""

    def read_back(after: int, until: int) -> list[Answer]:
        span = Span(after=after, until=until, kind=EntryKind.OUTPUT)
        with open_record() as record:
            entries = record.entries(span, reveal=Reveal.NOTHING)
            return [
                Answer(entry.seq, entry.wall, entry.round, entry.name, entry.body or {})
                for entry in islice(entries, READ_BACK_AT_MOST)
            ]

    return read_back


class Feed:
    """The answers that the table has told of, the latest of them in memory."""

    def __init__(self, read_back: ReadBack) -> None:
        self._read_back = read_back
        self._kept: deque[Answer] = deque(maxlen=KEPT)
        self._listeners = Listeners(LISTENERS_MAX, f"{LISTENERS_MAX} listen already: close one")
        self._forgotten = 0
        """Everything up to this entry is in the record only."""

    def record(self, told: NewAnswers) -> None:
        """The table has answered."""
        if told.missed_until is not None:
            self._kept.clear()
            self._forgotten = told.missed_until
        for answer in told.answers:
            if len(self._kept) == KEPT:
                self._forgotten = self._kept[0].seq
            self._kept.append(answer)
        self._listeners.wake()

    def close(self) -> None:
        """Let every listener go."""
        self._listeners.close()

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return len(self._listeners)

    def listen(self, after: int | None) -> AsyncGenerator[str, None]:
        """Server-sent events: what came after that entry, then what comes. None: only what comes.

        Raises TooManyListenersError.
        """
        at = self._latest if after is None else min(after, self._latest)

        async def news() -> list[str]:
            nonlocal at
            answers = await self.since(at)
            if answers:
                at = answers[-1].seq
            return [_as_event(answer) for answer in answers]

        return self._listeners.admit(news, "retry: 1000\n\n")

    @property
    def _latest(self) -> int:
        return self._kept[-1].seq if self._kept else self._forgotten

    async def since(self, after: int) -> list[Answer]:
        """Return the answers after an entry, oldest first.

        If memory no longer holds the first of them, they are read from the record: then possibly not all, and the next
        call returns the rest. Raises JournalError.
        """
        older: list[Answer] = []
        if after < self._forgotten:
            older = await asyncio.to_thread(self._read_back, after, self._forgotten)
            after = max(after, older[-1].seq if older else self._forgotten)
            if after < self._forgotten:
                return older  # there is more of it in the record: in the next turn
        kept = list(self._kept)
        return older + kept[bisect_right(kept, after, key=lambda answer: answer.seq) :]


def _as_event(answer: Answer) -> str:
    """One server-sent event."""
    data = {"seq": answer.seq, "wall": answer.wall, "round": answer.round, **answer.output}
    return f"id: {answer.seq}\nevent: {answer.kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"
