"""The Pico's `board.py` under MicroPython, with pins and wires that are made up: debounce, scans, power-up."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.firmware.support import FIRMWARE, micropython

INTERPRETER = micropython()

pytestmark = pytest.mark.skipif(INTERPRETER is None, reason="no micropython here: .ci/run says where it comes from")

MACHINE = """
import time

changed = []


class Pin:
    OUT, IN, PULL_UP, OPEN_DRAIN = 1, 0, 2, 3
    levels = {}

    def __init__(self, number, mode=None, pull=None, value=None):
        self._number = number
        if value is not None:
            self.levels[number] = value
        self.levels.setdefault(number, 1)

    def value(self, level=None):
        if level is not None:
            self.levels[self._number] = level
            changed.append((self._number, level))
        return self.levels[self._number]


class UART:
    made = {}
    at_power_up = b"seat:3 04a1b2c3 04b2c3d4/up\\nboard:1\\n"

    def __init__(self, number, baud, **settings):
        self.waiting, self.written = b"", b""
        UART.made[number] = self
        if number == 1:
            self.waiting = UART.at_power_up

    def any(self):
        return len(self.waiting)

    def read(self, count):
        data, self.waiting = self.waiting[:count], self.waiting[count:]
        return data

    def write(self, data):
        self.written += bytes(data)
        return len(data)


class I2C:
    # a multiplexer that shows the channel it was given, and nobody behind it
    made = []

    def __init__(self, number, sda, scl, freq, timeout):
        assert (number, freq) == (1, 400_000)
        self.channel = 0
        I2C.made.append(self)

    def writeto(self, address, data):
        if address != 0x70:
            raise OSError(5)
        self.channel = data[0]

    def readfrom(self, address, count):
        assert (address, count) == (0x70, 1)
        return bytes((self.channel,))


class WDT:
    fed = 0

    def __init__(self, timeout):
        self.timeout = timeout

    def feed(self):
        WDT.fed += 1


def freq(hertz):
    pass
"""

TIME = """
now = 0
part = 0


def sleep_ms(count):
    global now
    now += count


def sleep_us(count):
    global part
    part += count


def ticks_ms():
    return now


def ticks_us():
    global part
    part += 50
    return now * 1000 + part


def ticks_diff(one, other):
    return one - other
"""

BUTTONS = """
import board
import machine
import time

box = board.Board({"buttons": {"2": {}, "3": {}}})
pins = machine.Pin.levels
said = []


def look(milliseconds):
    for _ in range(milliseconds):
        time.sleep_ms(1)
        name = box.pressed()
        if name:
            said.append(name)


look(30)
pins[2] = 0  # a press that chatters, and is held
look(5)
pins[2] = 1
look(5)
pins[2] = 0
look(10)
assert said == [], said
look(10)
assert said == ["2"], said
look(500)
pins[2] = 1
look(30)
assert said == ["2"], said
pins[3] = 0  # a spike, and no press
look(3)
pins[3] = 1
look(30)
assert said == ["2"], said
pins[3] = 0
look(30)
assert said == ["2", "3"], said
held = board.Board({"buttons": {"3": {}}})  # it was down when the power came: nobody has pressed it
for _ in range(50):
    time.sleep_ms(1)
    assert held.pressed() is None
assert not box.test_switch()
pins[22] = 0
assert box.test_switch()
box.fault_lamp(True)
assert pins["LED"] == 1
box.identify()
assert pins["LED"] == 0
assert box.read() == b""
machine.UART.made[0].waiting = b"abc"
"""

WIRE = """
import board
import machine

box = board.Board({})
wire = machine.UART.made[0]
assert box.read() == b""
wire.waiting = b"abc"
assert box.read() == b"abc"
assert machine.WDT.fed == 2
assert box.write(memoryview(bytes(600))) == 256
assert len(wire.written) == 256
assert len(box.random(32)) == 32
assert box.random(32) != box.random(32)
"""

ANTENNAS = """
import board
import machine

box = board.Board({"zones": {"seat:3": "down", "board:1": "up"}})
module = machine.UART.made[1]


def chips(zone):
    box.look()
    return box.chips(zone)


assert chips("seat:3") == [("04a1b2c3", None), ("04b2c3d4", "up")]
assert chips("seat:3") is None  # each scan once
assert chips("board:1") == []
module.waiting = b"seat:3 04"
assert chips("seat:3") is None
module.waiting = b"A1B2C3\\nseat:9 04ff0102\\n\\n\\xff\\xfe\\x80\\nboard:1 04cc0102/down\\n"
box.look()  # one look for all zones
assert box.chips("seat:3") == [("04a1b2c3", None)]
assert box.chips("board:1") == [("04cc0102", "down")]
module.waiting = b"x" * 5000
assert chips("seat:3") is None
module.waiting = b"\\nseat:3\\n"
assert chips("seat:3") == []
"""

NOISE = """
import board
import machine
import time
from reader import Reader

ZONES = {"seat:3": "down", "board:1": "up"}
NONE = ("04a1b2c", "zz", "04a1b2", "04:a1:b2:c3", "04 a1 b2 c3", "88a1b2c3", "ffffffff", "04a1b2c3/side", "?what")
said = []


class Device:
    full = False

    def emit(self, event):
        said.append(event)
        return True


def reader(first, **more):
    machine.UART.at_power_up = first
    settings = {"zones": ZONES}
    settings.update(more)
    device = Reader(settings, board.Board(settings))
    device.device = Device()
    return device


def scans(device, line, count):
    for _ in range(count):
        machine.UART.made[1].waiting = line + b"\\n"
        device.poll()


def trouble(device, zone):
    return device.status()["zones"][zone][3]


for first in NONE:
    # at power-up nothing of it is kept as lying there: the next line says what is
    device = reader(bytes("seat:3 " + first + "\\nseat:3 04a1b2c3\\nboard:1\\n", "ascii"))
    zones = {"seat:3": [[b"\\x04\\xa1\\xb2\\xc3", "down"]], "board:1": []}
    assert device.state()["zones"] == zones, first
    for word in NONE:
        scans(device, bytes("seat:3 04a1b2c3 " + word, "ascii"), 4)
    assert trouble(device, "seat:3") == "chip", first
    assert (device.state()["zones"], said) == (zones, []), first
    scans(device, b"seat:3 04a1b2c3", 1)
    assert trouble(device, "seat:3") is None
device = reader(b"seat:3 zz\\nboard:1\\nseat:3 04A1B2C3D4E5F6A7\\n")
assert device.state()["zones"]["seat:3"] == [[b"\\x04\\xa1\\xb2\\xc3\\xd4\\xe5\\xf6\\xa7", "down"]]
scans(device, b"seat:3", 3)
scans(device, b"seat:3 04a1b2c3d4e5f6", 3)
scans(device, b"seat:3 04a1b2c3d4e5f6 04a1b2c3d4e5f6a7b8c9/up", 3)
assert [len(event["card"]) for event in said] == [8, 7, 10]

# a phone is no card, at a reader that knows its cards either, and the cards beside it are read on
for cards in (None, {"04a1b2c3": "As"}):
    said.clear()
    device = reader(b"seat:3 08123456\\nboard:1\\n", cards=cards)
    assert device.state()["zones"]["seat:3"] == []
    scans(device, b"seat:3 08123456 04a1b2c3", 3)
    assert trouble(device, "seat:3") is None
    scans(device, b"seat:3 08654321 04a1b2c3", 1)
    assert (trouble(device, "seat:3"), trouble(device, "board:1")) == ("stranger", None)
    assert [event["card"] for event in said] == ["As" if cards else b"\\x04\\xa1\\xb2\\xc3"]

# a module that falls silent, or one of its antennas: not for a moment, and for days too
said.clear()
time.now += board.SILENT_MS
assert trouble(device, "board:1") is None
scans(device, b"seat:3 04a1b2c3", 1)
time.now += 1
assert (trouble(device, "seat:3"), trouble(device, "board:1")) == (None, "chip")
time.now = 0
assert trouble(device, "board:1") == "chip"
scans(device, b"board:1", 1)
assert (trouble(device, "board:1"), said) == (None, [])
"""

CHIPS = """
import board
import machine

channels = {"seat:3": 0, "board:1": 6}
box = board.Board({"zones": {"seat:3": "down", "board:1": "up"}, "chip": "pn532", "channels": channels})
for _ in range(300):
    box.look()
    assert box.chips("seat:3") is None
    assert box.read() == b""
assert (box.trouble("seat:3"), box.trouble("board:1")) == ("chip", "chip")
assert box.margin("seat:3")[:2] == [0, 0]
assert {1, 64} <= {bus.channel for bus in machine.I2C.made}  # each scan without a chip begins the bus anew
bus = board.Bus()
machine.Pin.levels[6] = 1
machine.changed.clear()
bus.free()  # nobody holds the line: a stop, and the reset
assert machine.changed == [(7, 0), (6, 0), (7, 1), (6, 1), (8, 0), (8, 1)]


class Held(machine.Pin):
    def value(self, level=None):
        now = super().value(level)
        return 0 if self._number == 6 else now


board.Pin = Held
machine.changed.clear()
bus.free()  # nine clocks, and no more
assert machine.changed[:4] == [(7, 0), (7, 1), (7, 0), (7, 1)]
assert len(machine.changed) == 24
"""


@pytest.mark.parametrize(
    "script", [BUTTONS, WIRE, ANTENNAS, NOISE, CHIPS], ids=["buttons", "wire", "antennas", "noise", "chips"]
)
def test_the_board(tmp_path: Path, script: str) -> None:
    assert INTERPRETER is not None
    for file in (FIRMWARE / "micropython").glob("*.py"):
        shutil.copy(file, tmp_path)
    for name, text in {"machine": MACHINE, "time": TIME, "script": script}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    done = subprocess.run([INTERPRETER, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
