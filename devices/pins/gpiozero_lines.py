"""Lines over gpiozero's pins. The three factories differ only in how they make a pin.

gpiozero's own factories detect the model of Raspberry Pi and know the pins of its header only. Here a line is a number
on a chip of any computer, so pins are made of the number alone.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, TypeVar

from gpiozero.pins import PinInfo

from devices.pins.facts import Pull
from devices.pins.lines import DrainLine, InputLine, OnEdge, OutputLine

_T = TypeVar("_T")

CLOCKS_APART: Final = 60.0
"""Seconds: an edge further from now than this was not stamped by the monotonic clock."""

_PULLS: Final = {"up": "up", "down": "down", "none": "floating"}


def pin_info(line: int) -> Any:
    """gpiozero's description of a pin, from its number alone."""
    name = f"GPIO{line}"
    return PinInfo(line, name, frozenset({name, line, str(line)}), "", None, None, frozenset({"gpio", ""}))


class ZeroInput:
    """A gpiozero pin as an input."""

    def __init__(self, pin: Any, pull: Pull, clock: Callable[[], float] = time.monotonic) -> None:
        self._pin = pin
        self._clock = clock
        self._on_edge: OnEdge | None = None
        pin.input_with_pull(_PULLS[pull])
        pin.edges = "both"
        pin.bounce = None

    @property
    def high(self) -> bool:
        """Its level now."""
        return bool(self._pin.state)

    def listen(self, on_edge: OnEdge | None) -> None:
        """Set or clear the callback for edges."""
        self._on_edge = on_edge
        self._pin.when_changed = (
            None if on_edge is None else self._changed
        )  # gpiozero holds it weakly: it lives as long as this object

    def close(self) -> None:
        """Release the pin."""
        self.listen(None)
        self._pin.close()

    def _changed(self, ticks: float, state: float) -> None:
        on_edge = self._on_edge
        if on_edge is None:
            return
        now = self._clock()
        on_edge(min(ticks, now) if abs(now - ticks) < CLOCKS_APART else now, bool(state))


class ZeroOutput:
    """A gpiozero pin as an output. `first`: its first level."""

    def __init__(self, pin: Any, first: bool) -> None:
        self._pin = pin
        pin.output_with_state(int(first))

    def write(self, high: bool) -> None:
        """Drive it high or low."""
        self._pin.state = int(high)

    def close(self) -> None:
        """Release the pin."""
        self._pin.close()


class ZeroDrain:
    """A gpiozero pin as an open drain: an output while low, else an input without a pull."""

    def __init__(self, pin: Any) -> None:
        self._pin = pin
        pin.input_with_pull("floating")

    def pull_low(self, low: bool) -> None:
        """Pull it low, or release it."""
        if low:
            self._pin.output_with_state(0)
        else:
            self._pin.input_with_pull("floating")

    def close(self) -> None:
        """Release the line and the pin."""
        self.pull_low(False)
        self._pin.close()


class ZeroChip(ABC):
    """A chip whose lines are gpiozero pins. A subclass says how a pin is taken."""

    def input(self, line: int, pull: Pull) -> InputLine:
        """Take a line as an input. Raises PinError."""
        return self._take(line, lambda pin: ZeroInput(pin, pull))

    def output(self, line: int, high: bool) -> OutputLine:
        """Take a line as an output, at this level from the start. Raises PinError."""
        return self._take(line, lambda pin: ZeroOutput(pin, high))

    def drain(self, line: int) -> DrainLine:
        """Take a line as an open drain. Raises PinError."""
        return self._take(line, ZeroDrain)

    @abstractmethod
    def _take(self, line: int, take: Callable[[Any], _T]) -> _T:
        """Make the line's pin and apply `take` to it. Raises PinError."""
