"""The acceptance run: every part of a configuration has its steps, a fault is told, one run at a time on a board."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from feltd.config import TableConfig, read_config
from hil_tests.acceptance.__main__ import main, report
from hil_tests.acceptance.hands import CannotDoError, GuidedHands, OtherRunError, WiredHands, alone
from hil_tests.acceptance.run import Outcome, carry_out
from hil_tests.acceptance.steps import Act, Expected, Motion, Step, lamps_of, steps_of

CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[[device]]
name = "shoe"
role = "shoe"
port = "/dev/serial/by-id/usb-Felt_Shoe_S1042-if00"
key_file = "shoe.key"
[pins]
chip = "pinctrl-bcm2711"
[[pins.key]]
name = "floor_called"
line = 17
[[pins.lamp]]
name = "attention"
line = 22
[[pins.marker]]
seat = 3
line = 9
[pins.dropbox]
present = { line = 10 }
[[pins.dropbox.channel]]
cents = 500
line = 12
active = "high"
[journal]
path = "table.journal"
sealing_key_file = "journal.key"
"""


@pytest.fixture
def config() -> TableConfig:
    return read_config(CONFIG, "table.toml", Path("/nowhere"))


class Table:
    """Hands and record in one: what is done shows in the record, but for what is broken."""

    def __init__(self, steps: list[Step], broken: str = "", dark: bool = False) -> None:
        self._says = {step.motion: step.expected for step in steps if step.name != broken}
        self._dark = dark
        self.done: list[Motion] = []
        self.events: list[Expected] = []

    def do(self, motion: Motion) -> None:
        self.done.append(motion)
        if (expected := self._says.get(motion)) is not None:
            self.events.append(expected)

    def lit(self, lamp: str, line: int) -> bool:
        return not self._dark and (lamp, line) == ("attention", 22)

    def last(self) -> int:
        return len(self.events)

    def has(self, expected: Expected, after: int, seconds: float) -> bool:
        return expected in self.events[after:]


def test_every_part_of_the_table_has_its_steps(config: TableConfig) -> None:
    assert [(step.name, step.motion.act, step.motion.line, step.expected) for step in steps_of(config)] == [
        ("key floor_called", Act.PRESS, 17, Expected("floor.called")),
        ("button at seat 3", Act.ON, 9, Expected("marker.placed", {"marker": "button", "seat": 3})),
        ("button away from seat 3", Act.OFF, 9, None),
        ("chip of 500 cents", Act.PRESS, 12, Expected("dropbox.chip", {"cents": 500})),
        ("drop box: not present", Act.OFF, 10, Expected("dropbox.state", {"present": False})),
        ("drop box: present", Act.ON, 10, Expected("dropbox.state", {"present": True})),
        ("shoe is unplugged", Act.UNPLUG, None, Expected("device.state", {"device": "shoe", "online": False})),
        ("shoe is plugged in again", Act.PLUG, None, Expected("device.state", {"device": "shoe", "online": True})),
    ]
    chip = next(step for step in steps_of(config) if step.name.startswith("chip"))
    assert not chip.motion.active_low


def test_what_works_passes(config: TableConfig) -> None:
    steps = list(steps_of(config))
    table = Table(steps)
    results = carry_out(steps, table, table, lamps_of(config))
    assert {result.outcome for result in results} == {Outcome.PASSED}
    assert table.done == [step.motion for step in steps]


@pytest.mark.parametrize("broken", ["key floor_called", "chip of 500 cents", "shoe is plugged in again"])
def test_what_the_record_does_not_say_has_failed_and_is_named(config: TableConfig, broken: str) -> None:
    steps = list(steps_of(config))
    table = Table(steps, broken)
    results = carry_out(steps, table, table, lamps_of(config))
    assert [result.step for result in results if result.outcome is Outcome.FAILED] == [broken]
    assert f"FAILED    {broken}" in report("Table 7", results)
    assert "8 steps: 7 passed, 1 FAILED, 0 left out" in report("Table 7", results)


def test_a_lamp_that_stays_dark_has_failed(config: TableConfig) -> None:
    steps = list(steps_of(config))
    table = Table(steps, dark=True)
    [failed] = [one for one in carry_out(steps, table, table, lamps_of(config)) if one.outcome is Outcome.FAILED]
    assert (failed.step, failed.why) == ("key floor_called", "the lamp attention is not lit")


def test_a_person_is_told_what_to_do_and_may_leave_it_out(config: TableConfig) -> None:
    asked: list[str] = []
    answers = iter(["", "y", "s"])

    def ask(words: str) -> str:
        asked.append(words)
        return next(answers)

    hands = GuidedHands(ask)
    steps = list(steps_of(config))
    hands.do(steps[0].motion)
    assert hands.lit("attention", 22)
    with pytest.raises(CannotDoError, match="left out"):
        hands.do(steps[1].motion)
    assert asked[0].startswith("Press the key floor_called (line 17).")
    assert asked[1].startswith("Is the lamp attention lit?")
    assert asked[2].startswith("Put the button at seat 3 (line 9).")


class Line:
    def __init__(self, levels: list[tuple[int, bool]], line: int, high: bool) -> None:
        self._levels, self._line = levels, line
        self.high = high
        levels.append((line, high))

    def write(self, high: bool) -> None:
        self._levels.append((self._line, high))

    def close(self) -> None:
        self._levels.append((self._line, False))


class Chip:
    label, library, errors = "chip", "none", ()

    def __init__(self) -> None:
        self.levels: list[tuple[int, bool]] = []

    def output(self, line: int, high: bool) -> Line:
        return Line(self.levels, line, high)

    def input(self, line: int, pull: str) -> Line:
        return Line([], line, True)


def test_wires_are_named_by_the_environment(config: TableConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hil_tests.acceptance.hands.PRESSED_SECONDS", 0)
    chip = Chip()
    hands = WiredHands(chip, {"FELTD_WIRE_17": "5", "FELTD_WIRE_22": "6", "HOME": "/"})  # type: ignore[arg-type]
    steps = list(steps_of(config))
    hands.do(steps[0].motion)
    assert chip.levels == [(5, False), (5, True)]
    assert hands.lit("attention", 22)
    with pytest.raises(CannotDoError, match="FELTD_WIRE_9"):
        hands.do(steps[1].motion)
    with pytest.raises(CannotDoError, match="--guided"):
        hands.do(steps[-1].motion)


@pytest.fixture
def taken(tmp_path: Path) -> Iterator[Path]:
    with alone(tmp_path / "lock"):
        yield tmp_path / "lock"


def test_one_run_at_a_time_on_a_board(taken: Path) -> None:
    with pytest.raises(OtherRunError, match="another acceptance run"), alone(taken):
        pass


def test_a_table_without_a_record_cannot_be_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hil_tests.acceptance.hands.LOCK", tmp_path / "lock")
    monkeypatch.setattr("hil_tests.acceptance.__main__.alone", lambda: alone(tmp_path / "lock"))
    (tmp_path / "table.toml").write_text(CONFIG)
    assert main([str(tmp_path / "table.toml"), "--guided"]) == 2
    assert "there is no journal here" in capsys.readouterr().err
