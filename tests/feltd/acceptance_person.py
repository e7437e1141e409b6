"""A technician who reads what `feltd accept --guided` says on a terminal, and does it at a table that is played here:
mock pins, and simulated devices behind pseudo-terminals."""

import asyncio
import os
import pty
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from devices.pins.on_mock import CHIP
from devices.simulated.things.control import Control
from devices.simulated.things.equipment import Equipment

_PRESS: Final = 0.05
_COLUMNS: Final = 80
_STEP: Final = r"\n +\d+/\d+  [^\n]*(\n {10}(?! )[^\n]*?)*?[.:]\n"
_QUESTION: Final = r" {10}[^\n]*(\n {10}[^\n]*?)*?\(y/n\)\n"
_ENTER: Final = r"Enter (begins it|when it is done)\.\n"
_FAILED: Final = r"r begin again[^\n]*\n"
_WHY: Final = r"Why is it left out\? [^\n]*\n"
_REPORT: Final = r"ACCEPTANCE REPORT"


class Terminal:
    """`feltd accept` on a pseudo-terminal of 80 columns. `screen`: all it has shown."""

    def __init__(self, *words: str) -> None:
        self.screen = ""
        self._read = 0
        self._process, self._end = pty.fork()
        if self._process == 0:
            # a job in the background hands on that SIGINT is ignored: then no key could stop the run
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ.update({"COLUMNS": str(_COLUMNS), "TERM": "dumb", "PYTHONWARNINGS": "error"})
            os.execv(sys.executable, [sys.executable, "-m", "feltd.cli", "accept", *words])

    @property
    def process(self) -> int:
        """Its number."""
        return self._process

    def type(self, text: str) -> None:
        """At its keyboard."""
        os.write(self._end, text.encode())

    def until(self, *patterns: str) -> re.Match[str]:
        """Wait until it shows one of these after what was waited for before. Raises EOFError where it ends first."""
        while True:
            found = [match for one in patterns if (match := re.compile(one, re.S).search(self.screen, self._read))]
            if found:
                first = min(found, key=lambda match: match.end())
                self._read = first.end()
                return first
            if not self._more():
                raise EOFError(f"none of {patterns} in:\n{self.screen[self._read :]}")

    def hang_up(self) -> None:
        """The terminal is gone, as when a connection breaks."""
        os.close(self._end)
        self._end = -1

    def end(self) -> int:
        """Read on until it ends; its exit code."""
        while self._end >= 0 and self._more():
            pass
        _, status = os.waitpid(self._process, 0)
        if self._end >= 0:
            os.close(self._end)
        return os.waitstatus_to_exitcode(status)

    def _more(self) -> bool:
        try:
            data = os.read(self._end, 65536)
        except OSError:  # it has ended
            return False
        self.screen += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


def press(line: int) -> None:
    """A pin at the other level, long enough to be no spark."""
    pin = CHIP.pin(line)
    first, then = (pin.drive_low, pin.drive_high) if pin.state else (pin.drive_high, pin.drive_low)
    first()
    time.sleep(_PRESS)
    then()


class Person:
    """Does what the terminal says. `eyes`: what is answered to a question, yes where it is not in there; `instead`:
    done in place of what is asked, by a part of the words."""

    def __init__(
        self,
        terminal: Terminal,
        equipment: Equipment | None = None,
        eyes: Mapping[str, str] | None = None,
        instead: Mapping[str, Callable[[], None]] | None = None,
    ) -> None:
        self._terminal = terminal
        self._equipment = equipment
        self._eyes = dict(eyes or {})
        self._instead = dict(instead or {})

    def work(self) -> None:
        """From the first step to the report."""
        while True:
            said = self._terminal.until(_STEP, _QUESTION, _ENTER, _FAILED, _WHY, _REPORT)
            words = " ".join(said[0].split())
            if words == "ACCEPTANCE REPORT":
                return
            self._answer(words)

    def _answer(self, words: str) -> None:
        for part, do in self._instead.items():
            if part in words:
                do()
                return
        if words.endswith("(y/n)"):
            self._terminal.type(next((answer for part, answer in self._eyes.items() if part in words), "y"))
        elif words.endswith(("Enter begins it.", "Enter when it is done.")):
            self._terminal.type("\n")
        else:
            self._do(words.partition(" ")[2])

    def _do(self, words: str) -> None:
        line = re.search(r"line (\d+)", words)
        if line is not None:
            self._at_the_pins(words, int(line[1]))
        elif self._equipment is not None:
            self._at_a_device(words)

    def _at_the_pins(self, words: str, line: int) -> None:
        pin = CHIP.pin(line)
        if words.startswith(("Press", "Drop")):
            press(line)
        elif words.startswith(("Put the", "Hold", "Lock", "Put back", "Turn the")):
            pin.drive_low()
        elif words.startswith(("Let the", "Unlock", "Take out", "Turn back")):
            pin.drive_high()

    def _at_a_device(self, words: str) -> None:
        for pattern, act in _ACTS:
            match = re.search(pattern, words)
            if match is not None:
                for device, order in act(*match.groups()):
                    self._order(device, **order)
                return

    def _order(self, device: str, do: str, **fields: Any) -> None:
        assert self._equipment is not None
        socket: Path = self._equipment.device(device).control

        async def ask() -> None:
            control = Control(socket, name="technician")
            try:
                await control.order(do, **fields)
            finally:
                await control.close()

        with suppress(TimeoutError):
            asyncio.run(ask())


Orders = list[tuple[str, dict[str, Any]]]
_KEYS: Final[Mapping[str, dict[str, Any]]] = {
    "deal": {"ev": "deal_start"},
    "seats": {"ev": "seat_in", "seat": 4},
    "keypad": {"ev": "action", "seat": 1, "action": "check"},
    "clock": {"ev": "clock_start", "seat": 1},
    "decisions": {"ev": "penalty", "seat": 1, "hands": 1},
    "cards": {"ev": "shuffled", "count": 52},
    "tournament": {"ev": "tournament_go"},
}


def _placed(zone: str, reader: str) -> Orders:
    return [
        (reader, {"do": "place", "zone": zone, "card": "7h", "face": "down"}),
        (reader, {"do": "remove", "zone": zone}),
    ]


def _looked(zone: str, reader: str) -> Orders:
    [place, remove] = _placed(zone, reader)
    return [place, (reader, {"do": "look", "zone": zone}), remove]


def _key(keys: str, **body: Any) -> Orders:
    return [(keys, {"do": "press", "body": body})]


def _lid(shoe: str, do: str) -> Orders:
    return [(shoe, {"do": do, "kind": "lid_open"})]


def _checked(deck: str, shoe: str) -> Orders:
    return [(shoe, {"do": "check"} | ({"deck": deck} if deck else {}))]


def _put(marker: str, seat: str, markers: str) -> Orders:
    return [(markers, {"do": "place", "marker": marker, "seat": int(seat)})]


def _badge(reader: str) -> Orders:
    return [(reader, {"do": "badge", "staff": "S-1", "role": "supervisor"})]


def _box(box: str, **state: bool) -> Orders:
    return [(box, {"do": "box", **state})]


_ACTS: Final[tuple[tuple[str, Callable[..., Orders]], ...]] = (
    (r"Lay a card face down in (\S+) \((\S+)\), lift", _looked),
    (r"Lay a card face down in (\S+) \((\S+)\)", _placed),
    (r"Lay a card face down on top .* \((\S+)\)", lambda reader: _placed("shoe", reader)),
    (r"Press a key of the group (\w+) of (\S+)", lambda part, keys: _key(keys, **_KEYS[part])),
    (r"Call the floor with the keys of (\S+)\.", lambda keys: _key(keys, ev="floor_called")),
    (r"Turn the maintenance switch of (\S+) (on|off)", lambda keys, on: _key(keys, ev="test_mode", on=on == "on")),
    (
        r"Hold a staff card .* reader (\S+)",
        lambda badge: [(badge, {"do": "badge", "staff": "S-1", "role": "supervisor"})],
    ),
    (r"Put (?:a|the) ?(\w*) deck into (\S+) and", _checked),
    (r"Open the lid of (\S+)\.", lambda shoe: _lid(shoe, "fault")),
    (r"Close the lid of (\S+)\.", lambda shoe: _lid(shoe, "clear")),
    (r"Put the (\w+) at seat (\d+) \((\S+)\)", _put),
    (r"Drop one chip .*slot of (\S+)\.", lambda box: [(box, {"do": "chip", "cents": 500})]),
    (r"Unlock the drop box \((\S+)\)", lambda box: _box(box, locked=False)),
    (r"Lock the drop box \((\S+)\)", lambda box: _box(box, locked=True)),
    (r"Take out the drop box \((\S+)\)", lambda box: _box(box, present=False)),
    (r"Put back the drop box \((\S+)\)", lambda box: _box(box, present=True)),
    (r"Unplug the device (\S+) \(", lambda device: [(device, {"do": "reboot", "seconds": 4.0})]),
)
