"""The factory over the module RPi.GPIO, which is played here: one request a line, and an output keeps its level."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from devices.pins import on_rpigpio
from devices.pins.chips import Chip
from devices.pins.errors import NoChipError, NoPinLibraryError, PinError

CHIP = Chip(Path("/dev/gpiochip4"), "pinctrl-rp1", 54)


class Played(ModuleType):
    """Stands for RPi.GPIO: writes each request down."""

    BCM, IN, OUT, I2C, SPI, HARD_PWM, SERIAL, UNKNOWN = 11, 1, 0, 42, 41, 43, 40, -1
    PUD_UP, PUD_DOWN, PUD_OFF, BOTH, RISING, FALLING = 22, 21, 20, 33, 31, 32
    VERSION = "0.7.2"

    def __init__(self) -> None:
        super().__init__("RPi.GPIO")
        self.calls: list[tuple[Any, ...]] = []
        self.levels: dict[int, int] = {}
        self.functions: dict[int, int] = {}
        self.heard: dict[int, Callable[[int], None]] = {}
        self.refused: str | None = None

    def setmode(self, _mode: int) -> None:
        """By line."""

    def setwarnings(self, _on: bool) -> None:
        """None."""

    def setup(self, line: int, direction: int, pull: int = PUD_OFF, initial: int | None = None) -> None:
        if self.refused is not None:
            raise RuntimeError(self.refused)
        self.calls.append(("in", line, pull) if direction == self.IN else ("out", line, initial))
        self.functions[line] = direction
        self.levels[line] = 1 if pull == self.PUD_UP else initial or 0

    def gpio_function(self, line: int) -> int:
        return self.functions[line]

    def input(self, line: int) -> int:
        return self.levels[line]

    def output(self, line: int, level: int) -> None:
        self.levels[line] = level

    def cleanup(self, line: int) -> None:
        self.calls.append(("cleanup", line))

    def add_event_detect(self, line: int, edges: int, callback: Callable[[int], None], bouncetime: int) -> None:
        assert (edges, bouncetime) == (self.BOTH, -666)
        self.heard[line] = callback

    def remove_event_detect(self, line: int) -> None:
        self.heard.pop(line, None)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    gpio, package = Played(), ModuleType("RPi")
    package.GPIO = gpio  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, "RPi", package)
    monkeypatch.setitem(sys.modules, "RPi.GPIO", gpio)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.rpigpio", raising=False)
    monkeypatch.setattr(on_rpigpio, "find_chip", lambda _label: CHIP)
    monkeypatch.setattr(on_rpigpio, "check_free", lambda _chip, _line: None)
    monkeypatch.delenv("RPI_LGPIO_CHIP", raising=False)
    yield gpio
    sys.modules.pop("gpiozero.pins.rpigpio", None)


def test_an_output_is_taken_with_its_level_and_keeps_it_when_it_is_given_back(played: Played) -> None:
    chip = on_rpigpio.open_rpigpio(None)
    lamp = chip.output(27, True)
    assert played.calls == [("out", 27, 1)]
    lamp.write(False)
    lamp.write(True)
    lamp.close()
    chip.close()
    assert (played.calls, played.levels[27]) == ([("out", 27, 1)], 1)


def test_an_input_is_taken_with_its_pull_and_tells_of_its_edges(played: Played) -> None:
    chip = on_rpigpio.open_rpigpio(None)
    assert (chip.label, chip.library) == ("pinctrl-rp1", "RPi.GPIO 0.7.2")
    key = chip.input(17, "up")
    assert played.calls == [("in", 17, Played.PUD_UP)]
    assert key.high
    heard: list[bool] = []
    key.listen(lambda _t, high: heard.append(high))
    played.levels[17] = 0
    played.heard[17](17)
    assert heard == [False]
    key.close()
    assert played.heard == {}
    assert played.calls[-1] == ("cleanup", 17)


def test_rpi_lgpio_is_told_the_chips_number_of_today(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    on_rpigpio.open_rpigpio(None)
    assert os.environ["RPI_LGPIO_CHIP"] == "4"


def test_what_cannot_be_taken_is_told(played: Played) -> None:
    chip = on_rpigpio.open_rpigpio(None)
    with pytest.raises(NoChipError, match="line 28 is not on the header"):
        chip.input(28, "up")
    played.refused = "This channel is in use"
    with pytest.raises(PinError, match="line 5 of pinctrl-rp1 cannot be taken: This channel is in use"):
        chip.output(5, False)


def test_a_module_that_is_not_there_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_rpigpio, "find_chip", lambda _label: CHIP)
    monkeypatch.setitem(sys.modules, "RPi", None)
    monkeypatch.setenv("RPI_LGPIO_CHIP", "4")
    with pytest.raises(NoPinLibraryError, match=r"install rpi-lgpio or RPi\.GPIO, not both"):
        on_rpigpio.open_rpigpio(None)
