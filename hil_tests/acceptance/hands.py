"""Whoever does the motions: a person who is asked, or wires from the board's own spare lines back to its inputs."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from devices.pins.lines import LineChip, OutputLine
from hil_tests.acceptance.steps import Act, Motion

LOCK: Final = Path("/run/lock/feltd-acceptance")
WIRE: Final = "FELTD_WIRE_"
"""`FELTD_WIRE_17=5`: a wire leads from line 5, which is free, to line 17, which feltd reads. `FELTD_WIRE_22=6`: and one
from line 22, which feltd drives, to line 6."""
PRESSED_SECONDS: Final = 0.15


class CannotDoError(Exception):
    """This place has no way to do that: the step is left out, with the reason."""


class Hands(Protocol):
    """What a place offers."""

    def do(self, motion: Motion) -> None:
        """Do it. Raises CannotDoError."""

    def lit(self, lamp: str, line: int) -> bool:
        """Whether a lamp is lit. Raises CannotDoError."""


class GuidedHands:
    """A person at a whole table."""

    def __init__(self, ask: Callable[[str], str] = input) -> None:
        self._ask = ask

    def do(self, motion: Motion) -> None:
        answer = self._ask(f"{motion.words}  [Enter when it is done, s to leave it out] ")
        if answer.strip().lower() == "s":
            raise CannotDoError("left out by the person at the table")

    def lit(self, lamp: str, line: int) -> bool:
        return self._ask(f"Is the lamp {lamp} lit?  [y/n] ").strip().lower().startswith("y")


class WiredHands:
    """Loop-back wires on a board. Lines are taken when they are needed, and given back by `close`."""

    def __init__(self, chip: LineChip, environment: Mapping[str, str] = os.environ) -> None:
        self._chip = chip
        self._wires = {
            int(name.removeprefix(WIRE)): int(line)
            for name, line in environment.items()
            if name.removeprefix(WIRE).isdigit() and name.startswith(WIRE)
        }
        self._held: dict[int, OutputLine] = {}

    def do(self, motion: Motion) -> None:
        if motion.line is None:
            raise CannotDoError("a wire pulls no plug: do it by hand, with --guided")
        low = motion.active_low
        if motion.act is Act.PRESS:
            self._drive(motion.line, not low)
            time.sleep(PRESSED_SECONDS)
            self._drive(motion.line, low)
        else:
            self._drive(motion.line, (motion.act is Act.ON) is not low)

    def lit(self, lamp: str, line: int) -> bool:
        wire = self._chip.input(self._wire(line), "none")
        try:
            return wire.high
        finally:
            wire.close()

    def close(self) -> None:
        """Give every line back."""
        for line in self._held.values():
            line.close()
        self._held.clear()

    def _wire(self, line: int) -> int:
        if line not in self._wires:
            raise CannotDoError(f"no wire: {WIRE}{line} names no line")
        return self._wires[line]

    def _drive(self, line: int, high: bool) -> None:
        wire = self._wire(line)
        if wire in self._held:
            self._held[wire].write(high)
        else:
            self._held[wire] = self._chip.output(wire, high)


class OtherRunError(Exception):
    """Another run of this suite is at work on this board."""


@contextmanager
def alone(lock: Path = LOCK) -> Iterator[None]:
    """Nobody else does this on this board meanwhile. Raises OtherRunError."""
    with lock.open("a") as mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OtherRunError(f"{lock}: another acceptance run is at work on this board; wait for its end") from None
        yield
