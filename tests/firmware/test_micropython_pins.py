"""The lines of the Pico in MicroPython, held against the table that the drawings are made from."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.firmware.support import FIRMWARE, micropython

INTERPRETER = micropython()
ROW = re.compile(r'PIN\(TCA_(\w+), (\d+), (IN|OUT), "([^"]*)"\)')
PICO = """
class Pin:
    IN, OUT, OPEN_DRAIN, PULL_UP = "IN", "OUT", "OPEN_DRAIN", "PULL_UP"

    def __init__(self, line, mode=None, pull=None, value=None):
        self.line, self.mode, self._value = line, mode, 1

    def value(self, level=None):
        return self._value


class UART:
    def __init__(self, number, baud, tx, rx, **more):
        self.tx, self.rx = tx.line, rx.line

    def any(self):
        return 0


class I2C:
    def __init__(self, number, sda, scl, freq, timeout):
        self.sda, self.scl = sda.line, scl.line

    def writeto(self, address, data):
        raise OSError("nobody")

    def readfrom(self, address, count):
        raise OSError("nobody")


class WDT:
    def __init__(self, timeout):
        pass


def freq(hertz):
    pass
"""
WORK = """
import sys
sys.path.insert(1, {firmware!r})
import json
import pico

sys.modules["machine"] = pico
from board import Board

board = Board({settings!r})
lines = {{"WIRE_TX": board._wire.tx, "WIRE_RX": board._wire.rx}}
lines.update({{"FAULT_LAMP": board._lamp.line, "TEST_SWITCH": board._switch.line}})
if board._chips:
    bus = board._antennas.bus
    lines.update({{"SDA": bus._i2c.sda, "SCL": bus._i2c.scl, "RESET": bus._reset.line}})
print(json.dumps(lines))
"""

pytestmark = pytest.mark.skipif(INTERPRETER is None, reason="no micropython here: .ci/run says where it comes from")


def lines_of(folder: Path, **more: object) -> dict[str, object]:
    """What hangs on which line of the board, as its program takes them on a Pico that has no parts."""
    assert INTERPRETER is not None
    (folder / "pico.py").write_text(PICO)
    settings = {"zones": {"seat:3": "down"}, **more}
    (folder / "script.py").write_text(WORK.format(firmware=str(FIRMWARE / "micropython"), settings=settings))
    done = subprocess.run([INTERPRETER, "script.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines: dict[str, object] = json.loads(done.stdout)
    return lines


def test_a_reader_of_chips_has_the_lines_of_its_drawing(tmp_path: Path) -> None:
    table = (FIRMWARE / "c/boards/parts/pins.h").read_text(encoding="utf-8")
    drawn = {name: int(line) for name, line, _direction, words in ROW.findall(table) if not words.startswith("FRAM")}
    assert drawn
    assert lines_of(tmp_path, chip="pn532") == drawn


def test_a_reader_with_a_module_has_the_lamp_on_the_board(tmp_path: Path) -> None:
    lines = lines_of(tmp_path)
    assert lines == {"WIRE_TX": 0, "WIRE_RX": 1, "FAULT_LAMP": "LED", "TEST_SWITCH": 22}
