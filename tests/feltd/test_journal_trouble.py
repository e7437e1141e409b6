"""Trouble with the disk, the file, or the neighbours: a name for each, a remedy in it, and nothing lost."""

import asyncio
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from feltd.record import JournalReader, Seal, Span
from feltd.record import database as database_module
from feltd.record.verify import verify
from feltd.table.journal import Journal, JournalState
from feltd.table.journal.writer import Writer
from feltd.text.errors import (
    JournalClosed,
    JournalCorrupt,
    JournalDisk,
    JournalError,
    JournalForeign,
    JournalFull,
    JournalLocked,
    JournalMissing,
    JournalReadOnly,
    JournalVersion,
)
from table_fsm.events import CardPlaced, Tick
from table_fsm.outputs import Gate, Output

KEY = bytes(range(32))
DIGEST = "ab" * 32
SMALL = 30 * 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


def take(journal: Journal, number: int) -> int:
    event = CardPlaced(t=float(number), zone="seat:1", card="As")
    return journal.append_event(event, source=None, round_number=1, rulebook_digest=DIGEST)


def fill(journal: Journal) -> tuple[int, JournalError]:
    """Appends until the journal fails; the number of events taken, and the error."""
    for number in range(1, 5000):
        take(journal, number)
        try:
            journal.flush_blocking()
        except JournalError as error:
            return number, error
    raise AssertionError("never full")


def recover(journal: Journal) -> None:
    """Has the journal try again, and waits until it says that all it kept is written."""

    async def wait() -> None:
        recovered = asyncio.Event()
        journal.on_recovered(recovered.set)
        journal.retry()
        await recovered.wait()

    asyncio.run(wait())


def events_in(path: Path) -> list[float]:
    with JournalReader.open(path, KEY) as reader:
        assert verify(reader).sound
        return [recorded.event.t for recorded in reader.events_since(0)]


def test_a_full_journal_fails_keeps_everything_in_order_and_goes_on_when_there_is_room(path: Path) -> None:
    journal = Journal.open(path, KEY, max_bytes=SMALL)
    taken, error = fill(journal)
    assert isinstance(error, JournalFull)
    assert "Free space" in str(error)
    assert (journal.health.state, journal.health.error) == (JournalState.FAILED, error)
    for number in range(taken + 1, taken + 51):
        take(journal, number)
    assert journal.health.backlog >= 51
    synced = journal.synced
    journal.retry()  # still no room
    with pytest.raises(JournalFull):
        journal.flush_blocking()
    assert journal.synced == synced
    journal.max_bytes = None
    recover(journal)
    assert (journal.health.state, journal.health.error) == (JournalState.RUNNING, None)
    journal.flush_blocking()
    journal.close()
    assert events_in(path) == [float(number) for number in range(1, taken + 51)]


def test_the_loop_is_told_of_a_failure_and_nothing_is_acknowledged(path: Path) -> None:
    async def main() -> None:
        journal = Journal.open(path, KEY, max_bytes=SMALL)
        failed: asyncio.Queue[JournalError] = asyncio.Queue()
        synced: list[int] = []
        journal.on_failed(failed.put_nowait)
        journal.on_synced(synced.append)
        last = 0
        for number in range(2000):
            last = take(journal, number)
        assert isinstance(await failed.get(), JournalFull)
        assert all(seq < last for seq in synced)
        journal.max_bytes = None
        journal.close()  # a last attempt is part of it

    asyncio.run(main())
    assert events_in(path) == [float(number) for number in range(2000)]


def test_closing_with_entries_that_cannot_be_written_says_how_many(path: Path) -> None:
    journal = Journal.open(path, KEY, max_bytes=SMALL)
    taken, _ = fill(journal)
    backlog = journal.health.backlog
    with pytest.raises(JournalClosed, match=f"closed with {backlog} entries not written"):
        journal.close()
    assert events_in(path) == [float(number) for number in range(1, taken)]


@contextmanager
def largest_file(limit: int) -> Iterator[None]:
    """No file may grow beyond: writes fail as on a dying disk (Python ignores SIGXFSZ)."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_refuses_writes_is_named_and_nothing_is_lost(path: Path) -> None:
    journal = Journal.open(path, KEY)
    take(journal, 1)
    journal.flush_blocking()
    log = path.with_name(path.name + "-wal")
    with largest_file(log.stat().st_size + 4096):
        for number in range(2, 60):
            take(journal, number)
        with pytest.raises(JournalDisk, match=r"input/output error.*dmesg"):
            journal.flush_blocking()
    journal.retry()
    for number in range(60, 70):
        take(journal, number)
    journal.close()
    assert events_in(path) == [float(number) for number in range(1, 70)]


def test_a_commit_that_reached_the_file_though_its_sync_failed_is_not_written_twice(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal.open(path, KEY)
    original = Writer._insert

    def synced_badly(self: Writer, rows: list[object]) -> object:
        original(self, rows)  # type: ignore[arg-type]
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR
        raise error

    monkeypatch.setattr(Writer, "_insert", synced_badly)
    take(journal, 1)
    with pytest.raises(JournalDisk):
        journal.flush_blocking()
    take(journal, 2)
    monkeypatch.setattr(Writer, "_insert", original)
    journal.retry()
    journal.close()
    assert events_in(path) == [1.0, 2.0]


def test_a_file_exchanged_under_a_failed_journal_is_not_written_on(path: Path) -> None:
    journal = Journal.open(path, KEY, max_bytes=SMALL)
    fill(journal)
    for file in list(path.parent.iterdir()):
        if not file.name.endswith(".lock"):
            file.unlink()
    journal.max_bytes = None
    with pytest.raises(JournalClosed, match=r"not at .* where this process left it"):
        journal.close()


def test_an_error_of_the_writers_own_is_reported_and_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.open(path, KEY)

    def wrong(_self: Writer, _drafts: object) -> None:
        raise ZeroDivisionError("the As")

    monkeypatch.setattr(Writer, "_prepare", wrong)
    take(journal, 1)
    with pytest.raises(JournalError, match=r"error of its own.*ZeroDivisionError") as caught:
        journal.flush_blocking()
    assert "As" not in str(caught.value)
    journal.retry()
    with pytest.raises(JournalClosed):
        journal.close()


def test_a_read_only_file_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Journal.open(path, KEY).close()
    original = database_module._connect
    # as root a file's mode stops nobody: SQLite is told to open it read-only instead
    monkeypatch.setattr(database_module, "_connect", lambda path, _mode, create: original(path, "ro", create))
    journal = Journal.open(path, KEY)
    take(journal, 1)
    with pytest.raises(JournalReadOnly, match="mounted read-write"):
        journal.flush_blocking()
    monkeypatch.setattr(database_module, "_connect", original)
    journal.close()
    assert events_in(path) == [1.0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_takes_no_files_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(JournalReadOnly):
        Journal.open(tmp_path / "table.journal", KEY)


def test_a_file_that_is_no_database_is_named_and_left_alone(path: Path) -> None:
    content = b"this is no database, and was never one. " * 200
    path.write_bytes(content)
    for opening in (lambda: Journal.open(path, KEY), lambda: JournalReader.open(path)):
        with pytest.raises(JournalCorrupt, match="no database"):
            opening()
    assert path.read_bytes() == content


def test_another_applications_database_is_named_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE cookies (a)")
    database.close()
    content = path.read_bytes()
    for opening in (lambda: Journal.open(path, KEY), lambda: JournalReader.open(path)):
        with pytest.raises(JournalForeign, match="another path"):
            opening()
    assert path.read_bytes() == content


def test_a_newer_journal_is_named_and_left_alone(path: Path) -> None:
    Journal.open(path, KEY).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version=99")
    database.close()
    content = path.read_bytes()
    for opening in (lambda: Journal.open(path, KEY), lambda: JournalReader.open(path)):
        with pytest.raises(JournalVersion, match="format 99, this one knows 2"):
            opening()
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_journal(path: Path) -> None:
    path.touch()
    journal = Journal.open(path, KEY)
    take(journal, 1)
    journal.close()
    assert events_in(path) == [1.0]


def test_no_directory_and_no_journal_are_named(tmp_path: Path) -> None:
    with pytest.raises(JournalMissing):
        Journal.open(tmp_path / "nowhere" / "table.journal", KEY)
    with pytest.raises(JournalMissing):
        JournalReader.open(tmp_path / "table.journal")


def test_two_processes_cannot_write_one_journal(path: Path) -> None:
    journal = Journal.open(path, KEY)
    program = "import pathlib, sys, feltd.table.journal as j; j.Journal.open(pathlib.Path(sys.argv[1]), bytes(32))"
    other = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    assert f"JournalLocked: {path}: another process writes this journal (process {os.getpid()})" in other.stderr
    with pytest.raises(JournalLocked):
        Journal.open(path, KEY)
    journal.close()
    Journal.open(path, KEY).close()


def test_a_foreign_lock_on_the_database_is_named_and_got_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.01)
    journal = Journal.open(path, KEY)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    take(journal, 1)
    with pytest.raises(JournalLocked):
        journal.flush_blocking()
    other.execute("ROLLBACK")
    other.close()
    journal.retry()
    journal.close()
    assert events_in(path) == [1.0]


@pytest.mark.parametrize("damage", ["UPDATE entries SET body = '{}' WHERE seq = 5", "DELETE FROM entries WHERE seq = 9",
                                    "DELETE FROM entries WHERE seq > 8", "UPDATE head SET seq = 3", "DELETE FROM head",
                                    "DELETE FROM meta"])  # fmt: skip
def test_a_damaged_end_is_found_at_the_next_opening(path: Path, damage: str) -> None:
    journal = Journal.open(path, KEY)
    for number in range(10):
        take(journal, number)
    journal.close()
    with sqlite3.connect(path) as database:
        database.execute(damage)
    database.close()
    with pytest.raises(JournalCorrupt):
        Journal.open(path, KEY)


def test_a_long_journal_is_checked_at_its_end_only_when_opened(path: Path) -> None:
    journal = Journal.open(path, KEY)
    for number in range(600):
        journal.append_output(Output(float(number), Gate(locked=True)), round_number=1, rulebook_digest=None)
    journal.close()
    journal = Journal.open(path, KEY)
    assert journal.append_event(Tick(t=600.0), source=None, round_number=1, rulebook_digest=None) == 601
    journal.close()


def test_pages_overwritten_with_noise_are_damage_never_a_crash(path: Path) -> None:
    journal = Journal.open(path, KEY)
    for number in range(3000):
        take(journal, number)
    journal.close()
    content = bytearray(path.read_bytes())
    for page in range(4, len(content) // 4096 - 3, 3):
        content[page * 4096 : page * 4096 + 512] = os.urandom(512)
    path.write_bytes(content)
    with pytest.raises(JournalCorrupt), JournalReader.open(path, KEY) as reader:
        list(reader.events_since(0))
    with JournalReader.open(path, KEY) as reader:
        assert not verify(reader).sound


@pytest.mark.parametrize(
    ("damage", "read"),
    [
        ("UPDATE entries SET body = 'no json' WHERE kind = 'event'", lambda reader: list(reader.entries())),
        (
            "UPDATE entries SET body = '{}', sealed = NULL WHERE kind = 'event'",
            lambda reader: list(reader.events_since(0)),
        ),
        ("UPDATE entries SET body = '[1]' WHERE kind = 'event'", lambda reader: list(reader.replay_lines())),
        ("UPDATE entries SET rulebook = 5", lambda reader: list(reader.entries())),
        ("UPDATE entries SET body = '[1]' WHERE name = 'resume'", lambda reader: reader.resume_points()),
        ("UPDATE entries SET sealed = x'00', key = 2 WHERE name = 'snapshot'", lambda reader: reader.last_snapshot()),
        ("DROP TABLE entries", lambda reader: reader.rulings()),
        ("DROP TABLE head", lambda reader: reader.head()),
    ],
)
def test_an_entry_that_cannot_be_read_is_named_never_a_crash(
    path: Path, damage: str, read: Callable[[JournalReader], object]
) -> None:
    journal = Journal.open(path, KEY)
    take(journal, 1)
    journal.end_round(1)
    journal.append_snapshot("{}", round_number=1, rulebook_digest=DIGEST)
    journal.close()
    with sqlite3.connect(path) as database:
        database.execute(damage)
    database.close()
    with pytest.raises(JournalCorrupt) as caught, JournalReader.open(path) as reader:
        read(reader)
    assert str(path) in str(caught.value)
    assert "As" not in str(caught.value)


@pytest.mark.parametrize("damage", ["body = '[]'", 'body = \'{"key": "00"}\'', "round = 9"])
def test_a_published_key_that_is_none_leaves_its_round_shut(path: Path, damage: str) -> None:
    journal = Journal.open(path, KEY)
    take(journal, 1)
    journal.end_round(1)
    journal.close()
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE entries SET {damage} WHERE name = 'round.end'")
    database.close()
    with JournalReader.open(path) as reader:
        assert [entry.seal for entry in reader.entries(Span(name="card.placed"))] == [Seal.CLOSED]


def test_a_log_that_cannot_be_emptied_is_told_and_nothing_stops(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.table.journal.writer.CHECKPOINTS", ((1, 0.0),))
    journal = Journal.open(path, KEY)
    take(journal, 1)
    journal.flush_blocking()
    with largest_file(path.stat().st_size):  # the log had to grow before; now the database must, and cannot
        for number in range(2, 100):
            take(journal, number)
        with pytest.raises(JournalDisk):
            journal.flush_blocking()
    recover(journal)
    take(journal, 100)
    journal.flush_blocking()
    take(journal, 101)
    journal.flush_blocking()
    assert journal.health.counters.checkpoint_error is None
    journal.close()
    assert events_in(path) == [float(number) for number in range(1, 102)]


def test_a_medium_where_nothing_can_be_written_is_read_as_it_lies(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.open(path, KEY)
    take(journal, 1)
    journal.close()
    original = database_module._connect

    def no_shared_memory(path: Path, mode: str, create: bool) -> sqlite3.Connection:
        if mode != "ro":
            return original(path, mode, create)
        connection = sqlite3.connect(":memory:")
        monkeypatch.setattr(database_module, "_make_careful", cannot_open)
        return connection

    def cannot_open(_: sqlite3.Connection) -> None:
        monkeypatch.setattr(database_module, "_make_careful", lambda _: None)
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(database_module, "_connect", no_shared_memory)
    assert events_in(path) == [1.0]
    log = path.with_name(path.name + "-wal")
    log.write_bytes(b"entries not yet in the database")
    with pytest.raises(JournalMissing):
        JournalReader.open(path)
