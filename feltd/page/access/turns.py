"""Whose turn it is at an address from which somebody guesses: else the fastest took each turn, and others got none.

Browsers that are not known have a place each, by a token of the page's that opens nothing. When a wait at their
address is over, the place that has failed least goes first; of equal ones a lot decides. No wait gets shorter by it.
"""

import hmac
import secrets
from collections.abc import Callable, Sequence
from typing import Final

from feltd.page.access.throttle import FREE_FAILURES, REMEMBERED_OF_ADDRESSES, Begun, Throttle

KEPT_FREE: Final = 60.0
"""Seconds after a wait in which a turn is kept for whose it is; then anybody may take it."""
PLACES_OF_ADDRESS: Final = 16
ADDRESSES: Final = 1024
"""Remembered at most: who has not asked for longest is forgotten first."""
NO_PLACE: Final = ""
"""Of all browsers of an address that send no token."""
_BYTES: Final = 16
_SIGNS: Final = len(secrets.token_urlsafe(_BYTES))


def new_place() -> str:
    """Make the token of a place."""
    return secrets.token_urlsafe(_BYTES)


def place_of(token: str | None) -> str:
    """Return the place that a token stands for; `NO_PLACE` for none, and for what is no token."""
    if token is None or len(token) != _SIGNS or not token.isascii():
        return NO_PLACE
    return token if token.replace("-", "").replace("_", "").isalnum() else NO_PLACE


class Turns:
    """Who asks at which address, and how often each has failed there.

    `clock`: monotonic seconds. `secret`: what lots are drawn with, so that nobody can choose a token that wins.
    """

    def __init__(self, clock: Callable[[], float], secret: bytes) -> None:
        self._clock = clock
        self._secret = secret
        self._failed = Throttle(clock, remembered=REMEMBERED_OF_ADDRESSES)
        self._expected: dict[str, dict[str, float]] = {}
        """By address and place: until when whoever was told to wait may come to have the turn."""

    def told_to_wait(self, where: str, place: str, wait: float) -> None:
        """A place asked and is to come again after `wait` seconds."""
        places = self._expected.pop(where, {})
        places.pop(place, None)
        places[place] = self._clock() + wait + KEPT_FREE
        if len(places) > PLACES_OF_ADDRESS:
            del places[next(iter(places))]
        self._expected[where] = places
        if len(self._expected) > ADDRESSES:
            del self._expected[next(iter(self._expected))]

    def wait_for(self, where: str, place: str, passed: float, drawing: int) -> float:
        """Seconds for which the turn is kept for another place; 0 where this one may have it.

        `passed`: seconds since the wait was over. `drawing`: a number that is another one after each failure.
        """
        left = KEPT_FREE - passed
        if left <= 0:
            return 0.0
        mine = self._rank(where, place, drawing)
        return left if any(self._rank(where, other, drawing) < mine for other in self._others(where, place)) else 0.0

    def failures(self, where: str, place: str) -> int:
        """How often a place has failed at this address."""
        return self._failed.failures(_key(where, place))

    def begin(self, where: str, place: str) -> Begun:
        """A place has the turn: it is a failure of its own until it is undone."""
        self._leave(where, place)
        return self._failed.begin(_key(where, place))

    def undo(self, begun: Begun) -> None:
        """It was no failure, and the place may come again: a second factor is asked for after the password."""
        self._failed.undo(begun)
        where, _, place = begun.key.rpartition(" ")
        self.told_to_wait(where, place, 0.0)

    def succeeded(self, where: str, place: str) -> None:
        """The right password: the place's failures are forgotten, and nobody is expected there any more."""
        self._failed.succeeded(_key(where, place))
        self._leave(where, place)

    def _leave(self, where: str, place: str) -> None:
        places = self._expected.get(where, {})
        places.pop(place, None)
        if not places:
            self._expected.pop(where, None)

    def _others(self, where: str, place: str) -> Sequence[str]:
        now = self._clock()
        return [other for other, until in self._expected.get(where, {}).items() if other != place and until > now]

    def _rank(self, where: str, place: str, drawing: int) -> tuple[int, bytes]:
        """The least comes first. Failures that cost no wait cost no rank: people mistype."""
        key = _key(where, place)
        beyond = 0 if self._failed.left(key) is None else self._failed.failures(key) - FREE_FAILURES
        return beyond, hmac.digest(self._secret, f"{key} {drawing}".encode("utf-8", "surrogatepass"), "sha256")


def _key(where: str, place: str) -> str:
    return f"{where} {place}"
