"""Lines over pins of gpiozero. The three factories differ in how a pin is made; what is done with it is the same.

gpiozero's own factories ask which Raspberry Pi this is and know the pins of its header only. Here a line is a number
on a chip, whatever the board, so pins are made of that number alone.
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
"""Seconds: an edge that is further from now than this was not stamped by the monotonic clock."""

_PULLS: Final = {"up": "up", "down": "down", "none": "floating"}


def pin_info(line: int) -> Any:
    """A pin of the chip, by its number alone."""
    name = f"GPIO{line}"
    return PinInfo(line, name, frozenset({name, line, str(line)}), "", None, None, frozenset({"gpio", ""}))


class ZeroInput:
    """A pin of gpiozero that is read."""

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
        """Have its edges told, or no more."""
        self._on_edge = on_edge
        self._pin.when_changed = None if on_edge is None else self._changed  # held weakly: by this object's life

    def close(self) -> None:
        """Give it back."""
        self.listen(None)
        self._pin.close()

    def _changed(self, ticks: float, state: float) -> None:
        on_edge = self._on_edge
        if on_edge is None:
            return
        now = self._clock()
        on_edge(min(ticks, now) if abs(now - ticks) < CLOCKS_APART else now, bool(state))


class ZeroOutput:
    """A pin of gpiozero that is driven. `first`: its first level."""

    def __init__(self, pin: Any, first: bool) -> None:
        self._pin = pin
        pin.output_with_state(int(first))

    def write(self, high: bool) -> None:
        """Drive it high or low."""
        self._pin.state = int(high)

    def close(self) -> None:
        """Give it back."""
        self._pin.close()


class ZeroDrain:
    """A pin of gpiozero that is pulled low or let go: an output while it is low, else an input with no pull."""

    def __init__(self, pin: Any) -> None:
        self._pin = pin
        pin.input_with_pull("floating")

    def pull_low(self, low: bool) -> None:
        """Pull it low, or let it go."""
        if low:
            self._pin.output_with_state(0)
        else:
            self._pin.input_with_pull("floating")

    def close(self) -> None:
        """Let it go and give it back."""
        self.pull_low(False)
        self._pin.close()


class ZeroChip(ABC):
    """A chip whose lines are pins of gpiozero. A factory says how one is taken."""

    def input(self, line: int, pull: Pull) -> InputLine:
        """Take a line to read it. Raises PinError."""
        return self._take(line, lambda pin: ZeroInput(pin, pull))

    def output(self, line: int, high: bool) -> OutputLine:
        """Take a line to drive it, at this level from the start. Raises PinError."""
        return self._take(line, lambda pin: ZeroOutput(pin, high))

    def drain(self, line: int) -> DrainLine:
        """Take a line to pull it low or let it go. Raises PinError."""
        return self._take(line, ZeroDrain)

    @abstractmethod
    def _take(self, line: int, take: Callable[[Any], _T]) -> _T:
        """Make the line's pin and do with it what is wanted. Raises PinError."""
