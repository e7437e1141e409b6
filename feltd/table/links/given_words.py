"""What others have the display say before all else between two rounds, each in a form that holds no words of their own.

An uplink gives the code by which a floor is to know this table, a page the fingerprint of its certificate.
"""

import re
from collections.abc import Callable
from typing import Final

from feltd.door.commands import CommandRefused

LASTS: Final = 60.0
"""Seconds for which it is shown where it is not given once more."""
_CODE: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}")
_FINGERPRINT: Final = re.compile(r"[0-9A-F]{4}( [0-9A-F]{4}){15}")


class GivenWords:
    """Belongs to the loop. `clock`: monotonic seconds; `form`: what may be given; `refusal`: why all else may not."""

    def __init__(self, clock: Callable[[], float], form: re.Pattern[str], refusal: str) -> None:
        self._clock = clock
        self._form = form
        self._refusal = refusal
        self._words = ""
        self._until = 0.0

    def give(self, words: str) -> bool:
        """Take them, or "" for none any more; return whether others are shown now than before.

        Raises CommandRefused for anything else: nobody at a socket has words of their own on a dealer's display.
        """
        if words and not self._form.fullmatch(words):
            raise CommandRefused(self._refusal)
        before = self.now()
        self._words, self._until = words, self._clock() + LASTS
        return self._words != before

    def now(self) -> str:
        """What is shown; "" for nothing."""
        return self._words if self._clock() < self._until else ""

    def ends(self) -> bool:
        """Whether its time has just run out: true once."""
        if not self._words or self.now():
            return False
        self._words = ""
        return True


def enrolment_code(clock: Callable[[], float]) -> GivenWords:
    """A code by which a floor is to know this table."""
    return GivenWords(clock, _CODE, "this is no code of a table: three groups of four letters and digits")


def page_fingerprint(clock: Callable[[], float]) -> GivenWords:
    """The fingerprint (SHA-256) of the certificate that the page has made for itself."""
    return GivenWords(clock, _FINGERPRINT, "this is no fingerprint: sixteen groups of four hexadecimal digits")
