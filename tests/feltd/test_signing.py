"""When heads are signed, so that what a power cut leaves behind the last one is bounded (`feltd.record.head_check`)."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from feltd.record import JournalReader
from feltd.record.database import Head
from feltd.record.signed_heads import heads_file, read_heads
from feltd.table.journal import Journal, signing
from feltd.table.journal.signer import HeadSigner
from feltd.table.journal.signing import ENTRIES, Signing
from feltd.table.journal.writer import LATE, Writer
from feltd.text.errors import JournalDisk

KEY = bytes(range(32))
CHAIN = bytes(32)


class Pen:
    """A signer that signs where a test lets it."""

    def __init__(self) -> None:
        self.signed: list[int] = []
        self.comes, self.may = threading.Semaphore(0), threading.Semaphore(0)
        self.refuses = False

    def sign(self, seq: int, _chain: bytes, _wall_ms: int, *, again: bool = False) -> None:
        if not again and self.signed[-1:] == [seq]:
            return
        self.comes.release()
        self.may.acquire()
        if self.refuses:
            raise JournalDisk("cannot be written", Path("heads"), "Look at the disk")
        self.signed.append(seq)

    def close(self) -> None:
        """As a signer's."""


def head(seq: int) -> Head:
    return Head(seq, CHAIN, b"")


def started(pen: Pen, seq: int = 0) -> Signing:
    made = Signing(pen, lambda: 1.0, span=3600.0)  # type: ignore[arg-type]
    made.start(head(seq))
    return made


def heads_of(path: Path) -> list[int]:
    found = read_heads(heads_file(path))
    assert found is not None
    return [one.seq for one in found.heads]


def test_a_start_has_signed_what_it_found_before_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.journal"
    with monkeypatch.context() as unsigned:
        unsigned.setattr(HeadSigner, "sign", lambda *_args, **_named: None)  # as by a power cut
        with closing(Journal.open(path, KEY)) as journal:
            journal.append_note("one")
    with monkeypatch.context() as slow:
        slow.setattr(Signing, "_run", lambda _self: None)  # the thread has no turn
        journal = Journal.open(path, KEY)
        assert heads_of(path) == [1]
        journal.append_note("two")
        journal.close()
    assert heads_of(path) == [1]


def test_a_head_that_a_start_cannot_sign_is_tried_again_and_keeps_no_table_away() -> None:
    pen = Pen()
    pen.refuses = True
    pen.may.release()
    made = Signing(pen, lambda: 1.0, span=0.01)  # type: ignore[arg-type]
    made.start(head(7))
    pen.refuses = False
    pen.may.release()
    for _ in range(2):
        assert pen.comes.acquire(timeout=60)
    made.stop()
    assert pen.signed == [7]
    assert made.error is None


def test_a_flood_of_entries_is_signed_before_its_time() -> None:
    pen = Pen()
    made = started(pen)
    made.committed(head(1), due=False)
    made.committed(head(ENTRIES - 1), due=False)
    made.committed(head(ENTRIES), due=False)
    assert pen.comes.acquire(timeout=60)
    made.committed(head(2 * ENTRIES - 1), due=False)
    for _ in range(2):
        pen.may.release()
    made.settle()
    assert pen.signed == [ENTRIES]
    made.stop()


def test_an_end_of_a_round_waits_until_the_one_before_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    pen = Pen()
    made = started(pen)
    made.committed(head(1), due=True)
    waits = threading.Thread(target=made.settle)
    waits.start()
    assert pen.comes.acquire(timeout=60)
    assert waits.is_alive()
    pen.may.release()
    waits.join(timeout=60)
    assert (pen.signed, waits.is_alive()) == ([1], False)
    made.committed(head(2), due=True)
    monkeypatch.setattr(signing, "SETTLE", 0.0)
    made.settle()  # of a disk that stands still: not for ever
    pen.may.release()
    made.stop()
    assert pen.signed == [1, 2]


def test_where_no_head_can_be_written_no_end_of_a_round_waits() -> None:
    pen = Pen()
    pen.refuses = True
    pen.may.release()
    made = started(pen)
    made.committed(head(1), due=True)
    made.settle()
    assert made.error is not None
    pen.refuses = False
    pen.may.release()
    made.stop()


def test_rounds_that_end_together_are_signed_one_by_one(tmp_path: Path) -> None:
    """However quickly a device reports them: else a power cut would leave more of them than `verify` allows."""
    path = tmp_path / "table.journal"
    with closing(Journal.open(path, KEY)) as journal:
        for number in range(1, 21):
            journal.begin_round(number)
            journal.end_round(number)
        journal.flush_blocking(60)
    ends = range(2, 41, 2)
    signed = heads_of(path)
    assert all(
        sum(before < end <= after for end in ends) <= 1 for before, after in zip([0, *signed], signed, strict=False)
    )
    with JournalReader.open(path) as reader:
        assert reader.head().seq == 40


@pytest.fixture
def dues(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Which commits were to be signed at once; none is."""
    told: list[bool] = []
    monkeypatch.setattr(Signing, "committed", lambda _self, _head, *, due: told.append(due))
    return told


def test_what_was_kept_while_the_disk_refused_is_signed_at_once(
    tmp_path: Path, dues: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is old when it is written: a power cut in the ten seconds after it looked like heads that were cut off."""
    failed, tried = threading.Event(), threading.Event()
    monkeypatch.setattr(Writer, "_try_again", _then(Writer._try_again, tried))
    with closing(Journal.open(tmp_path / "table.journal", KEY, monotonic=lambda: 0.0)) as journal:
        with monkeypatch.context() as full:
            full.setattr(Writer, "_insert", _disk_full)
            full.setattr(Writer, "_fail", _then(Writer._fail, failed))
            journal.append_note("one")
            assert failed.wait(60)
        journal.append_note("two")
        journal.retry()
        assert tried.wait(60)
        assert journal.flush_blocking(60) == 2
        journal.append_note("three")
        journal.flush_blocking(60)
    assert dues == [True, True, False]


def _then(does: Callable[..., None], done: threading.Event) -> Callable[..., None]:
    def both(*words: object) -> None:
        does(*words)
        done.set()

    return both


def _disk_full(_self: Writer, _rows: object) -> Head:
    raise sqlite3.OperationalError("the disk refuses")


def test_entries_long_behind_the_first_unsigned_one_are_signed_at_once(tmp_path: Path, dues: list[bool]) -> None:
    now = [0.0]
    with closing(Journal.open(tmp_path / "table.journal", KEY, monotonic=lambda: now[0])) as journal:
        for moment in (0.0, LATE - 1.0, LATE):
            now[0] = moment
            journal.append_note("note")
            journal.flush_blocking(60)
    assert dues == [False, False, True]
