"""How long a table has been silent is kept over a witness's starts, with few writes."""

import os
from pathlib import Path

import pytest

from feltd.text.atomic_file import replace_atomically
from feltd.witness import silences
from feltd.witness.silences import FILE, Silences
from tests.witness.witness_support import Clock, Table, witness_of

TABLES = ("7", "8")


@pytest.fixture
def clock() -> Clock:
    return Clock()


def begun(folder: Path, clock: Clock) -> Silences:
    return Silences(folder, TABLES, 60.0, clock)


def test_a_table_that_was_silent_before_a_start_is_alarmed_in_time(tmp_path: Path, clock: Clock) -> None:
    before = begun(tmp_path, clock)
    clock.now = 50.0
    assert before.heard("8") is False
    before.keep(closing=True)
    clock.now = 5000.0  # while no witness ran nobody could be heard
    after = begun(tmp_path, clock)
    assert list(after.due()) == []
    clock.now = 5010.5
    assert list(after.due()) == ["7"]
    clock.now = 5060.5
    assert list(after.due()) == ["8"], "once"


def test_an_alarmed_silence_is_not_alarmed_again_by_the_next_start_and_ends_there(tmp_path: Path, clock: Clock) -> None:
    before = begun(tmp_path, clock)
    clock.now = 61.0
    assert list(before.due()) == list(TABLES)
    before.keep()
    after = begun(tmp_path, clock)
    clock.now = 200.0
    assert list(after.due()) == []
    assert after.heard("7") is True
    clock.now = 300.0
    assert list(after.due()) == ["7"]


def test_a_witness_that_is_killed_again_and_again_alarms_all_the_same(tmp_path: Path, clock: Clock) -> None:
    found: list[str] = []
    for _ in range(5):
        witness = begun(tmp_path, clock)
        witness.keep()
        clock.now += 2.0
        found += witness.due()
        witness.heard("8")
        witness.keep()
    assert found == ["7"]


def test_of_tables_that_are_heard_nothing_is_written(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = begun(tmp_path, clock)
    written = []
    as_before = replace_atomically

    def counted(path: Path, content: bytes, owner: os.stat_result) -> None:
        written.append(content)
        as_before(path, content, owner)

    monkeypatch.setattr(silences, "replace_atomically", counted)
    for second in range(600):
        clock.now = float(second)
        for table in TABLES if second % 20 == 0 else ():
            witness.heard(table)
        witness.keep()
    assert len(written) == 1
    for second in range(600, 6000):
        clock.now = float(second)
        list(witness.due())
        witness.keep()
    assert len(written) <= 5


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"seconds": 3}', b'{"seconds": {"7": "x"}}', b"\xff"])
def test_of_a_damaged_file_each_table_has_its_whole_time(tmp_path: Path, clock: Clock, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    witness = begun(tmp_path, clock)
    clock.now = 60.0
    assert list(witness.due()) == []
    clock.now = 60.1
    assert list(witness.due()) == list(TABLES)


def test_a_full_disk_keeps_no_witness_from_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    witness = witness_of(tmp_path / "witness", Table(tmp_path))
    monkeypatch.setattr(silences, "replace_atomically", full)
    witness.close()
    assert f"{FILE} cannot be written" in caplog.text
    monkeypatch.undo()
    witness_of(tmp_path / "witness", Table(tmp_path)).close()  # the folder was let go
