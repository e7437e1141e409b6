"""What goes out to one page: replies in order, news gathered, and cut to the latest where the page does not read."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from feltd.door.answers import Answer, NewAnswers
from feltd.door.wire.messages import Answers, Changed, Message, line_of

GATHER: Final = 0.02
"""Seconds between two writings of news: the first comes at once, what follows it is gathered."""
ANSWERS_KEPT: Final = 1000
"""Answers that wait for a page at most; it finds older ones in the record."""
UNREAD_MOST: Final = 128 * 1024
"""Bytes that wait in the socket's own buffer before nothing more is put there."""
PATIENCE: Final = 20.0
"""Seconds for which a page may read nothing; then it is let go, and connects again when it can."""


class Outbox:
    """The way out to one page. Nothing here waits for the page; `drained` is for its questions alone."""

    def __init__(self, transport: asyncio.Transport, clock: Callable[[], float] = time.monotonic) -> None:
        transport.set_write_buffer_limits(high=UNREAD_MOST)
        self._transport = transport
        self._clock = clock
        self._changed = False
        self._answers: deque[Answer] = deque()
        self._missed: int | None = None
        self._due: asyncio.TimerHandle | None = None
        self._written = clock() - GATHER
        """When news was written last."""
        self._unread_since: float | None = None
        self._room = asyncio.Event()
        self._room.set()

    # -- news

    def changed(self) -> None:
        """The state has changed: however often, the page is told once."""
        self._changed = True
        self._soon()

    def answered(self, new: NewAnswers) -> None:
        """The table has answered. What is too much to keep is left to the record, and the page is told so."""
        if new.missed_until is not None:
            self._forget(new.missed_until)
        self._answers.extend(new.answers)
        if len(self._answers) > ANSWERS_KEPT:
            self._forget(self._answers[-1].seq)
        self._soon()

    def _forget(self, until: int) -> None:
        self._answers.clear()
        self._missed = until

    def _soon(self) -> None:
        if self._due is None and self._room.is_set() and not self._transport.is_closing():
            wait = max(0.0, self._written + GATHER - self._clock())
            self._due = asyncio.get_running_loop().call_later(wait, self.flush)

    def flush(self) -> None:
        """Write the news that has gathered, if there is room for it."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if not self._room.is_set() or self._transport.is_closing():
            return
        self._written = self._clock()
        if self._changed:
            self._changed = False
            self._transport.write(line_of(Changed()))
        if self._answers or self._missed is not None:
            new = NewAnswers(tuple(self._answers), self._missed)
            self._answers.clear()
            self._missed = None
            self._transport.write(line_of(Answers(new)))

    # -- replies

    def send(self, message: Message) -> None:
        """Write an answer to the page's question, behind the news that came before it."""
        self.flush()
        if not self._transport.is_closing():
            self._transport.write(line_of(message))

    async def drained(self) -> None:
        """Wait until the page has read so much that there is room again."""
        await self._room.wait()

    # -- the page's side

    def pause(self) -> None:
        """Have `drained` wait: the page reads more slowly than it asks."""
        self._room.clear()
        self._unread_since = self._clock()

    def resume(self) -> None:
        """Have `drained` return: the page has read what was waiting."""
        self._unread_since = None
        self._room.set()
        if self._changed or self._answers or self._missed is not None:
            self._soon()

    @property
    def out_of_patience(self) -> bool:
        """Whether the page has read nothing for too long."""
        return self._unread_since is not None and self._clock() - self._unread_since > PATIENCE

    def close(self) -> None:
        """No call may follow."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        self._room.set()
