"""How often somebody may have something: so many at once, and so many more in each minute."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

KEPT: Final = 256
"""People at most: the one not counted for longest is forgotten, so that no flood of names fills the memory."""


@dataclass(slots=True)
class _Left:
    count: float
    at: float


class Pace:
    """What is left of each one's share. `clock`: seconds that never go back."""

    def __init__(self, at_once: int, a_minute: float, clock: Callable[[], float]) -> None:
        self._at_once = at_once
        self._rate = a_minute / 60.0
        self._clock = clock
        self._left: dict[str, _Left] = {}

    def wait(self, who: str, count: int = 1) -> float:
        """Seconds until this one may have so many more; 0 if now. `count`: what is had at once at most."""
        return max(0.0, (count - self._now(who).count) / self._rate)

    def take(self, who: str, count: int = 1) -> None:
        """Count so many more."""
        left = self._now(who)
        left.count -= count
        self._left[who] = left
        while len(self._left) > KEPT:
            del self._left[next(iter(self._left))]

    def give_back(self, who: str) -> None:
        """One that was counted does not count."""
        left = self._left.get(who)
        if left is not None:
            left.count = min(self._at_once, left.count + 1.0)

    def _now(self, who: str) -> _Left:
        now = self._clock()
        left = self._left.pop(who, None)
        if left is None:
            return _Left(self._at_once, now)
        left.count = min(self._at_once, left.count + max(0.0, now - left.at) * self._rate)
        left.at = now
        self._left[who] = left
        return left
