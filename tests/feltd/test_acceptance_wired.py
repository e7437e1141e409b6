"""The acceptance by loop-back wires: a whole table on mock pins, worked by its own spare lines while feltd plays it."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

import pytest

from devices.pins.errors import PinBusyError
from devices.pins.lines import OutputLine
from devices.pins.on_mock import CHIP
from feltd.acceptance import wires as wires_module
from feltd.acceptance.alone import OtherRunError, alone
from feltd.acceptance.run import StepResult
from feltd.acceptance.session import Wanted, accept
from feltd.acceptance.wires import WireError, Wires, check_spare, read_wires
from feltd.door.devices import TrialKind
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.table.config.config import load_config
from feltd.text.errors import FeltdError
from tests.feltd.acceptance_support import ANNA, SECRET, MockWires, PlayedTable, played, write_table

PINS = """
[pins]
factory = "mock"
stuck_seconds = 0.4
quiet_seconds = 0.1
key_switch = "floor-key"
[pins.matrix]
rows = [7, 8]
columns = [9]
diodes = true
[[pins.key]]
name = "betting_closed"
line = 17
[[pins.key]]
name = "call_the_floor"
says = { ev = "floor_called", by = "seat:2" }
line = 23
[[pins.key]]
name = "supervisor"
line = 24
[[pins.key]]
name = "hand_end"
row = 1
column = 1
[[pins.lamp]]
name = "play"
line = 12
[[pins.lamp]]
name = "attention"
line = 16
active = "low"
[[pins.lamp]]
name = "stop"
line = 20
[[pins.lamp]]
name = "fault"
line = 27
[pins.buzzer]
line = 21
[pins.gate]
line = 26
[[pins.marker]]
seat = 2
line = 3
debounce_ms = 10
[[pins.marker]]
seat = 2
marker = "buck"
line = 4
debounce_ms = 10
[pins.dropbox]
present = { line = 5, pull = "none" }
locked = { line = 6, pull = "none" }
[[pins.dropbox.channel]]
cents = 500
line = 13
active = "high"
pull = "none"
"""
KEYS_ALONE = PINS[: PINS.index("[[pins.lamp]]")]
LINES = (17, 23, 24, 12, 16, 20, 27, 21, 26, 3, 4, 5, 6, 13)
WIRES = {f"FELTD_WIRE_{line}": str(100 + line) for line in LINES}
ENDS = {100 + line: line for line in LINES}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fresh pins, the drop box in its place; tests of lamps and waits shorter than at a table."""
    monkeypatch.setattr(
        "feltd.table.workshop.device_tests._SECONDS",
        MappingProxyType({kind: 30.0 if kind is TrialKind.LISTEN else 0.15 for kind in TrialKind}),
    )
    monkeypatch.setattr(wires_module, "SEEN_WITHIN", 5.0)
    monkeypatch.setattr(wires_module, "_SETTLES", 0.1)
    monkeypatch.setattr("feltd.acceptance.session.PATIENCE", 10.0)
    monkeypatch.setattr(wires_module, "PRESSED_SECONDS", 0.03)
    monkeypatch.setattr("feltd.acceptance.run.SETTLES", 0.1)
    CHIP.pins.clear()
    for line in (5, 6, 13):
        CHIP.pin(line).drive_low()
    yield
    CHIP.pins.clear()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_table(tmp_path, PINS)


def run(table: PlayedTable, wires: MockWires, named: dict[str, str], account: bool = True) -> tuple[bool, str]:
    """Whether nothing failed, and the report as it was kept."""
    wanted = Wanted(table.file, table.config, (ANNA, SECRET) if account else None, None, 60.0)
    said: list[str] = []
    fine = accept(wanted, named, said.append, lock=table.file.with_name("lock"), chip=wires)
    [kept] = table.file.with_name("acceptance").iterdir()
    report = kept.read_text()
    assert report in said
    return fine, report


def outcomes(report: str, outcome: StepResult) -> list[str]:
    words = outcome.value
    return [line[22:].split("   ")[0] for line in report.splitlines() if line[13:21].strip() == words]


def test_every_part_of_a_table_is_worked_by_wires_and_passes(file: Path) -> None:
    with played(file) as table:
        wires = MockWires(ENDS)
        fine, report = run(table, wires, WIRES)
    assert fine, report
    assert outcomes(report, StepResult.LEFT_OUT) == ["key hand_end"]
    assert "FELTD_WIRE_R1C1 is not set" in report
    assert outcomes(report, StepResult.FAILED) == []
    passed = outcomes(report, StepResult.PASSED)
    for part in ("key betting_closed", "lamp play: a test lights it", "buzzer: a test sounds it", "buck at seat 2",
                 "ready to play: gate unlocked", "in test mode: gate locked", "channel 1: a chip of 500 cents",
                 "drop box: not locked", "a key is stuck: lamp fault lit"):  # fmt: skip
        assert part in passed
    assert sorted(wires.given_back) == sorted(100 + line for line in (17, 23, 24, 3, 4, 5, 6, 13))
    assert "RESULT: nothing failed; 1 of" in report


def test_what_is_broken_has_failed_and_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wire of a key is cut, two markers' are crossed, and a lamp never lights."""
    monkeypatch.setattr(wires_module, "SEEN_WITHIN", 0.5)
    monkeypatch.setattr("feltd.acceptance.session.PATIENCE", 1.0)
    with played(file) as table:
        ends = {**ENDS, 103: 4, 104: 3, 112: 99}
        fine, report = run(table, MockWires(ends, cut={117}), WIRES)
    assert not fine
    failed = outcomes(report, StepResult.FAILED)
    assert "key betting_closed" in failed
    assert {"button at seat 2", "buck at seat 2"} <= set(failed)
    assert {"lamp play: a test lights it", "ready to play: lamp play lit"} <= set(failed)
    flat = " ".join(report.split())
    assert "keys:pins did not say betting_closed within 1 s" in flat
    assert "the record has no marker.placed (marker button, seat 2) within 1 s, but marker.placed (marker buck" in flat
    assert f"RESULT: {len(failed)} of" in report


def test_a_key_of_the_matrix_is_closed_by_a_switch_that_a_line_drives(tmp_path: Path) -> None:
    matrix = KEYS_ALONE.replace("rows = [7, 8]", "rows = [7]")
    with played(write_table(tmp_path, matrix)) as table:
        wires = MockWires({}, cells={109: (7, 9)})
        fine, report = run(table, wires, {"FELTD_WIRE_R1C1": "109"})
    assert fine
    assert "key hand_end" in outcomes(report, StepResult.PASSED)


def test_two_parts_that_answer_together_are_a_fault(tmp_path: Path) -> None:
    """A short between two keys: whoever presses the one presses the other."""

    class Pair:
        def __init__(self, *lines: OutputLine) -> None:
            self._lines = lines

        def write(self, high: bool) -> None:
            for line in self._lines:
                line.write(high)

        def close(self) -> None:
            for line in self._lines:
                line.close()

    class Shorted(MockWires):
        def output(self, line: int, high: bool) -> OutputLine:
            made = super().output(line, high)
            return Pair(made, super().output(124, high)) if line == 117 else made

    with played(write_table(tmp_path, KEYS_ALONE)) as table:
        fine, report = run(table, Shorted(ENDS), {"FELTD_WIRE_17": "117", "FELTD_WIRE_24": "124"})
    assert not fine
    assert outcomes(report, StepResult.FAILED) == ["key betting_closed"]
    assert "keys:pins said decision (decision acknowledge) where" in " ".join(report.split())


def test_without_an_account_keys_are_seen_in_the_record_and_tests_are_left_out_and_counted(file: Path) -> None:
    with played(file) as table:
        fine, report = run(table, MockWires(ENDS), WIRES, account=False)
    assert fine, report
    assert "key betting_closed" in outcomes(report, StepResult.PASSED)
    left_out = outcomes(report, StepResult.LEFT_OUT)
    assert {"test mode begins", "lamp play: a test lights it", "buzzer: a test sounds it"} <= set(left_out)
    assert f"{len(left_out)} left out" in report
    assert "nobody is signed in at the table" in " ".join(report.split())
    assert "see at the page what this run has raised" in report


def test_somebody_who_may_not_test_is_told_before_anything_is_driven(file: Path) -> None:
    AccountBook(file.with_name("accounts.json")).add("olga", Role.OBSERVER, SECRET)
    with played(file) as table:
        wanted = Wanted(table.file, table.config, ("olga", SECRET), None, 60.0)
        with pytest.raises(FeltdError, match="olga is observer: only a technician tests devices"):
            accept(wanted, WIRES, print, lock=file.with_name("lock"), chip=MockWires(ENDS))
        wrong = Wanted(table.file, table.config, (ANNA, "nonsense"), None, 60.0)
        with pytest.raises(FeltdError, match="anna cannot sign in"):
            accept(wrong, WIRES, print, lock=file.with_name("lock"), chip=MockWires(ENDS))


def test_a_table_that_does_not_run_cannot_be_tried(file: Path) -> None:
    with played(file):
        pass
    wanted = Wanted(file, load_config(file), None, None, 60.0)
    with pytest.raises(FeltdError, match="the table must run while it is tried"):
        accept(wanted, WIRES, print, lock=file.with_name("lock"), chip=MockWires(ENDS))


def test_mock_pins_of_another_process_cannot_be_wired(file: Path) -> None:
    with played(file) as table, pytest.raises(FeltdError, match="factory is mock: no line of this board"):
        accept(Wanted(file, table.config, None, None, 60.0), WIRES, print, lock=file.with_name("lock"))


# -- the environment


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("17", "abc", '"abc" is no line: write the number of a spare line, 0 to 511'),
        ("17", "", '"" is no line'),
        ("17", "-5", '"-5" is no line'),
        ("17", "512", '"512" is no line'),
        ("17", "²", '"²" is no line'),
        ("", "5", "names no line of the table: write FELTD_WIRE_17=5"),
        ("LAMP", "5", "names no line of the table"),
        ("R9C1", "5", "names no line of the table"),
        ("17", "17", "both ends are line 17: a wire joins two lines"),
        ("99", "50", "line 99 is no part of this table: [pins] has 3 (pins.marker.0)"),
        ("17", "12", "line 12 is the table's own (pins.lamp.0), and feltd holds it: use a spare one"),
        ("17", "7", "line 7 is the table's own (pins.matrix.rows), and feltd holds it"),
        ("R2C1", "50", "there is no key in row 2, column 1 of [pins.matrix]"),
    ],
)
def test_a_wire_that_cannot_be_is_told_with_its_variable(file: Path, name: str, value: str, words: str) -> None:
    pins = load_config(file).pins
    assert pins is not None
    with pytest.raises(WireError) as told:
        read_wires({f"FELTD_WIRE_{name}": value, "FELTD_WIRE_23": "50" if value != "50" else "51"}, pins)
    assert str(told.value).startswith(f"FELTD_WIRE_{name}")
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_every_fault_of_the_wires_is_told_at_once(file: Path) -> None:
    pins = load_config(file).pins
    assert pins is not None
    named = {"FELTD_WIRE_17": "x", "FELTD_WIRE_23": "50", "FELTD_WIRE_24": "50", "FELTD_WIRE_98": "1", "HOME": "/"}
    with pytest.raises(WireError) as told:
        read_wires(named, pins)
    faults = str(told.value).splitlines()
    assert len(faults) == 3
    assert faults[1] == "FELTD_WIRE_24=50: line 50 is the other end of FELTD_WIRE_23 already: one wire for each line"


def test_no_wire_at_all_is_told_with_an_example(file: Path) -> None:
    pins = load_config(file).pins
    assert pins is not None
    with pytest.raises(WireError, match="no wire is named: FELTD_WIRE_17=5 says"):
        read_wires({"HOME": "/"}, pins)
    assert read_wires({"FELTD_WIRE_17": " 5 ".replace("5", "50")}, pins) == Wires({17: 50}, {})


def test_a_spare_line_that_somebody_holds_is_told_before_the_run(file: Path) -> None:
    class Held(MockWires):
        def check(self, line: int) -> None:
            if line in (117, 123):
                raise PinBusyError(f"line {line} is busy")

    with played(file) as table, pytest.raises(WireError, match="line 117 is busy\nline 123 is busy"):
        accept(Wanted(file, table.config, None, None, 60.0), WIRES, print, lock=file.with_name("lock"), chip=Held(ENDS))
    check_spare(Held(ENDS), Wires({12: 112}, {}))


# -- one run at a time


def test_a_second_run_is_refused_and_told_who_is_at_work(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with (
        alone("Table 7", lock),
        pytest.raises(OtherRunError, match=rf"at work on this board \(process {os.getpid()}, Table 7\)"),
        alone("Table 8", lock),
    ):
        pass
    with alone("Table 8", lock):
        pass


def test_a_lock_that_a_killed_run_left_behind_bars_nobody(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    child = os.fork()
    if child == 0:  # ends as a killed run does: with the lock taken and its words in the file
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, b"process 99, a table that is gone and has a long name\n")
        os._exit(9)
    os.waitpid(child, 0)
    with alone("Table 7", lock):
        assert lock.read_text() == f"process {os.getpid()}, Table 7\n"
    assert lock.read_text() == ""


def test_a_lock_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(OtherRunError, match="the lock of this board cannot be used"),
        alone("T", tmp_path / "no" / "lock"),
    ):
        pass
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OtherRunError, match="cannot be used"), alone("T", tmp_path / "link"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_lock_that_is_another_file_by_a_second_name_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "of somebody").write_text("of somebody")
    os.link(tmp_path / "of somebody", tmp_path / "lock")
    os.mkfifo(tmp_path / "pipe")
    for laid in ("lock", "pipe"):
        with pytest.raises(OtherRunError, match="was laid there by somebody"), alone("T", tmp_path / laid):
            pass
    assert (tmp_path / "of somebody").read_text() == "of somebody"
