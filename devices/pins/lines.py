"""The seam to the libraries: a chip's lines, read and driven, whichever library does it.

Every line is taken in one request with its pull or its first level: it is never anything else for a moment.
"""

from collections.abc import Callable
from typing import Protocol

from devices.pins.facts import Pull

OnEdge = Callable[[float, bool], None]
"""(monotonic seconds, whether the line is high), called on a thread of the library's."""


class InputLine(Protocol):
    """A line that is read."""

    @property
    def high(self) -> bool:
        """Its level now."""

    def listen(self, on_edge: OnEdge | None) -> None:
        """Have its edges told, or no more."""

    def close(self) -> None:
        """Give it back."""


class OutputLine(Protocol):
    """A line that is driven."""

    def write(self, high: bool) -> None:
        """Drive it high or low. Raises PinError."""

    def close(self) -> None:
        """Give it back: what it is then is the kernel's and the resistors' affair."""


class DrainLine(Protocol):
    """A line that is pulled low, or let go."""

    def pull_low(self, low: bool) -> None:
        """Pull it low, or let it go. Raises PinError."""

    def close(self) -> None:
        """Let it go and give it back."""


class LineChip(Protocol):
    """An open chip. Its lines are closed before it is."""

    @property
    def label(self) -> str:
        """What it is called."""

    @property
    def library(self) -> str:
        """The library that drives it, and its version."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the library raises where a line cannot be read or driven any more."""

    def check(self, line: int) -> None:
        """Whether a line could be taken; nothing is taken. Raises PinError."""

    def input(self, line: int, pull: Pull) -> InputLine:
        """Take a line to read it. Raises PinError."""

    def output(self, line: int, high: bool) -> OutputLine:
        """Take a line and drive it, first to this level. Raises PinError."""

    def drain(self, line: int) -> DrainLine:
        """Take a line that is pulled low or let go; first it is let go. Raises PinError."""

    def hears(self) -> bool:
        """Whether the library still tells of edges: what does so may have ended."""

    def close(self) -> None:
        """Give the chip back."""
