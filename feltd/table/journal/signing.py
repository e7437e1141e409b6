"""The thread that signs the journal's heads, beside the one that writes it.

A head is signed at a start, at each round's end, and `SPAN` seconds or `ENTRIES` after the first commit that no head
covers yet. Entries are acknowledged when they are synced, and do not wait for it, but for an end of a round that comes
while the one before it is being signed: that waits `SETTLE` seconds at most. So what lies behind the last head is
bounded, also where a table is flooded (`feltd.record.head_check`), but not where the file of heads hangs. At rest the
thread sleeps without a timeout, or signs the same entry once more every so often: a witness takes that for a sign of
life, which nobody else can give.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import Final

from feltd.record.database import Head
from feltd.record.head_check import UNSIGNED_ENTRIES
from feltd.table.journal.signer import HeadSigner
from feltd.text.errors import JournalError

SPAN: Final = 10.0
"""Seconds of entries that may stand unsigned."""
ENTRIES: Final = UNSIGNED_ENTRIES // 4
"""Entries that may: what is committed while they are being signed is the rest."""
SETTLE: Final = 1.0
"""Seconds that the end of a round waits for the head of the end before: the thread that waits writes everything."""

_log = logging.getLogger(__name__)


class _Token(Enum):
    WAITS = "waits"
    DUE = "due"
    REST = "rest"
    STOP = "stop"


class Signing:
    """Signs what the writer has committed. `committed` belongs to the writer's thread, `start` and `stop` to others."""

    def __init__(self, signer: HeadSigner, wall: Callable[[], float], span: float = SPAN, at_rest: float = 0.0) -> None:
        """`at_rest`: seconds after which the last entry is signed once more; 0: never."""
        self.error: str | None = None
        """Why heads cannot be signed; None where they can."""
        self._signer = signer
        self._wall = wall
        self._span = span
        self._at_rest = at_rest or None
        self._newest: Head | None = None
        self._told = False
        """Whether the thread knows that something waits: a wake-up for each commit would take the loop's time."""
        self._due = self._done = -ENTRIES  # so that the first commit of all is due
        """The last entry that was to be signed at once, and the one that was signed last, or could not be."""
        self._tried = threading.Condition()
        self._queue: queue.SimpleQueue[_Token] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="heads", daemon=True)

    def start(self, head: Head | None) -> None:
        """Sign what a start finds, on the disk before it writes; then start the thread.

        None: the first head that is committed is to be signed at once, and none before it.
        """
        if head is not None:
            self._newest, self._due, self._done = head, head.seq, head.seq
            if not self._sign():
                self._queue.put(_Token.WAITS)
        self._thread.start()

    def committed(self, head: Head, *, due: bool) -> None:
        """Take note of a head that is on the disk; `due`: it is to be signed at once."""
        self._newest = head
        due |= head.seq - max(self._due, self._done) >= ENTRIES
        if due:
            self._due = head.seq
        if due or not self._told:
            self._told = True
            self._queue.put(_Token.DUE if due else _Token.WAITS)

    def reaches(self, seq: int) -> bool:
        """Whether the last try to sign was of this entry or a later one."""
        return self._done >= seq

    def covers(self, seq: int) -> bool:
        """Whether a head on the disk signs this entry. Ask once it is stopped."""
        last = self._signer.last
        return last is not None and last.seq >= seq

    def settle(self) -> None:
        """Wait until what was to be signed at once has been, or cannot be; `SETTLE` seconds at most."""
        if self._done < self._due:
            with self._tried:
                self._tried.wait_for(lambda: self._done >= self._due, SETTLE)

    def stop(self) -> None:
        """Sign what is left, and wait for the thread to end."""
        self._queue.put(_Token.STOP)
        self._thread.join()

    def _run(self) -> None:
        until: float | None = None
        while True:
            wait = self._at_rest if until is None else max(0.0, until - time.monotonic())
            try:
                token = self._queue.get(timeout=wait)
            except queue.Empty:
                token = _Token.REST if until is None else _Token.DUE
            if token is _Token.WAITS:
                until = time.monotonic() + self._span if until is None else until
                continue
            until = None if self._sign(again=token is _Token.REST) else time.monotonic() + self._span
            if token is _Token.STOP:
                with suppress(JournalError):  # the room counts for nothing
                    self._signer.close()
                return

    def _sign(self, *, again: bool = False) -> bool:
        """Sign the newest head, where it was signed already only `again`; False where it has to be tried again."""
        self._told = False  # first: what is committed from here on is told anew
        head = self._newest
        if head is None or head.seq == 0:
            return True
        signed = self._try_to_sign(head, again=again)
        with self._tried:
            self._done = head.seq
            self._tried.notify_all()
        return signed

    def _try_to_sign(self, head: Head, *, again: bool) -> bool:
        try:
            self._signer.sign(head.seq, head.chain, round(self._wall() * 1000), again=again)
        except JournalError as error:
            if self.error != str(error):
                _log.error("the head of the record cannot be signed: %s", error)
            self.error = str(error)
            return False
        except Exception as error:  # noqa: BLE001 - a thread that dies unheard would sign nothing more
            self.error = f"an error of feltd's own ({type(error).__name__})"
            _log.error("the head of the record cannot be signed: %s", self.error)
            return False
        self.error = None
        return True
