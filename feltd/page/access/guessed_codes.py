"""Codes of a second factor that are guessed at from many addresses: then a browser that is not known gives two.

Whoever guesses codes has the password, so no wait could tell them from the account's own person. Two codes in a row
can: the person's app shows the next one within half a minute, and a guesser would have to hit twice.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

WRONG_MOST: Final = 10
"""Wrong codes of one account, from browsers that are not known, after which two are asked for."""
WITHIN: Final = 86400.0
"""Seconds in which they came."""
NEXT_WITHIN: Final = 120.0
"""Seconds from the first code to the second."""
REMEMBERED: Final = 1024
"""Accounts, and first codes: the oldest is forgotten first."""

_log = logging.getLogger("feltd.access")


class GuessedCodes:
    """Counts wrong codes by account, whatever address they come from. In memory, as all that slows guessers."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock`: monotonic seconds."""
        self._clock = clock
        self._wrong: dict[str, deque[float]] = {}
        self._first: dict[tuple[str, str], float] = {}

    def wrong(self, account: str, where: str) -> None:
        """A code was wrong. What this address gave right before counts no more."""
        self._first.pop((account, where), None)
        times = self._wrong.pop(account, None) or deque(maxlen=WRONG_MOST)
        told = self._guessed_at(times)
        times.append(self._clock())
        self._wrong[account] = times
        _forget_beyond(self._wrong)
        if self._guessed_at(times) and not told:
            _log.warning("%s: codes of its second factor are guessed at: give it another password", account)

    def is_enough(self, account: str, where: str) -> bool:
        """Whether a code that was right lets its address in; else it counts as the first of two.

        Each code counts once, so that the second is a later one.
        """
        first = self._first.pop((account, where), None)
        if not self._guessed_at(self._wrong.get(account, ())):
            return True
        now = self._clock()
        if first is not None and now - first <= NEXT_WITHIN:
            return True
        self._first[account, where] = now
        _forget_beyond(self._first)
        return False

    def _guessed_at(self, times: Sequence[float]) -> bool:
        return len(times) == WRONG_MOST and self._clock() - times[0] < WITHIN


def _forget_beyond(kept: dict[Any, Any]) -> None:
    if len(kept) > REMEMBERED:
        del kept[next(iter(kept))]
