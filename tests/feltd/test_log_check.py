"""Damage in SQLite's write-ahead log, and the torn tail that a power cut leaves."""

import shutil
import sqlite3
import struct
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feltd.cli import cli
from feltd.record import JournalReader
from feltd.record.database import empty_log
from feltd.record.findings import FaultKind
from feltd.record.log_check import LogFault, fault_in, find_fault, log_file
from feltd.record.verify import verify
from feltd.table.check.record import record_faults
from feltd.table.journal import Journal
from feltd.text.errors import JournalCorrupt, JournalDisk
from table_fsm.events import Tick

KEY: Final = bytes(range(32))
COMMITS: Final = 12
HEADER: Final = 32


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a record as a kill leaves it: a commit for each of its last entries is in the log alone."""
    made, copy = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("killed") / "record"
    journal = Journal.open(made / "table.journal", KEY)
    for number in range(COMMITS):
        journal.append_event(Tick(t=float(number)), source=None, round_number=0, rulebook_digest=None)
        journal.flush_blocking(10)
    shutil.copytree(made, copy)
    journal.close()
    return copy


@pytest.fixture
def path(killed: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(killed, tmp_path / "record")) / "table.journal"


def frames(log: bytes) -> list[tuple[int, int, bool]]:
    """Each frame's first and last byte, and whether it ends a commit."""
    size = 24 + struct.unpack_from(">I", log, 8)[0]
    starts = range(HEADER, len(log) - size + 1, size)
    return [(at, at + size, struct.unpack_from(">I", log, at + 4)[0] > 0) for at in starts]


def flipped(log: bytes, at: int, bit: int = 0) -> bytes:
    return log[:at] + bytes([log[at] ^ (1 << bit)]) + log[at + 1 :]


def test_the_log_of_a_record_that_was_killed_is_whole(path: Path) -> None:
    log = log_file(path).read_bytes()
    assert sum(commits for _, _, commits in frames(log)) >= COMMITS
    assert find_fault(path) is None
    Journal.open(path, KEY).close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_any_flipped_bit_with_a_synced_commit_behind_it_is_told(killed: Path, data: st.DataObject) -> None:
    log = log_file(killed / "table.journal").read_bytes()
    every = frames(log)
    at = data.draw(st.integers(0, len(log) - 1))
    frame = next((number for number, (first, last, _) in enumerate(every, 1) if first <= at < last), 0)
    behind = sum(commits for _, _, commits in every[frame:-1])
    fault = fault_in(flipped(log, at, data.draw(st.integers(0, 7))))
    if behind:
        assert fault == LogFault(frame, behind)
    else:
        assert fault is None  # not to be told from a commit that was never synced


@pytest.mark.parametrize("zeros", [8, 24, 28, HEADER, 512, 4096])
def test_a_beginning_that_came_back_as_zeros_is_told_and_play_stops(path: Path, zeros: int) -> None:
    log = log_file(path)
    content = log.read_bytes()
    damaged = bytes(zeros) + content[zeros:]
    left = [commits for first, _, commits in frames(content) if first + 24 > zeros]
    assert fault_in(damaged) == LogFault(0, sum(left[:-1]))
    log.write_bytes(damaged)
    with pytest.raises(JournalCorrupt, match="the header of the write-ahead log is damaged"):
        Journal.open(path, KEY)
    assert log.read_bytes() == damaged


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_no_tail_that_a_power_cut_tears_is_held_to_be_damage(killed: Path, data: st.DataObject) -> None:
    """Any frames of the last commit may be missing, be an earlier generation's, or be half there."""
    log = log_file(killed / "table.journal").read_bytes()
    every = frames(log)
    synced = [last for _, last, commits in every if commits][-2]
    torn = bytearray(log[: data.draw(st.integers(synced, len(log)))])
    for first, last, _ in every:
        if first >= synced and last <= len(torn) and data.draw(st.booleans()):
            torn[first:last] = data.draw(st.sampled_from([bytes(last - first), log[HEADER : HEADER + last - first]]))
            torn[first + 8] ^= data.draw(st.sampled_from([0, 1]))  # the salt of an earlier generation
    assert fault_in(bytes(torn)) is None


@pytest.mark.parametrize("log", [b"", b"\0" * 31, b"\0" * 32, b"\0" * 5000, b"\x37\x7f\x06\x82" + b"\0" * 28])
def test_a_log_that_was_never_begun_is_no_damage(log: bytes) -> None:
    assert fault_in(log) is None


def test_frames_of_an_earlier_generation_are_no_damage(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    for number in range(COMMITS):
        journal.append_event(Tick(t=float(number)), source=None, round_number=0, rulebook_digest=None)
        journal.flush_blocking(10)
    connection = sqlite3.connect(journal.path, isolation_level=None)
    assert empty_log(connection, journal.path)
    journal.append_event(Tick(t=99.0), source=None, round_number=0, rulebook_digest=None)
    journal.flush_blocking(10)
    connection.close()
    log = log_file(journal.path).read_bytes()
    fault = find_fault(journal.path)
    journal.close()
    assert len({log[first + 8 : first + 16] for first, _, _ in frames(log)}) > 1
    assert fault is None


def test_play_stops_at_a_start_and_nothing_is_changed(path: Path) -> None:
    log = log_file(path)
    first, _, _ = frames(log.read_bytes())[3]
    damaged = flipped(log.read_bytes(), first + 40)
    log.write_bytes(damaged)
    with pytest.raises(JournalCorrupt, match=r"table\.journal-wal: frame 4 of the write-ahead log is damaged, and \d+"):
        Journal.open(path, KEY)
    assert log.read_bytes() == damaged
    assert next(iter(record_faults(path, lambda: None, KEY))).startswith("table.journal-wal: frame 4")


def test_verify_names_the_first_entry_that_is_lost(path: Path) -> None:
    log = log_file(path)
    before = JournalReader.open(path)
    whole = before.head().seq
    before.close()
    every = frames(log.read_bytes())
    log.write_bytes(flipped(log.read_bytes(), every[len(every) // 2][0] + 40))
    with JournalReader.open(path) as reader:
        told = [fault for fault in verify(reader).faults if fault.kind is FaultKind.LOG]
        assert [fault.seq for fault in told] == [reader.head().seq + 1]
        assert reader.head().seq < whole
    answer = CliRunner().invoke(cli, ["journal", "verify", str(path)])
    assert answer.exit_code == 1
    assert "synced commit" in answer.output


def test_a_log_that_cannot_be_read_says_so(path: Path) -> None:
    log_file(path).unlink()
    log_file(path).mkdir()
    with pytest.raises(JournalDisk, match=r"table\.journal-wal cannot be read: Is a directory"):
        find_fault(path)
