"""What the table answers, as it goes into the record, for whoever listens: numbered, and to be taken up after a cut.

Each answer has the number of its entry in the record. A listener who says the last one it has gets all that came
since: from memory, or from the record where it is older. There is no queue a listener could fill: each goes at its own
pace along what has happened.
"""

import asyncio
import json
from bisect import bisect_right
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Final

from feltd.table.keeper.deliveries import Recorded

KEPT: Final = 4096
"""Answers in memory."""
LISTENERS_MAX: Final = 64
SILENT_FOR: Final = 15.0
"""Seconds of silence after which a listener is told that the line still stands."""

ReadBack = Callable[[int, int], list[tuple[int, str, dict[str, Any]]]]
"""(after, until) → (seq, kind, data) of the answers in the record between the two; called off the loop."""


class TooManyListenersError(Exception):
    """More listeners than are served at once."""


class Feed:
    """The answers since the start, the latest of them in memory."""

    def __init__(self, read_back: ReadBack, starts_after: int) -> None:
        """`starts_after`: the record's last entry now."""
        self._read_back = read_back
        self._kept: deque[tuple[int, str, dict[str, Any]]] = deque(maxlen=KEPT)
        self._woken: set[asyncio.Event] = set()
        self._forgotten = starts_after
        """Everything up to this entry is in the record only."""
        self._closed = False

    def record(self, answers: Sequence[Recorded]) -> None:
        """The table has answered."""
        for answer in answers:
            if len(self._kept) == KEPT:
                self._forgotten = self._kept[0][0]
            said = {"seq": answer.seq, "wall": answer.wall, "round": answer.round, **answer.output.to_dict()}
            self._kept.append((answer.seq, answer.output.kind.value, said))
        for woken in self._woken:
            woken.set()

    def close(self) -> None:
        """Let every listener go."""
        self._closed = True
        for woken in self._woken:
            woken.set()

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._woken)

    def listen(self, after: int | None) -> AsyncGenerator[str, None]:
        """Server-sent events: what came after that entry, then what comes. None: only what comes.

        Raises TooManyListenersError.
        """
        if len(self._woken) >= LISTENERS_MAX:
            raise TooManyListenersError(f"{LISTENERS_MAX} listen already: close one")
        return self._listen(after)

    async def _listen(self, after: int | None) -> AsyncGenerator[str, None]:
        woken = asyncio.Event()
        self._woken.add(woken)
        try:
            at = self._latest if after is None else min(after, self._latest)
            yield "retry: 1000\n\n"
            while not self._closed:
                woken.clear()
                for seq, kind, said in await self._since(at):
                    at = seq
                    yield f"id: {seq}\nevent: {kind}\ndata: {json.dumps(said, separators=(',', ':'))}\n\n"
                if self._latest > at or self._closed:
                    continue
                try:
                    await asyncio.wait_for(woken.wait(), SILENT_FOR)
                except TimeoutError:
                    yield ": the line stands\n\n"
        finally:
            self._woken.discard(woken)

    @property
    def _latest(self) -> int:
        return self._kept[-1][0] if self._kept else self._forgotten

    async def _since(self, after: int) -> list[tuple[int, str, dict[str, Any]]]:
        older: list[tuple[int, str, dict[str, Any]]] = []
        if after < self._forgotten:
            older = await asyncio.to_thread(self._read_back, after, self._forgotten)
            after = max(after, older[-1][0] if older else self._forgotten)
            if after < self._forgotten:
                return older  # there is more of it in the record: in the next turn
        kept = list(self._kept)
        return older + kept[bisect_right(kept, after, key=lambda answer: answer[0]) :]
