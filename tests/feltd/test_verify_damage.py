"""`verify` of a file that is damaged: the entries that cannot be read by their own numbers, all others as before."""

import sqlite3
from pathlib import Path

import pytest

from feltd.record import JournalReader
from feltd.record.each_entry import UNREADABLE_ON_END
from feltd.record.findings import FaultKind, Verification
from feltd.record.verify import verify
from feltd.table.journal import Journal
from table_fsm.events import Tick

KEY = bytes(range(32))
ENTRIES = 1400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    with journal.together():
        for number in range(ENTRIES):
            journal.append_event(Tick(t=1000.0 + number), source=None, round_number=1, rulebook_digest=None)
    journal.close()
    return path


def found(path: Path) -> Verification:
    with JournalReader.open(path, KEY) as reader:
        return verify(reader)


def leaves(path: Path) -> list[tuple[int, set[int]]]:
    """Where pages of entries begin in the file, each with the numbers of its entries (SQLite's file format, 1.6)."""
    content, database = path.read_bytes(), sqlite3.connect(path)
    ((root,),) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'")
    database.close()
    size = int.from_bytes(content[16:18], "big")
    found, pages = [], [root]
    while pages:
        at = (pages.pop() - 1) * size
        inner, cells = content[at] == 0x05, int.from_bytes(content[at + 3 : at + 5], "big")
        pointers = at + (12 if inner else 8)
        starts = [at + int.from_bytes(content[pointers + 2 * n :][:2], "big") for n in range(cells)]
        if inner:
            pages += [int.from_bytes(content[start : start + 4], "big") for start in (*starts, at + 8)]
        else:
            found.append((at, {_varint(content, _varint(content, start)[1])[0] for start in starts}))
    return found


def number_of(path: Path, seq: int) -> int:
    """Where the file has the number of an entry."""
    content = path.read_bytes()
    at = next(at for at, seqs in leaves(path) if seq in seqs)
    for cell in range(int.from_bytes(content[at + 3 : at + 5], "big")):
        start = at + int.from_bytes(content[at + 8 + 2 * cell :][:2], "big")
        number = _varint(content, start)[1]
        if _varint(content, number)[0] == seq:
            return number
    raise AssertionError(seq)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    while True:
        value = value << 7 | content[at] & 0x7F
        at += 1
        if content[at - 1] < 0x80:
            return value, at


def test_entries_of_a_damaged_page_are_named_by_their_own_numbers_and_nothing_else_is(path: Path) -> None:
    content = bytearray(path.read_bytes())
    at, there = next((at, seqs) for at, seqs in leaves(path) if 700 in seqs)
    content[at] = 0xFF  # no kind of page
    path.write_bytes(content)
    result = found(path)
    unreadable = [fault.seq for fault in result.faults if fault.kind is FaultKind.UNREADABLE]
    assert unreadable == sorted(there)
    assert {fault.kind for fault in result.faults if fault.seq not in there} == {FaultKind.STRUCTURE}
    assert result.entries == ENTRIES - len(there)
    assert any("SQLite says of the file" in fault.text for fault in result.faults)


@pytest.mark.parametrize("bit", [0x40, 0x20, 0x08, 0x01])
@pytest.mark.parametrize("seq", [699, 700, 701])
def test_of_a_damaged_number_its_entry_alone_is_named(path: Path, seq: int, bit: int) -> None:
    """SQLite says nothing of it to a query: a search goes astray, a span ends early or goes back."""
    content = bytearray(path.read_bytes())
    content[number_of(path, seq)] ^= bit
    path.write_bytes(content)
    result = found(path)
    named = [(fault.kind, fault.seq) for fault in result.faults if fault.kind is not FaultKind.STRUCTURE]
    assert named == [(FaultKind.UNREADABLE, seq)]
    assert result.entries == ENTRIES - 1


def test_of_many_damaged_numbers_each_is_named_and_no_more_is_gone_than_cannot_be_found(path: Path) -> None:
    content, there = bytearray(path.read_bytes()), set(range(100, 200, 9))
    for seq in there:
        content[number_of(path, seq)] ^= 0x40
    path.write_bytes(content)
    result = found(path)
    assert {fault.kind for fault in result.faults} == {FaultKind.STRUCTURE, FaultKind.UNREADABLE}
    assert there <= {fault.seq for fault in result.faults}
    assert ENTRIES - 4 * len(there) < result.entries <= ENTRIES - len(there)


def test_no_entry_is_named_that_the_record_never_had(path: Path) -> None:
    content = bytearray(path.read_bytes())
    at, there = next((at, seqs) for at, seqs in leaves(path) if ENTRIES in seqs)
    content[at : at + int.from_bytes(content[16:18], "big")] = bytes(int.from_bytes(content[16:18], "big"))
    path.write_bytes(content)
    named = {fault.seq for fault in found(path).faults if fault.kind is not FaultKind.STRUCTURE}
    assert named == there


@pytest.mark.parametrize("seq", [1, 700, ENTRIES])
def test_text_that_is_none_is_an_unreadable_entry(path: Path, seq: int) -> None:
    database = sqlite3.connect(path)
    database.execute("UPDATE entries SET body = CAST(x'ff7b' AS TEXT) WHERE seq = ?", (seq,))
    database.commit()
    database.close()
    assert [(fault.kind, fault.seq) for fault in found(path).faults] == [(FaultKind.UNREADABLE, seq)]


def test_a_file_that_gives_nothing_any_more_is_one_fault_after_many(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for at, _ in leaves(path):
        content[at] = 0xFF
    path.write_bytes(content)
    result = found(path)
    assert result.entries == 0
    assert len(result.faults) + result.unlisted > UNREADABLE_ON_END
    assert result.faults[-1].seq <= ENTRIES
    assert not result.sound


def test_a_clock_that_was_set_back_is_told_with_its_entry_and_the_record_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    wall = iter([100.0, 101.0, 41.5, 90.0, 29.0, 30.0])
    journal = Journal.open(path, KEY, monotonic=lambda: 5.0, wall=lambda: 50.0)
    for now in wall:
        journal.append_note("n", wall=now, host_monotonic=5.0)
    journal.close()
    result = found(path)
    assert [(clock.seq, clock.text) for clock in result.clocks] == [
        (5, "the clock went back by 61 s: 1970-01-01 00:01:30Z before it, 1970-01-01 00:00:29Z in it")
    ]
    assert result.sound


def test_a_clock_set_back_at_rest_is_told_by_the_machines_own_clock(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, monotonic=lambda: 5.0, wall=lambda: 50.0)
    for host, wall in [(10.0, 1e6), (10_000.0, 1e6 + 10.0), (3.0, 1e6 + 20.0), (4.0, 1e300), (4.0, 1e6)]:
        journal.append_note("n", wall=wall, host_monotonic=host)
    journal.close()
    assert [clock.seq for clock in found(path).clocks] == [2, 5]
