"""Rates: token buckets, one for each visitor. A bucket is full at first; what is taken flows back with time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

KEPT: Final = 4096
"""Buckets at most: the one not touched for longest is forgotten, so that no flood of addresses fills the memory."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """One bucket for each key."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        """`rate`: tokens that flow back in a second; `burst`: those of a full bucket; `clock`: monotonic seconds."""
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, key: str, tokens: float = 1.0) -> float:
        """Take tokens out of the key's bucket; return 0.

        Where there are not as many, nothing is taken, and the seconds are returned after which there will be. More
        than a full bucket has counts as all that it has.
        """
        now = self._clock()
        tokens = min(tokens, self._burst)
        bucket = self._buckets.pop(key, None) or _Bucket(self._burst, now)
        self._buckets[key] = bucket  # the last one touched
        if len(self._buckets) > KEPT:
            del self._buckets[next(iter(self._buckets))]
        bucket.tokens = min(self._burst, bucket.tokens + max(0.0, now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.tokens < tokens:
            return (tokens - bucket.tokens) / self._rate
        bucket.tokens -= tokens
        return 0.0
