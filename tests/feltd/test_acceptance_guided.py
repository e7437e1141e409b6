"""The guided acceptance, as a technician has it: `feltd accept --guided` on a terminal, at a table that plays."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devices.pins.on_mock import CHIP
from feltd.acceptance.guided import GuidedHands
from feltd.acceptance.keyboard import Keyboard
from feltd.acceptance.run import AgainError, CannotDoError, Result, StepFailedError, StepResult, StopRunError
from feltd.acceptance.steps import Act, Motion, Sense, Shows, Step
from tests.feltd.acceptance_person import Person, Terminal, press
from tests.feltd.acceptance_support import ANNA, SECRET, PlayedTable, played, write_table

pytestmark = pytest.mark.slow

PINS = """
[pins]
factory = "mock"
stuck_seconds = 1
quiet_seconds = 0.1
key_switch = "floor-key"
[[pins.key]]
name = "betting_closed"
line = 17
[[pins.key]]
name = "call_the_floor"
says = { ev = "floor_called", by = "dealer" }
line = 23
[[pins.key]]
name = "supervisor"
line = 24
[[pins.lamp]]
name = "attention"
line = 16
[[pins.lamp]]
name = "stop"
line = 20
[pins.buzzer]
line = 21
[[pins.marker]]
seat = 2
line = 3
debounce_ms = 10
"""
STEPS = 14


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PlayedTable]:
    CHIP.pins.clear()
    with played(write_table(tmp_path, PINS)) as running:
        yield running
    CHIP.pins.clear()


def begun(table: PlayedTable, *words: str) -> Terminal:
    """The command, with anna signed in, before its first step."""
    file = table.file
    code = Terminal(str(file), "--guided", "--account", ANNA, "--lock", str(file.with_name("lock")), *words)
    code.until("Password of anna: ")
    code.type(f"{SECRET}\n")
    return code


def kept(table: PlayedTable) -> str:
    [file] = table.file.with_name("acceptance").iterdir()
    return file.read_text()


def in_test_mode(table: PlayedTable) -> bool:
    return bool(table.do(lambda: table.daemon.keeper.standing.testing))


def test_a_technician_is_led_through_the_whole_table(table: PlayedTable) -> None:
    terminal = begun(table)
    Person(terminal).work()
    assert terminal.end() == 0, terminal.screen
    assert f"{STEPS} steps: {STEPS} passed, 0 FAILED, 0 left out: every step passed" in terminal.screen
    report = kept(table)
    assert report in terminal.screen
    assert max(map(len, report.splitlines())) <= 78
    assert SECRET not in terminal.screen
    for words in ("anna (signed in at the table)", "Table 9", "RESULT: every step passed", "Supervisor:", "Technician:",
                  "keys:pins", "SHA-256  "):  # fmt: skip
        assert words in report
    assert not in_test_mode(table)


def test_a_step_is_begun_again_left_out_with_a_reason_or_stays_failed(table: PlayedTable) -> None:
    terminal = begun(table)
    lines = iter((24, 17))
    answers: dict[str, Callable[[], None]] = {
        "Press the key betting_closed": lambda: press(next(lines)),
        "Was the buzzer heard": lambda: terminal.type("n"),
        "Put the button at seat 2": lambda: terminal.type("s"),
        "Why is it left out?": lambda: terminal.type("no magnet here\n"),
    }
    failures = iter("\nr")

    class Doing(Person):
        def _answer(self, words: str) -> None:
            if words.startswith("r begin again"):
                terminal.type(next(failures))
            else:
                super()._answer(words)

    Doing(terminal, instead=answers).work()
    assert terminal.end() == 1
    report = " ".join(kept(table).split())
    assert "keys:pins said decision (decision acknowledge) where betting_closed was to come" in terminal.screen.replace(
        "\n          ", " "
    )
    assert "passed key betting_closed" in report
    assert "at the 2nd try" in report
    assert "FAILED buzzer: a test sounds it the buzzer was not heard once" in report
    assert "left out button at seat 2 by the technician: no magnet here" in report
    assert f"RESULT: 1 of {STEPS} steps FAILED" in report


@pytest.mark.parametrize("how", ["q", "SIGINT", "SIGTERM", "hang up"])
def test_a_run_that_is_stopped_reports_all_the_same_and_leaves_no_test_mode(table: PlayedTable, how: str) -> None:
    terminal = begun(table)
    terminal.until(r"Is the lamp stop")
    assert in_test_mode(table)
    if how == "q":
        terminal.type("q")
    elif how == "hang up":
        terminal.hang_up()
    else:
        os.kill(terminal.process, getattr(signal, how))
    assert terminal.end() == 1
    report = kept(table)
    assert "RESULT: STOPPED BEFORE ITS END" in report
    assert f"{STEPS} steps: 1 passed, 0 FAILED, {STEPS - 1} left out" in report
    assert "the run was stopped" in " ".join(report.split())
    assert not in_test_mode(table)


def test_a_keyboard_that_ends_stops_the_run_and_it_reports(table: PlayedTable) -> None:
    words = ["accept", str(table.file), "--guided", "--account", ANNA, "--password-stdin"]
    words += ["--lock", str(table.file.with_name("lock"))]
    done = subprocess.run(
        [sys.executable, "-m", "feltd.cli", *words], input=f"{SECRET}\n\n", capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert "STOPPED BEFORE ITS END (the keyboard is gone)" in " ".join(kept(table).split())


def test_nobody_has_to_sign_in_and_is_told_what_is_left_out_then(table: PlayedTable) -> None:
    terminal = Terminal(str(table.file), "--guided", "--lock", str(table.file.with_name("lock")))
    terminal.until("Technician's account .*: ")
    terminal.type("\n")
    terminal.until("Press the key betting_closed")
    terminal.type("q")
    assert terminal.end() == 1
    report = " ".join(kept(table).split())
    assert "left out buzzer: a test sounds it nobody is signed in at the table" in report
    assert "Technician nobody was signed in" in report


# -- the person's side, by itself


class Typed:
    """Keys that come one at a time; None where the time passes without one."""

    def __init__(self, *keys: str | None, texts: tuple[str | None, ...] = ()) -> None:
        self._keys, self._texts = list(keys), list(texts)
        self.now = 0.0
        self.said: list[str] = []

    def forget(self) -> None:
        """Nothing is waiting."""

    def key(self, seconds: float) -> str | None:
        key = self._keys.pop(0) if self._keys else None
        self.now += seconds if key is None else 0.1
        return key

    def text(self, seconds: float) -> str | None:
        text = self._texts.pop(0) if self._texts else None
        self.now += seconds if text is None else 0.1
        return text

    def hands(self) -> GuidedHands:
        return GuidedHands(self, self.said.append, 30.0, lambda: self.now)


LAMP = Sense(Shows.ON, "Is it lit?", "it is dark")
LOOK = Step("lamp", Motion(Act.LOOK, "Look:"), sense=LAMP)


def test_a_question_is_answered_with_yes_or_no_and_nothing_else() -> None:
    typed = Typed("x", "\n", "y", "n")
    hands = typed.hands()
    hands.begin(LOOK, 1, 2)
    assert hands.sees(LAMP)
    assert not hands.sees(LAMP)


def test_what_nobody_answers_has_failed_when_its_time_is_over() -> None:
    typed = Typed()
    hands = typed.hands()
    hands.begin(LOOK, 1, 2)
    with pytest.raises(StepFailedError, match="nobody answered within 30 s"):
        hands.sees(LAMP)
    assert typed.now == pytest.approx(30.0)
    assert not hands.again(Result("lamp", StepResult.FAILED, why="dark"))  # nobody is there: the run goes on


@pytest.mark.parametrize(("key", "error"), [("r", AgainError), ("q", StopRunError)])
def test_while_something_is_waited_for_keys_are_heeded(key: str, error: type[Exception]) -> None:
    typed = Typed(None, key)
    hands = typed.hands()
    hands.begin(LOOK, 1, 2)
    hands.wait(0.05)
    with pytest.raises(error):
        hands.wait(0.05)


def test_to_leave_a_step_out_takes_a_reason() -> None:
    typed = Typed("s", "s", texts=("", "no card at hand"))
    hands = typed.hands()
    hands.begin(LOOK, 1, 2)
    with pytest.raises(CannotDoError, match="by the technician: no card at hand"):
        hands.wait(0.05)
    with pytest.raises(CannotDoError, match="no reason was given"):
        hands.wait(0.05)
    assert sum("Why is it left out?" in line for line in typed.said) == 3


def test_whoever_waits_is_told_so_now_and_then() -> None:
    typed = Typed()
    hands = typed.hands()
    hands.begin(LOOK, 1, 2)
    for _ in range(25):
        hands.wait(1.0)
    assert [line.strip() for line in typed.said if "waits" in line] == [
        "… waits, 15 s left (r again, s leave it out, q stop)"
    ]


def test_a_text_may_be_put_right_while_it_is_typed() -> None:
    end, other = os.openpty()
    shown: list[str] = []
    try:
        with Keyboard(other, shown.append) as keyboard:
            os.write(end, "häx\x7flt nicht\n".encode())
            assert keyboard.text(5.0) == "hält nicht"
            os.write(end, b"\x04")
            with pytest.raises(StopRunError, match="the keyboard is gone"):
                keyboard.key(5.0)
    finally:
        os.close(end)
        os.close(other)
    assert "\b \b" in shown


def test_a_text_that_is_not_ended_in_time_is_none() -> None:
    end, other = os.pipe()
    try:
        os.write(other, b"half a ")
        assert Keyboard(end).text(0.01) is None
        os.close(other)
        with pytest.raises(StopRunError):
            Keyboard(end).key(0.01)
    finally:
        os.close(end)
