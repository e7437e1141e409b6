"""The one thread that writes the journal: seals, chains, commits and syncs, in groups.

While one group is being synced the next one gathers; there is no other delay unless the table's file asks for one
(`gathering`), so a lone event is committed at once and a burst shares a sync. After the sync the highest synced
sequence number is told. When nothing is appended the thread sleeps without a timeout, and nothing is written.

When a group cannot be written it is kept, in order, sealed and chained as it is; the writer is then *failed*: it takes
further groups but only keeps them. `retry` opens the file anew, looks whether the failed commit had reached it after
all (an error in syncing leaves that open), and writes what is missing.
"""

import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, Protocol

from feltd.record.database import INSERT, RAISE_FORMAT, SET_HEAD, Head, connect_writer, named, page_bytes, read_head
from feltd.record.drafts import Draft, to_row
from feltd.record.entries import FORMAT, EntryKind, HostEntry, Row, chain_next, digest
from feltd.record.sealing import MasterKey
from feltd.record.short_keys import ShortKeys
from feltd.table.journal.destroying import KeysToDestroy, held_by_reader
from feltd.table.journal.gathering import Gathering
from feltd.table.journal.signing import SPAN, Signing
from feltd.text.errors import JournalCorrupt, JournalError

GROUP_ENTRIES: Final = 512
"""The most entries in one commit (whole hand-overs: one that is longer goes alone)."""
CHECKPOINTS: Final = ((32 << 20, 0.0), (4 << 20, 0.002), (1 << 20, 0.05))
"""When pages go from the log into the database: from so many bytes in the log on (counted roughly), once nothing has
been appended for so many seconds; the acknowledgements have gone out by then. A table idles for 50 ms all the time,
so the log stays near 1 MiB, and its space is written again, which syncs a third quicker than a file that grows."""
KEYS_AGAIN: Final = 1.0
"""Seconds after which keys that a reader of the log has kept from being destroyed are tried again."""

LATE: Final = 2 * SPAN
"""Seconds between the first unsigned entry and a commit's last, from which on it is signed at once: the signing
thread counts from the commit, and a disk that hung or was full brings entries that are older."""

_OF_THIS_EDITION: Final = frozenset({HostEntry.ROUND_KEY, HostEntry.ROUND_END, HostEntry.SNAPSHOT})


class Told(Protocol):
    """The receiver of the writer's reports, called from its own thread."""

    def synced(self, seq: int) -> None:
        """All entries up to `seq` are on the disk."""

    def failed(self, error: JournalError) -> None:
        """Take the error of a group that could not be written; the group is kept."""

    def recovered(self) -> None:
        """Take note that the kept groups are written."""


class _Command(Enum):
    RETRY = "retry"
    HURRY = "hurry"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class _MayWait:
    """Drafts that need not be committed at once."""

    drafts: Sequence[Draft]


_Item = Sequence[Draft] | _MayWait | _Command


@dataclass(slots=True)
class Counters:
    """Counts of the writer's work, for the metrics.

    Seconds are wall durations of whole commits, sync included.
    """

    groups: int = 0
    entries: int = 0
    checkpoints: int = 0
    checkpoint_error: str | None = None
    keys_error: str | None = None
    """Why the short-lived keys of the round before could not be destroyed; None where they were."""
    last_commit_seconds: float = 0.0
    longest_commit_seconds: float = 0.0


def _is_of_this_edition(row: Row) -> bool:
    """Whether an earlier version would misread it: keys of rounds and states between two rounds."""
    return row.kind == EntryKind.HOST and row.name in _OF_THIS_EDITION


def _fault_of_ours(error: Exception, path: Path) -> JournalError:
    """The error for a failure that no entry should be able to cause.

    It names the type only: a message might quote what must stay sealed.
    """
    return JournalError(
        f"the journal's writer met an error of its own ({type(error).__name__})",
        path,
        "Stop play and restart feltd: what is synced is sound, devices keep and send again what is not; report this",
    )


class Writer:
    """Owns the writing connection.

    `hand_over`, `hurry`, `retry` and `stop` may be called from any thread.
    """

    def __init__(  # noqa: PLR0913 - one a part of the journal
        self,
        path: Path,
        connection: sqlite3.Connection,
        journal_id: bytes,
        head: Head,
        master: MasterKey,
        short_keys: ShortKeys,
        max_bytes: int | None,
        reports: Told,
        signing: Signing,
        gather_seconds: float,
    ) -> None:
        self.counters = Counters()
        self.max_bytes = max_bytes
        self.unsaved = 0
        self._path = path
        self._connection: sqlite3.Connection | None = connection
        self._journal_id = journal_id
        self._master = master
        self._old_keys = KeysToDestroy(path, short_keys)
        self._format: int = connection.execute("PRAGMA user_version").fetchone()[0]
        self._reports = reports
        self._signing = signing
        self._round_ended = False
        """Among what is not yet signed."""
        self._first_unsigned: Row | None = None
        self._catches_up = False
        """Whether it writes what it kept while the disk refused."""
        self._committed = head
        self._chain = head.chain
        self._queue: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._gathering = Gathering(gather_seconds)
        self._kept: deque[Sequence[Draft]] = deque()
        self._unwritten: list[tuple[Row, bytes]] = []
        self._error: JournalError | None = None
        self._broken = False
        self._log_bytes = 0
        self._page_bytes = page_bytes(connection)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def hand_over(self, drafts: Sequence[Draft], *, may_wait: bool = False) -> None:
        """Drafts that follow on each other; they are committed together, or none of them.

        `may_wait`: for those that come after them, as long as the table's file allows.
        """
        self._queue.put(_MayWait(drafts) if may_wait and self._gathering.seconds else drafts)

    def gather(self, seconds: float) -> None:
        """From now on what may wait does so for this long. What waits already is committed."""
        self.hurry()
        self._gathering.seconds = seconds

    def hurry(self) -> None:
        """Asks that what waits for more is committed now: somebody waits for it."""
        if self._gathering.seconds:
            self._queue.put(_Command.HURRY)

    def retry(self) -> None:
        """Asks a failed writer to try again; no effect otherwise."""
        self._queue.put(_Command.RETRY)

    def stop(self) -> None:
        """Write the remaining groups, close the file, and wait for the thread to end.

        A failed writer makes one last attempt.
        """
        self._queue.put(_Command.STOP)
        self._thread.join()

    # ---- the thread

    def _run(self) -> None:
        self._destroy_keys()
        while True:
            item = self._next()
            if item is _Command.STOP:
                break
            self._take(item)
        self._take(_Command.RETRY)
        self.unsaved = len(self._unwritten) + sum(len(drafts) for drafts in self._kept)
        self._close()

    def _take(self, item: _Item | None) -> None:
        try:
            if item is _Command.HURRY:
                self._write_kept()
            elif isinstance(item, _Command):
                self._try_again()
            elif isinstance(item, _MayWait):
                self._kept.append(item.drafts)
                if self._gathering.take(item.drafts):
                    self._write_kept()
            elif item is not None:
                self._kept.append(item)
                self._write_kept()
        except Exception as error:  # noqa: BLE001 - a thread that dies unheard would leave everybody waiting
            self._broken = True
            self._fail(_fault_of_ours(error, self._path))

    def _next(self) -> _Item | None:
        if self._error is not None:
            return self._queue.get()
        again = KEYS_AGAIN if self._old_keys.wait else None
        idle = next((seconds for size, seconds in CHECKPOINTS if self._log_bytes >= size), again)
        if idle == 0:
            self._checkpoint()
            idle = None
        left = self._gathering.left()
        try:
            return self._queue.get(timeout=min((wait for wait in (idle, left) if wait is not None), default=None))
        except queue.Empty:
            if self._gathering.left() == 0.0:
                return _Command.HURRY
            self._checkpoint()
            self._destroy_keys()
            return None

    def _write_kept(self) -> None:
        """Commit all waiting groups until they are on the disk or the disk refuses."""
        self._gathering.over()
        while self._error is None and self._kept:
            self._gather()
            while self._kept and len(self._unwritten) < GROUP_ENTRIES and not self._round_ended:
                self._prepare(self._kept.popleft())
            if self._round_ended:
                self._signing.settle()
            self._commit()

    def _gather(self) -> None:
        """Takes more hand-overs that are there already; a command stays for its turn, behind them."""
        waiting = sum(len(drafts) for drafts in self._kept)
        while waiting < GROUP_ENTRIES:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return
            if isinstance(item, _Command):
                self._queue.put(item)
                return
            drafts = item.drafts if isinstance(item, _MayWait) else item
            self._kept.append(drafts)
            waiting += len(drafts)

    def _prepare(self, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            row = to_row(draft)
            self._chain = chain_next(self._chain, digest(row))
            self._unwritten.append((row, self._chain))
            self._round_ended |= row.name == HostEntry.ROUND_END
            if draft.generation is not None:
                self._old_keys.take(draft.generation)

    def _commit(self) -> None:
        started = time.perf_counter()
        try:
            head = self._insert(self._unwritten)
        except sqlite3.Error as error:
            self._fail(named(error, self._path))
            return
        taken = time.perf_counter() - started
        late = self._is_late()
        self._wrote(head)
        self.counters.groups += 1
        self.counters.last_commit_seconds = taken
        self.counters.longest_commit_seconds = max(taken, self.counters.longest_commit_seconds)
        self._reports.synced(head.seq)
        self._have_signed(at_once=late or self._catches_up)
        self._destroy_keys()

    def _is_late(self) -> bool:
        """Whether the entries just committed end long after the first one that no head covers."""
        (first, _), (last, _) = self._unwritten[0], self._unwritten[-1]
        if self._first_unsigned is None or self._signing.reaches(self._first_unsigned.seq):
            self._first_unsigned = first
        return last.host - self._first_unsigned.host >= LATE

    def _have_signed(self, *, at_once: bool) -> None:
        due, self._round_ended = self._round_ended or at_once, False
        self._signing.committed(self._committed, due=due)

    def _wrote(self, head: Head) -> None:
        size = sum(len(row.body) + len(row.sealed or b"") + 200 for row, _ in self._unwritten)
        self._log_bytes += 3 * self._page_bytes + size
        self.counters.entries += len(self._unwritten)
        self._unwritten.clear()
        self._committed = head
        self._old_keys.written()

    def _destroy_keys(self) -> None:
        if self._connection is None or not self._old_keys.wait:
            return
        if self._old_keys.destroy(self._connection):
            self._log_bytes = 0
        self.counters.keys_error = self._old_keys.error

    def _insert(self, rows: list[tuple[Row, bytes]]) -> Head:
        connection = self._connection
        if connection is None:
            raise sqlite3.OperationalError("the connection is closed")
        last, chain = rows[-1]
        head = Head(last.seq, chain, self._master.head_mac(self._journal_id, last.seq, chain))
        try:
            connection.execute("BEGIN IMMEDIATE")
            for row, after in rows:  # one by one: the loop's thread gets its turn between two
                connection.execute(INSERT, (*row, after))
            if self._format < FORMAT and any(_is_of_this_edition(row) for row, _ in rows):
                connection.execute(RAISE_FORMAT)
            connection.execute(SET_HEAD, (head.seq, head.chain, head.mac))
            connection.execute("COMMIT")
        except sqlite3.Error:
            self._roll_back(connection)
            raise
        return head

    @staticmethod
    def _roll_back(connection: sqlite3.Connection) -> None:
        if not connection.in_transaction:
            return
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            return  # the connection is thrown away before anything else is tried

    def _fail(self, error: JournalError) -> None:
        self._error = error
        self._reports.failed(error)

    def _try_again(self) -> None:
        if self._error is None:
            self._write_kept()
            return
        if self._broken:
            self._fail(self._error)
            return
        self._close()
        try:
            self._connection = connect_writer(self._path, self.max_bytes)
            there = self._already_there(self._connection)
            if there is not None:
                self._wrote(there)
            elif self._unwritten:
                self._wrote(self._insert(self._unwritten))
        except sqlite3.Error as error:
            self._fail(named(error, self._path))
            return
        except JournalError as error:
            self._fail(error)
            return
        self._error = None
        self._reports.synced(self._committed.seq)
        self._have_signed(at_once=True)
        self._destroy_keys()
        self._catches_up = True  # what was kept is old: a power cut must not find it unsigned
        self._write_kept()
        self._catches_up = False
        if self._error is None:
            self._reports.recovered()

    def _already_there(self, connection: sqlite3.Connection) -> Head | None:
        """The head, if the failed commit is in the file after all; it is then synced here.

        Raises JournalCorrupt if the file ends anywhere but where it must: it was exchanged, or lost synced entries.
        """
        head = read_head(connection, self._path)
        if (head.seq, head.chain) == (self._committed.seq, self._committed.chain):
            return None
        last, chain = self._unwritten[-1] if self._unwritten else (None, b"")
        if last is None or (head.seq, head.chain) != (last.seq, chain):
            raise JournalCorrupt(
                f"the file ends at entry {head.seq}, not at {self._committed.seq} where this process left it",
                self._path,
                "It was exchanged or damaged while in use: bring the right file back, then let the journal try again",
            )
        # its sync failed, and the kernel may think those pages clean: write them again, into the database, and sync
        # that
        busy, in_log, moved = connection.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        if busy or in_log != moved:
            raise held_by_reader(self._path)
        return head

    def _checkpoint(self) -> None:
        self._log_bytes = 0
        if self._connection is None:
            return
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            # what is in the log is safe there; the next commit meets the same trouble and reports it
            self.counters.checkpoint_error = str(named(error, self._path))
            return
        self.counters.checkpoints += 1
        self.counters.checkpoint_error = None

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            connection.close()
        except sqlite3.Error as error:
            self.counters.checkpoint_error = str(named(error, self._path))
