"""What slows a guesser down: after some failures the next attempt waits, longer each time, and never for ever."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FREE_FAILURES: Final = 4
"""Failures of one name, or one address, that cost no wait."""
FIRST_WAIT: Final = 2.0
LONGEST_WAIT: Final = 120.0
"""Seconds."""
FORGOTTEN_AFTER: Final = 900.0
"""Seconds without an attempt after which failures are forgotten."""
REMEMBERED: Final = 2048
"""Names and addresses at most: the oldest is forgotten first, so that a guesser cannot fill the memory."""


@dataclass(slots=True)
class _Failures:
    count: int
    last: float


class Throttle:
    """Failures by key (a name, an address). `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures: dict[str, _Failures] = {}

    def wait_for(self, key: str) -> float:
        """Seconds until this key may be tried again; 0 if it may be now."""
        failures = self._failures.get(key)
        if failures is None:
            return 0.0
        passed = self._clock() - failures.last
        if passed >= FORGOTTEN_AFTER:
            del self._failures[key]
            return 0.0
        beyond = failures.count - FREE_FAILURES
        if beyond <= 0:
            return 0.0
        wait = min(FIRST_WAIT * 2.0 ** min(beyond - 1, 30), LONGEST_WAIT)
        return max(0.0, wait - passed)

    def failed(self, key: str) -> None:
        """One more failure."""
        before = self._failures.pop(key, None)
        self._failures[key] = _Failures((before.count if before else 0) + 1, self._clock())
        while len(self._failures) > REMEMBERED:
            del self._failures[next(iter(self._failures))]

    def succeeded(self, key: str) -> None:
        """The right password: its failures are forgotten."""
        self._failures.pop(key, None)
