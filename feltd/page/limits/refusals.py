"""How often each limit was reached, for the metrics."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum


class Limit(StrEnum):
    """What there is a limit of."""

    CONNECTIONS = "connections"
    REQUESTS = "requests"
    AT_ONCE = "at_once"
    STREAMS = "streams"
    CATCH_UP = "catch_up"
    SIGN_INS = "sign_ins"
    QUESTIONS = "questions"
    EXPORTS = "exports"


class Refusals:
    """Counts of what was refused, or taken back, because a limit was reached."""

    def __init__(self) -> None:
        self._counts: Counter[Limit] = Counter(dict.fromkeys(Limit, 0))

    def add(self, limit: Limit) -> None:
        """One more."""
        self._counts[limit] += 1

    @property
    def counts(self) -> Mapping[str, int]:
        """How many so far, by limit: every limit, also those that were never reached."""
        return {limit.value: count for limit, count in self._counts.items()}
