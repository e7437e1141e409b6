"""What slows a guesser down: after some failures the next attempt waits, longer each time, and never for ever."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FREE_FAILURES: Final = 4
"""Failures that cost no wait."""
FIRST_WAIT: Final = 2.0
LONGEST_WAIT: Final = 120.0
"""Seconds."""
FORGOTTEN_AFTER: Final = 900.0
"""Seconds without an attempt after which failures are forgotten."""
REMEMBERED: Final = 2048
REMEMBERED_OF_ADDRESSES: Final = 16384
"""Keys at most: the oldest is forgotten first, so that a guesser cannot fill the memory."""


@dataclass(slots=True)
class _Failures:
    count: int
    last: float


@dataclass(frozen=True, slots=True)
class Begun:
    """An attempt that counts as a failure until it is undone. `last`: when the failure before it was."""

    key: str
    at: float
    last: float


class Throttle:
    """Failures by key (a name, an address).

    `clock`: monotonic seconds; `free`: failures that cost no wait; `remembered`: keys at most.
    """

    def __init__(self, clock: Callable[[], float], free: int = FREE_FAILURES, remembered: int = REMEMBERED) -> None:
        self._clock = clock
        self._free = free
        self._remembered = remembered
        self._failures: dict[str, _Failures] = {}

    def wait_for(self, key: str) -> float:
        """Seconds until this key may be tried again; 0 if it may be now."""
        left = self.left(key)
        return 0.0 if left is None else max(0.0, left)

    def left(self, key: str) -> float | None:
        """Seconds until the wait of this key is over, less than 0 since it is; None where it has none."""
        failures = self._failures.get(key)
        if failures is None:
            return None
        passed = self._clock() - failures.last
        if passed >= FORGOTTEN_AFTER:
            del self._failures[key]
            return None
        beyond = failures.count - self._free
        if beyond <= 0:
            return None
        return min(FIRST_WAIT * 2.0 ** min(beyond - 1, 30), LONGEST_WAIT) - passed

    def turn_in(self, key: str, every: float) -> float:
        """Seconds until `every` seconds have passed since the key's last failure; 0 where none is remembered."""
        failures = self._failures.get(key)
        return 0.0 if failures is None else max(0.0, every - (self._clock() - failures.last))

    def failures(self, key: str) -> int:
        """How many failures are remembered, with the attempts that are not over."""
        failures = self._failures.get(key)
        return 0 if failures is None else failures.count

    def begin(self, key: str) -> Begun:
        """An attempt begins: it is a failure until it is undone."""
        now = self._clock()
        before = self._failures.pop(key, None) or _Failures(0, now)
        self._failures[key] = _Failures(before.count + 1, now)
        while len(self._failures) > self._remembered:
            del self._failures[next(iter(self._failures))]
        return Begun(key, now, before.last)

    def undo(self, begun: Begun) -> None:
        """The attempt was no failure."""
        failures = self._failures.get(begun.key)
        if failures is None:
            return
        failures.count -= 1
        if failures.last == begun.at:
            failures.last = begun.last
        if failures.count <= 0:
            del self._failures[begun.key]

    def succeeded(self, key: str) -> None:
        """The right password: its failures are forgotten."""
        self._failures.pop(key, None)
