"""The budget of one device: how much a link takes of it in a second. Pure; seconds come in with the calls.

Beyond it the link stops reading. What the device sends then waits in the kernel's buffer and behind the device's window
(PROTOCOL.md, section 6), so nothing is lost, and the other devices of the same loop are served.
"""

from dataclasses import dataclass
from typing import Final

SLICE: Final = 512
"""Bytes that a link decodes before others get their turn."""
_WHOLE: Final = 1.0 - 1e-6
"""A token, less what adding up fractions loses."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What is taken of a device without a pause, and in each second beyond that.

    `bytes_per_second` must not be below what the line carries: a UART without flow control would lose the rest.
    """

    bytes_per_second: float = 32 * 1024.0
    bytes_at_once: float = 16 * 1024.0
    events_per_second: float = 100.0
    events_at_once: float = 64.0


BUDGET: Final = Budget()


class Pace:
    """How much of its budget a device has left. A new one is full."""

    __slots__ = ("_at", "_budget", "_bytes", "_events")

    def __init__(self, budget: Budget, now: float) -> None:
        self._budget = budget
        self._bytes = budget.bytes_at_once
        self._events = budget.events_at_once
        self._at = now

    def took_bytes(self, count: int) -> None:
        """So many bytes were decoded, frames or noise."""
        self._bytes -= count

    def took_event(self) -> None:
        """An event was taken, new or repeated."""
        self._events -= 1.0

    def wait(self, now: float) -> float:
        """Seconds until the next frame may be taken; 0 if it may be now."""
        budget, passed = self._budget, now - self._at
        self._at = now
        self._bytes = min(budget.bytes_at_once, self._bytes + passed * budget.bytes_per_second)
        self._events = min(budget.events_at_once, self._events + passed * budget.events_per_second)
        wait = 0.0
        if self._bytes <= 0.0:
            wait = (SLICE - self._bytes) / budget.bytes_per_second
        if self._events < _WHOLE:
            wait = max(wait, (1.0 - self._events) / budget.events_per_second)
        return wait
