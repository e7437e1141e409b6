"""How long a table has been silent is kept over a witness's starts, with few writes."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from feltd.text.atomic_file import replace_atomically
from feltd.witness import silences
from feltd.witness.ledger import AlarmKind, Ledger
from feltd.witness.silences import FILE, STEP, Clocks, Found, Silences
from tests.witness.witness_support import Clock, Table, witness_of

TABLES = ("7", "8")
ODD = [b'{"closed": true, "seconds": {"7": %s}, "alarmed": []}' % seconds for seconds in (b"NaN", b"-1e9", b"Infinity")]
"""Each would keep a table quiet for ever, or alarm it at once."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


def begun(
    folder: Path, clock: Clock, wall: float = 0.0, boot: str = "one", found: Mapping[str, Found] | None = None
) -> Silences:
    return Silences(folder, TABLES, 60.0, Clocks(clock, lambda: wall, boot), found or {})


def alarmed(witness: Silences) -> list[str]:
    """The tables whose silence is alarmed now, and the alarm is on the disk."""
    due = witness.due()
    for table in due:
        witness.alarmed(table)
    return due


def test_a_table_that_was_silent_before_a_start_is_alarmed_in_time(tmp_path: Path, clock: Clock) -> None:
    before = begun(tmp_path, clock)
    clock.now = 50.0
    assert before.heard("8") is False
    before.keep(closing=True)
    clock.now = 5000.0  # while no witness ran nobody could be heard
    after = begun(tmp_path, clock)
    assert alarmed(after) == []
    clock.now = 5010.5
    assert alarmed(after) == ["7"]
    clock.now = 5060.5
    assert alarmed(after) == ["8"], "once"


def test_an_alarmed_silence_is_not_alarmed_again_by_the_next_start_and_ends_there(tmp_path: Path, clock: Clock) -> None:
    before = begun(tmp_path, clock)
    clock.now = 61.0
    assert alarmed(before) == list(TABLES)
    before.keep()
    after = begun(tmp_path, clock)
    clock.now = 200.0
    assert alarmed(after) == []
    assert after.heard("7") is True
    clock.now = 300.0
    assert alarmed(after) == ["7"]


def test_a_witness_that_is_killed_again_and_again_alarms_all_the_same(tmp_path: Path, clock: Clock) -> None:
    """However soon, and however often: each time counts as long as it was, by the clock that killing does not touch."""
    for every in (2.0, 7.0, 23.0, 45.0):
        (tmp_path / FILE).unlink(missing_ok=True)
        begin, found = clock.now, dict[str, float]()
        while "7" not in found:
            witness = begun(tmp_path, clock)
            witness.keep()
            clock.now += every
            found |= dict.fromkeys(alarmed(witness), clock.now - begin)
            witness.heard("8")
            witness.keep()
        assert 60.0 < found["7"] <= 60.0 / 0.4 + every, f"killed every {every} s"
        assert "8" not in found


def test_kills_right_after_each_other_alarm_no_table_that_was_heard(tmp_path: Path, clock: Clock) -> None:
    witness = begun(tmp_path, clock)
    witness.keep()
    clock.now = 40_000.0
    witness.heard("7")
    witness.heard("8")
    witness.keep()
    for _ in range(8):
        clock.now += 2.0
        witness = begun(tmp_path, clock)
        assert alarmed(witness) == []
        witness.keep()
    clock.now += 60.0
    assert alarmed(witness) == list(TABLES), "the time before them counts once, as two fifths"


@pytest.mark.parametrize(("wall", "counted"), [(5.0, 5.0), (3600.0, 24.0), (-1.0, 24.0)])
def test_behind_another_start_of_the_system_the_wall_clock_says_how_much_was_lost(
    tmp_path: Path, clock: Clock, wall: float, counted: float
) -> None:
    begun(tmp_path, clock).keep()
    clock.now = 0.0
    witness = begun(tmp_path, clock, wall, "another")
    clock.now = 60.0 - counted
    assert alarmed(witness) == []
    clock.now += 0.1
    assert alarmed(witness) == list(TABLES)


@pytest.mark.parametrize(("heard_at", "counted"), [(3595.0, 5.0), (0.0, 24.0), (3601.0, 24.0), (None, 24.0)])
def test_a_table_that_was_heard_until_the_kill_was_silent_no_longer_than_since_then(
    tmp_path: Path, clock: Clock, heard_at: float | None, counted: float
) -> None:
    """A witness whose tables are heard writes nothing for hours; their files of heads say when they were heard."""
    begun(tmp_path, clock).keep()
    witness = begun(tmp_path, clock, 3600.0, "another", {"7": Found(heard_at)})
    clock.now += 60.0 - counted
    assert "7" not in alarmed(witness)
    clock.now += 0.1
    assert "7" in alarmed(witness)


@pytest.mark.parametrize(("alarmed_at", "again"), [(7.0, []), (4.0, ["7"]), (None, ["7"])])
def test_a_silence_that_was_alarmed_before_the_kill_is_not_alarmed_again(
    tmp_path: Path, clock: Clock, alarmed_at: float | None, again: list[str]
) -> None:
    begun(tmp_path, clock, 5.0).keep()
    witness = begun(tmp_path, clock, 8.0, "another", {"7": Found(None, alarmed_at)})
    clock.now += 70.0
    assert [table for table in alarmed(witness) if table == "7"] == again
    assert witness.heard("7") is True


def test_a_start_finds_in_a_tables_own_files_when_it_was_heard_and_alarmed(tmp_path: Path) -> None:
    table, folder, now = Table(tmp_path), tmp_path / "witness", [100.0]
    table.sign(1)
    folder.mkdir()
    heads = folder / "7.heads"
    heads.write_text(table.file.read_text() + "1 torn")
    os.utime(heads, (50.0, 50.0))

    def ledger() -> Ledger:
        return Ledger(folder, "7", table.first.key, lambda: now[0], 60.0)

    assert (ledger().heard_at, ledger().newest_of_silence()) == (50.0, None)
    assert heads.stat().st_mtime == 50.0, "what was torn is cut off, and that is no sign of life"
    ledger().tell(AlarmKind.SILENT, "no new head has come")
    now[0] = 200.0
    ledger().tell(AlarmKind.SHORTER, "it was put back")
    assert ledger().newest_of_silence() == (100.0, AlarmKind.SILENT)
    with (folder / "7.alarms").open("a") as alarms:
        alarms.write('{"kind": "silent"}\n{torn\n')
    assert ledger().newest_of_silence() == (100.0, AlarmKind.SILENT)
    ledger().tell(AlarmKind.HEARD, "the table is heard again")
    assert ledger().newest_of_silence() == (200.0, AlarmKind.HEARD)


def test_a_witness_that_is_killed_right_behind_an_alarm_writes_it_once(tmp_path: Path) -> None:
    table, folder, clock, wall = Table(tmp_path), tmp_path / "witness", Clock(), [5000.0]

    def silences_in_alarms() -> int:
        return (folder / "7.alarms").read_text().count('"silent"')

    witness = witness_of(folder, table, clock=clock, wall=lambda: wall[0])
    witness.look()
    kept = (folder / FILE).read_bytes()
    clock.now, wall[0] = clock.now + 61.0, 5061.0
    witness.look()
    assert silences_in_alarms() == 1
    witness.close()
    (folder / FILE).write_bytes(kept)  # as the kill left it
    again = witness_of(folder, table, clock=clock, wall=lambda: wall[0])
    clock.now += 200.0
    again.look()
    assert silences_in_alarms() == 1
    again.close()


def test_a_witness_that_is_killed_right_behind_a_tables_return_alarms_its_next_silence(tmp_path: Path) -> None:
    table, folder, clock, wall = Table(tmp_path), tmp_path / "witness", Clock(), [5000.0]
    table.sign(1)

    def later(seconds: float) -> None:
        clock.now, wall[0] = clock.now + seconds, wall[0] + seconds

    witness = witness_of(folder, table, clock=clock, wall=lambda: wall[0])
    later(61.0)
    witness.look()
    kept = (folder / FILE).read_bytes()
    later(10.0)
    Ledger(folder, "7", table.first.key, lambda: wall[0], 60.0).tell(AlarmKind.HEARD, "the table is heard again")
    witness.close()
    (folder / FILE).write_bytes(kept)  # as the kill left it
    again = witness_of(folder, table, clock=clock, wall=lambda: wall[0])
    later(61.0)
    again.look()
    assert (folder / "7.alarms").read_text().count('"silent"') == 2
    again.close()


def test_an_alarm_behind_a_line_that_a_power_cut_tore_is_a_line_of_its_own(tmp_path: Path) -> None:
    table, folder = Table(tmp_path), tmp_path / "witness"
    folder.mkdir()
    alarms = folder / "7.alarms"
    alarms.write_text('{"at": 1.0, "kind": "silent", "words": "", "line": ""}\n{"at": 2.0, "ki')
    ledger = Ledger(folder, "7", table.first.key, lambda: 3.0, 60.0)
    ledger.tell(AlarmKind.HEARD, "the table is heard again")
    assert ledger.newest_of_silence() == (3.0, AlarmKind.HEARD)
    ledger.tell(AlarmKind.SILENT, "no new head has come")
    assert len(alarms.read_text().splitlines()) == 4


def test_what_a_witness_of_before_0_12_has_kept_is_gone_on_with(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / FILE).write_text('{"closed": false, "seconds": {"7": 24.0, "8": 0.0}, "alarmed": ["8"]}')
    witness = begun(tmp_path, clock)
    clock.now = 12.1
    assert alarmed(witness) == ["7"]
    assert witness.heard("8") is True


def test_a_silence_whose_alarm_is_on_no_disk_is_alarmed_by_the_next_start(tmp_path: Path, clock: Clock) -> None:
    witness = begun(tmp_path, clock)
    clock.now = 61.0
    assert witness.due() == witness.due() == list(TABLES), "until it is said"
    assert alarmed(witness) == list(TABLES)
    witness.keep(unwritten={"7"})
    after = begun(tmp_path, clock)
    clock.now = 61.0 + STEP * 60.0
    assert alarmed(after) == ["7"]


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
        alarmed(witness)
        witness.keep()
    assert len(written) <= 5


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"seconds": 3}', b'{"seconds": {"7": "x"}}', b"\xff", *ODD])
def test_of_a_damaged_file_each_table_has_its_whole_time(tmp_path: Path, clock: Clock, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    witness = begun(tmp_path, clock)
    clock.now = 60.0
    assert alarmed(witness) == []
    clock.now = 60.1
    assert alarmed(witness) == list(TABLES)


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
