"""The seam to the GPIO libraries: a chip's lines, read and driven.

Every line is taken in one request with its pull or its first level, so that it never has another state for a moment.
"""

from collections.abc import Callable
from typing import Protocol

from devices.pins.facts import Pull

OnEdge = Callable[[float, bool], None]
"""(monotonic seconds, whether the line is high), called on a thread of the library."""


class InputLine(Protocol):
    """A line that is read."""

    @property
    def high(self) -> bool:
        """Its level now."""

    def listen(self, on_edge: OnEdge | None) -> None:
        """Set the callback for edges; None clears it."""

    def close(self) -> None:
        """Release the line."""


class OutputLine(Protocol):
    """A line that is driven."""

    def write(self, high: bool) -> None:
        """Drive it high or low. Raises PinError."""

    def close(self) -> None:
        """Release the line: its level then depends on the kernel and the resistors."""


class DrainLine(Protocol):
    """A line that is pulled low or released."""

    def pull_low(self, low: bool) -> None:
        """Pull it low, or release it. Raises PinError."""

    def close(self) -> None:
        """Release the line and give it back."""


class LineChip(Protocol):
    """An open chip. Close its lines before it."""

    @property
    def label(self) -> str:
        """The chip's label."""

    @property
    def library(self) -> str:
        """The library that drives it, with its version."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The exceptions of the library for a line that cannot be read or driven any more."""

    def check(self, line: int) -> None:
        """Check that a line could be taken, without taking it. Raises PinError."""

    def input(self, line: int, pull: Pull) -> InputLine:
        """Take a line as an input. Raises PinError."""

    def output(self, line: int, high: bool) -> OutputLine:
        """Take a line as an output, at this level from the start. Raises PinError."""

    def drain(self, line: int) -> DrainLine:
        """Take a line as an open drain, released first. Raises PinError."""

    def hears(self) -> bool:
        """Whether the library still reports edges: its thread may have ended."""

    def close(self) -> None:
        """Close the chip."""
