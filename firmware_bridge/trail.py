"""The last frames of a link, for technicians: direction, kind and size.

Only sizes are kept, never bytes: a frame that did not authenticate may hold anything, even a card's name in clear.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from firmware_bridge.framing import FrameType

TRAIL_MAX: Final = 24


@dataclass(frozen=True, slots=True)
class PassedFrame:
    """One frame. `ago`: seconds; `kind` None: bytes between two delimiters that were no frame."""

    ago: float
    sent: bool
    kind: FrameType | None
    size: int
    """Bytes of its body; of what was no frame, all bytes."""


class FrameTrail:
    """The latest frames of one link, over all its sessions."""

    __slots__ = ("_clock", "_passed")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._passed: deque[tuple[float, bool, FrameType | None, int]] = deque(maxlen=TRAIL_MAX)

    def sent(self, kind: FrameType, size: int) -> None:
        """A frame to the device."""
        self._passed.append((self._clock(), True, kind, size))

    def received(self, kind: FrameType | None, size: int) -> None:
        """A frame from the device, or noise."""
        self._passed.append((self._clock(), False, kind, size))

    def frames(self) -> tuple[PassedFrame, ...]:
        """The latest, oldest first."""
        now = self._clock()
        return tuple(PassedFrame(now - at, sent, kind, size) for at, sent, kind, size in self._passed)
