"""The factory `mock`: gpiozero's mock pins, for tests and for a table without GPIO."""

import time
from collections.abc import Callable
from typing import Any, Final

from gpiozero.pins.mock import MockFactory, MockPin

from devices.pins.errors import NoChipError
from devices.pins.facts import LINE_MAX, Pull
from devices.pins.gpiozero_lines import ZeroDrain, ZeroInput, ZeroOutput, pin_info
from devices.pins.lines import DrainLine, InputLine, LineChip, OutputLine

LABEL: Final = "mock"


class MockChip:
    """A chip of mock pins.

    `pins`: those taken so far, by line; they outlive the table that took them.
    """

    label = LABEL
    library = "gpiozero's mock"
    errors: tuple[type[Exception], ...] = ()

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.pins: dict[int, Any] = {}
        self._factory = MockFactory()
        self.clock = clock

    def pin(self, line: int) -> Any:
        """The pin of a line, for a test that plays the wiring: `drive_low()`, `state`."""
        if not 0 <= line <= LINE_MAX:
            raise NoChipError(f"mock has no line {line}")
        if line not in self.pins:
            self.pins[line] = _Pin(self._factory, pin_info(line))
        return self.pins[line]

    def check(self, line: int) -> None:
        """Check that a line exists; nobody else can hold a mock line."""
        self.pin(line)

    def input(self, line: int, pull: Pull) -> InputLine:
        return ZeroInput(self.pin(line), pull, self.clock)

    def output(self, line: int, high: bool) -> OutputLine:
        return ZeroOutput(self.pin(line), high)

    def drain(self, line: int) -> DrainLine:
        return ZeroDrain(self.pin(line))

    def hears(self) -> bool:
        return True

    def close(self) -> None:
        """The pins stay as they are."""


class _Pin(MockPin):  # type: ignore[misc]  # gpiozero ships no types
    """Keeps its level when it is released, and becomes an output at its first level."""

    def output_with_state(self, state: int) -> None:
        self._function = "output"
        self._change_state(bool(state))

    def close(self) -> None:
        self.when_changed = None


CHIP: Final = MockChip()
"""The one mock chip of the process."""


def open_mock(label: str | None) -> LineChip:
    """The mock chip; `label` is ignored."""
    return CHIP
