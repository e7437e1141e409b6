"""lgpio as it is loaded, and its pins: one request a line, and no error of ours on the library's thread."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devices.pins.chips import Chip
from devices.pins.errors import PinBusyError, PinError
from devices.pins.gpiozero_lines import ZeroDrain, ZeroInput, ZeroOutput, pin_info
from devices.pins.on_lgpio import _LgpioChip, _pin_class

ROOT = Path(__file__).parents[3]
pytest.importorskip("_lgpio", reason="lgpio is not installed on this machine")


class Kernel:
    """Stands for lgpio's calls: writes each down. `refused`: what every request is answered with."""

    BOTH_EDGES, SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 3, 32, 64, 128
    GPIO_BUSY = -79
    LGPIO_PY_VERSION = 0x00020200

    class error(Exception):  # noqa: N801, N818 - the library's name
        pass

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.refused: str | None = None

    def error_text(self, _code: int) -> str:
        return "GPIO busy"

    def _note(self, *call: Any) -> None:
        if self.refused is not None:
            raise self.error(self.refused)
        self.calls.append(call)

    def gpio_claim_input(self, handle: int, line: int, flags: int) -> None:
        self._note("input", line, flags)

    def gpio_claim_output(self, handle: int, line: int, level: int) -> None:
        self._note("output", line, level)

    def gpio_free(self, handle: int, line: int) -> None:
        self._note("free", line)


class Factory:
    _handle = 7

    def close(self) -> None:
        """Nothing is open."""


def made(kernel: Kernel, line: int = 17) -> Any:
    return _pin_class(kernel)(Factory(), pin_info(line))  # type: ignore[arg-type]  # it stands for the module


def test_the_process_stays_where_it_is_and_no_pipe_is_left(tmp_path: Path) -> None:
    """In a process of its own: the library keeps its first folder for as long as the process lives."""
    code = (
        "import os; from devices.pins.on_lgpio import load_lgpio; library = load_lgpio()\n"
        "assert load_lgpio() is library\n"  # no second time
        "print(os.getcwd(), os.environ['LG_WD'], os.listdir())"
    )
    environment = {**os.environ, "LG_WD": "/nowhere", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{tmp_path} /nowhere []\n"


def test_a_line_is_taken_in_one_request_with_its_first_level_or_its_pull() -> None:
    kernel = Kernel()
    output = ZeroOutput(made(kernel), True)
    assert kernel.calls == [("output", 17, 1)]
    output.close()
    assert kernel.calls[1:] == [("free", 17)]
    kernel.calls.clear()
    ZeroInput(made(kernel), "up")
    assert kernel.calls == [("input", 17, Kernel.SET_PULL_UP)]


def test_a_row_is_pulled_low_or_let_go_and_never_driven_high() -> None:
    kernel = Kernel()
    row = ZeroDrain(made(kernel))
    row.pull_low(True)
    row.pull_low(False)
    assert kernel.calls == [
        ("input", 17, Kernel.SET_PULL_NONE), ("output", 17, 0), ("input", 17, Kernel.SET_PULL_NONE),
    ]  # fmt: skip


def test_an_edge_that_comes_after_the_line_was_given_back_is_nobodys_and_no_error() -> None:
    pin = made(Kernel())
    pin._when_changed = None
    pin._call_when_changed(0, 17, 1, 1_000_000_000)
    pin._when_changed = lambda: None  # whoever listened is gone
    pin._call_when_changed(0, 17, 1, 1_000_000_000)


def test_an_error_of_who_listens_does_not_end_the_librarys_thread(caplog: pytest.LogCaptureFixture) -> None:
    pin = made(Kernel())

    def broken(_ticks: float, _level: int) -> None:
        raise RuntimeError("the loop is closed")

    pin._when_changed = lambda: broken
    pin._call_when_changed(0, 17, 1, 1_000_000_000)
    assert "an edge of line 17 was not taken" in caplog.text


def test_a_line_that_was_taken_by_somebody_at_that_moment_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel()
    chip = _LgpioChip(Chip(Path("/dev/gpiochip0"), "pinctrl-rp1", 54), kernel, Factory())  # type: ignore[arg-type]
    monkeypatch.setattr("devices.pins.on_lgpio.check_free", lambda _chip, _line: None)
    monkeypatch.setattr("devices.pins.on_lgpio.line_info", lambda _chip, _line: None)
    kernel.refused = "GPIO busy"
    with pytest.raises(PinBusyError, match="line 17 of pinctrl-rp1 is busy"):
        chip.input(17, "up")
    kernel.refused = "bad GPIO number"
    with pytest.raises(PinError, match="line 17 of pinctrl-rp1 cannot be taken: bad GPIO number"):
        chip.output(17, True)
