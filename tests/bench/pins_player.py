"""Who presses the key and watches the lamp, at the far end of the wires: with no hand in the process that is measured.

As a program, the wires are those of the kernel's gpio-sim, and what it measures goes to standard output as JSON:
`python -m tests.bench.pins_player FOLDER KEY LAMP COUNT`.
"""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final, Protocol

PATIENCE: Final = 5.0
"""Seconds in which a lamp must follow."""
REST: Final = 0.05
"""Seconds between two changes of the key: a hand is no faster, and contacts have settled."""
MICRO: Final = 1e6


class PinBenchError(Exception):
    """The lamp did not follow the key."""


class Wires(Protocol):
    """A key and a lamp."""

    def turn(self, on: bool) -> float:
        """Press the key or let it go; seconds until the lamp has followed. Raises PinBenchError."""


class SimulatedWires:
    """Lines of gpio-sim, by the folder of its chip. The lamp is looked at without a pause."""

    def __init__(self, folder: Path, key: int, lamp: int) -> None:
        self._pull = (folder / f"sim_gpio{key}/pull").open("w", encoding="ascii")
        self._value = (folder / f"sim_gpio{lamp}/value").open("rb", buffering=0)

    def turn(self, on: bool) -> float:
        wanted = b"1" if on else b"0"
        began = time.perf_counter()
        self._pull.write("pull-down" if on else "pull-up")
        self._pull.flush()
        while time.perf_counter() - began < PATIENCE:
            self._value.seek(0)
            if self._value.read(1) == wanted:
                return time.perf_counter() - began
        raise PinBenchError(f"the lamp was not {'lit' if on else 'dark'} within {PATIENCE:g} s")


class MockWires:
    """Pins of gpiozero's mock in this process. The lamp says itself when it was driven."""

    def __init__(self, key: Any, lamp: Any) -> None:
        self._key = key
        self._followed = threading.Event()
        self._at = 0.0
        change = lamp._change_state

        def changed(level: bool) -> bool:
            self._at = time.perf_counter()
            done = bool(change(level))
            self._followed.set()
            return done

        lamp._change_state = changed

    def turn(self, on: bool) -> float:
        self._followed.clear()
        began = time.perf_counter()
        (self._key.drive_low if on else self._key.drive_high)()
        if not self._followed.wait(PATIENCE):
            raise PinBenchError(f"the lamp was not driven within {PATIENCE:g} s")
        return self._at - began


def play(wires: Wires, count: int) -> list[float]:
    """So many presses: microseconds from each to the lit lamp. Raises PinBenchError."""
    found = []
    for _ in range(count):
        found.append(wires.turn(True) * MICRO)
        time.sleep(REST)
        wires.turn(False)
        time.sleep(REST)
    return found


def main(folder: str, key: str, lamp: str, count: str) -> None:
    """The program."""
    json.dump(play(SimulatedWires(Path(folder), int(key), int(lamp)), int(count)), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
