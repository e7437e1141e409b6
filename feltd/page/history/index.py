"""The index of the record: a small database beside the journal, made from it alone, and made anew whenever in doubt.

It holds nothing that is not in the journal and nothing that is still sealed, so it may be deleted at any time. Words of
people in a round come into it when the round is over. It is not synced at each commit, but where its log is moved into
it: a power cut takes its newest part, which is read from the journal again, and leaves no mixture of old and new.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from feltd.door import RecordRows
from feltd.page.history import alarm_entries, decided
from feltd.record import Entry, EntryKind, HostEntry, Reveal, Span
from feltd.record.notes import BY_HAND_NOTE, COUNTERS_NOTE, SETTLED_NOTE
from feltd.text.errors import FeltdError
from table_fsm.felt import ROUND_RESULTS

FORM: Final = 5
"""Of the tables below; another number makes the index anew."""
CHUNK: Final = 2000
"""Entries read between two commits."""

_SCHEMA: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE rounds (number INTEGER PRIMARY KEY, after INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER,"
    " began REAL NOT NULL, ended REAL, book TEXT, digest TEXT, result TEXT, dealer TEXT,"
    " seats TEXT NOT NULL DEFAULT ',', shuffled REAL)",
    "CREATE INDEX rounds_began ON rounds (began)",
    "CREATE TABLE rulings (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, round INTEGER, wall REAL NOT NULL,"
    " irregularity TEXT NOT NULL, outcome TEXT NOT NULL, also TEXT NOT NULL, rule TEXT NOT NULL, book TEXT NOT NULL,"
    " seat INTEGER, pending INTEGER NOT NULL, authority TEXT NOT NULL, text TEXT NOT NULL, supersedes INTEGER,"
    " dealer TEXT, decision TEXT, decided_by TEXT, decided REAL, decided_outcome TEXT, reason TEXT,"
    " decision_seq INTEGER, waits INTEGER NOT NULL)",
    "CREATE INDEX rulings_wall ON rulings (wall)",
    "CREATE INDEX rulings_round ON rulings (round)",
    "CREATE TABLE acts (seq INTEGER PRIMARY KEY, wall REAL NOT NULL, round INTEGER, who TEXT, role TEXT, what TEXT,"
    " why TEXT)",
    "CREATE TABLE alarms (seq INTEGER PRIMARY KEY, wall REAL NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,"
    " device TEXT, deck TEXT, seat INTEGER)",
    "CREATE TABLE alarm_log (seq INTEGER PRIMARY KEY, wall REAL NOT NULL, kind TEXT NOT NULL, device TEXT, deck TEXT,"
    " seat INTEGER, times INTEGER NOT NULL DEFAULT 1, escalated REAL, acknowledged REAL, acknowledged_by TEXT,"
    " ended REAL, shelved REAL, shelved_by TEXT, shelved_until REAL, shelved_why TEXT, shelf_seq INTEGER)",
    "CREATE INDEX alarm_log_kind ON alarm_log (kind)",
    "CREATE TABLE counters (seq INTEGER NOT NULL, wall REAL NOT NULL, device TEXT NOT NULL, name TEXT NOT NULL,"
    " value INTEGER NOT NULL)",
    "CREATE INDEX counters_wall ON counters (wall)",
)


OpenRecord = Callable[[], RecordRows]
"""Opens the record for reading. Blocks; raises JournalError."""


class HistoryError(FeltdError):
    """The index cannot be made or read, or there is no such thing in the record."""


@dataclass(slots=True)
class _Reading:
    """What of the entries read so far matters to the next ones. Kept beside the rows, so that reading can go on."""

    after: int = 0
    snapshot: int = 0
    """The last snapshot: from there a round can be played again."""
    book: str | None = None
    digest: str | None = None
    """Of the rulebook in force, as hex."""
    dealer: str | None = None
    round: int | None = None
    phase: str | None = None
    settled: float | None = None
    """Wall time at which the last round's cards were collected: since then the next are shuffled."""
    shuffled: float | None = None
    """Seconds that the last shuffle took."""
    decision: dict[str, Any] | None = None
    """The last event, where it was a person's decision."""
    by: dict[str, Any] | None = None
    """Who decided, for how long and why, where the last event was a person's decision of any kind."""


class HistoryIndex:
    """The index of one journal. One thread at a time."""

    def __init__(self, open_record: OpenRecord, path: Path) -> None:
        """`path`: the file of the index, made where it is not there."""
        self.path = path
        self._open_record = open_record
        self._connection: sqlite3.Connection | None = None
        self._reading = _Reading()

    def close(self) -> None:
        """Closes the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def catch_up_some(self) -> bool:
        """Read some of the entries that the journal has beyond the index; whether there are more.

        Raises HistoryError.
        """
        with self._open_record() as record:
            return self._read_chunk(record, self._open(record)) == CHUNK

    def catch_up(self) -> int:
        """Read the entries that the journal has on its disk beyond the index.

        Returns the number of the last entry read. Raises HistoryError.
        """
        with self._open_record() as record:
            database = self._open(record)
            while True:
                read = self._read_chunk(record, database)
                if read < CHUNK:
                    return self._reading.after

    def select(self, sql: str, values: Mapping[str, Any] | tuple[Any, ...] = ()) -> list[sqlite3.Row]:
        """Rows of the index. Call `catch_up` first."""
        if self._connection is None:
            raise HistoryError(f"{self.path}: the index has not been read yet")
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as fault:
            raise HistoryError(f"{self.path}: the index cannot be read ({fault}); delete it: it is made anew") from None

    # -- the file

    def _open(self, record: RecordRows) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        try:
            self._connection = self._opened(record) or self._made(record)
        except sqlite3.DatabaseError:
            self.path.unlink(missing_ok=True)  # made of the journal alone: nothing is lost with it
            try:
                self._connection = self._made(record)
            except sqlite3.Error as fault:
                raise HistoryError(f"{self.path}: the index cannot be made: {fault}") from None
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def _opened(self, record: RecordRows) -> sqlite3.Connection | None:
        """The index there is, if it is one of this journal and of this form."""
        if not self.path.exists():
            return None
        connection = self._connect()
        try:
            meta = dict(connection.execute("SELECT name, value FROM meta").fetchall())
            if (meta["journal"], meta["form"]) == (record.journal_id.hex(), FORM):
                self._reading = _Reading(**json.loads(meta["reading"]))
                if self._reading.after <= record.last_entry():
                    return connection
        except (sqlite3.Error, KeyError, TypeError, ValueError):
            connection.close()
            raise sqlite3.DatabaseError("no index of ours") from None
        connection.close()
        raise sqlite3.DatabaseError("an index of another journal")

    def _made(self, record: RecordRows) -> sqlite3.Connection:
        for beside in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + beside).unlink(missing_ok=True)
        connection = self._connect()
        self._reading = _Reading()
        connection.execute("BEGIN")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [("journal", record.journal_id.hex()), ("form", FORM), ("reading", json.dumps(_as_data(self._reading)))],
        )
        connection.execute("COMMIT")
        return connection

    # -- reading the journal

    def _read_chunk(self, record: RecordRows, database: sqlite3.Connection) -> int:
        read = 0
        database.execute("BEGIN")
        try:
            for entry in record.entries(Span(after=self._reading.after), reveal=Reveal.NOTHING):
                self._take(database, entry)
                if entry.kind == EntryKind.HOST and entry.name == HostEntry.ROUND_END:
                    self._read_words(record, database, entry.seq)
                self._reading.after = entry.seq
                read += 1
                if read == CHUNK:
                    break
            database.execute("UPDATE meta SET value = ? WHERE name = 'reading'", [json.dumps(_as_data(self._reading))])
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            self.close()  # what is in memory no longer fits the file: it is opened afresh
            raise
        return read

    def _read_words(self, record: RecordRows, database: sqlite3.Connection, end: int) -> None:
        """Put in what people wrote in a round that is over, up to its end: until then it was sealed."""
        since = self._reading.snapshot
        for entry in record.entries(Span(since, end, kind=EntryKind.EVENT, name="supervisor")):
            decided.gives_reason(database, entry)
            alarm_entries.gives_reason(database, entry)
        for entry in record.entries(Span(since, end, kind=EntryKind.HOST, name=HostEntry.NOTE)):
            if entry.body.get("note") == BY_HAND_NOTE:
                database.execute("UPDATE acts SET why = ? WHERE seq = ?", (entry.body.get("why"), entry.seq))

    def _take(self, database: sqlite3.Connection, entry: Entry) -> None:
        self._reading.digest = entry.rulebook_digest or self._reading.digest
        if entry.kind == EntryKind.EVENT:
            self._reading.decision, self._reading.by = None, None
        if not isinstance(entry.body, dict):
            return
        if entry.kind == EntryKind.EVENT and entry.name == "supervisor":
            told = {name: entry.body.get(name) for name in ("staff", "minutes", "reason")}
            self._reading.by = {**told, "seq": entry.seq}
        take = _TAKERS.get((entry.kind, entry.name))
        if take is not None:
            take(self._reading, database, entry)


def _as_data(reading: _Reading) -> dict[str, Any]:
    return {name: getattr(reading, name) for name in _Reading.__slots__}


# -- what each kind of entry means to the index


def _table_open(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    now.book = entry.body.get("rulebook")


def _badge(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    if entry.body.get("role") == "dealer":
        now.dealer = entry.body.get("staff")


def _shuffled(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    now.shuffled = None if now.settled is None else entry.wall - now.settled
    now.settled = None


def _placed(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    zone = str(entry.body.get("zone", ""))
    if entry.round is None or not zone.startswith("seat:"):
        return
    seat = zone.removeprefix("seat:")
    database.execute(
        "UPDATE rounds SET seats = seats || ? || ',' WHERE number = ? AND instr(seats, ',' || ? || ',') = 0",
        (seat, entry.round, seat),
    )


def _phase(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    now.phase = entry.body.get("phase")


def _ruling(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    ruling = entry.body.get("ruling")
    if ruling is None:  # sealed whole: what it says is nobody's yet
        return
    database.execute(
        "INSERT OR REPLACE INTO rulings (id, seq, round, wall, irregularity, outcome, also, rule, book, seat, pending,"
        " authority, text, supersedes, dealer, waits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            ruling["id"], entry.seq, entry.round, entry.wall, ruling["irregularity"], ruling["outcome"],
            json.dumps(ruling["also"]), ruling["rule"], ruling["rulebook"], ruling["seat"], int(ruling["pending"]),
            ruling["authority"], ruling["text"], ruling["supersedes"], now.dealer, int(ruling["pending"]),
        ),
    )  # fmt: skip


def _alarm(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    alarm = entry.body.get("alarm")
    if alarm is None:
        return
    database.execute(
        "INSERT OR REPLACE INTO alarms VALUES (?, ?, ?, ?, ?, ?, ?)",
        (entry.seq, entry.wall, alarm["kind"], alarm["state"], alarm["device"], alarm["deck"], alarm.get("seat")),
    )
    alarm_entries.takes(now, database, entry.seq, entry.wall, alarm)


def _round_begins(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    now.round, now.phase = entry.round, None
    database.execute(
        "INSERT OR REPLACE INTO rounds (number, after, first, began, book, digest, dealer, shuffled)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (entry.round, now.snapshot, entry.seq, entry.wall, now.book, now.digest, now.dealer, now.shuffled),
    )
    now.shuffled = None


def _round_ends(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    """The first end is the round's. A card that comes to it later (a pack is checked) has a key of its own, and that
    one's end is no other result."""
    result = now.phase if now.phase in ROUND_RESULTS else None
    ended = database.execute(
        "UPDATE rounds SET last = ?, ended = ?, result = ? WHERE number = ? AND last IS NULL",
        (entry.seq, entry.wall, result, entry.round),
    )
    if ended.rowcount:
        now.round, now.settled = None, entry.wall


def _snapshot(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    now.snapshot = entry.seq
    decided.agrees(now, database, [pending["id"] for pending in entry.body.get("pending", ())])


def _note(now: _Reading, database: sqlite3.Connection, entry: Entry) -> None:
    body = entry.body
    if body.get("note") == BY_HAND_NOTE:
        database.execute(
            "INSERT OR REPLACE INTO acts VALUES (?, ?, ?, ?, ?, ?, ?)",
            (entry.seq, entry.wall, entry.round, body.get("who"), body.get("role"), body.get("what"), body.get("why")),
        )
    elif body.get("note") == SETTLED_NOTE:
        decided.settles(now, database, body.get("rulings", ()))
    elif body.get("note") == COUNTERS_NOTE:
        rows = [
            (entry.seq, entry.wall, device, name, value)
            for device, counters in body.get("devices", {}).items()
            for name, value in counters.items()
        ]
        database.executemany("INSERT INTO counters VALUES (?, ?, ?, ?, ?)", rows)


_TAKERS: Final[Mapping[tuple[str, str], Callable[[_Reading, sqlite3.Connection, Entry], None]]] = {
    (EntryKind.EVENT, "table.open"): _table_open,
    (EntryKind.EVENT, "badge"): _badge,
    (EntryKind.EVENT, "shoe.shuffled"): _shuffled,
    (EntryKind.EVENT, "card.placed"): _placed,
    (EntryKind.EVENT, "supervisor"): decided.decides,
    (EntryKind.OUTPUT, "phase"): _phase,
    (EntryKind.OUTPUT, "ruling"): _ruling,
    (EntryKind.OUTPUT, "alarm"): _alarm,
    (EntryKind.OUTPUT, "error"): decided.refuses,
    (EntryKind.HOST, HostEntry.ROUND_BEGIN): _round_begins,
    (EntryKind.HOST, HostEntry.ROUND_END): _round_ends,
    (EntryKind.HOST, HostEntry.SNAPSHOT): _snapshot,
    (EntryKind.HOST, HostEntry.NOTE): _note,
}
