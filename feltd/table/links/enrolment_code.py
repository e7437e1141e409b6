"""The code by which a floor is to know this table, as its display shows it: until it is not given again."""

import re
from collections.abc import Callable
from typing import Final

from feltd.door.commands import CommandRefused

LASTS: Final = 60.0
"""Seconds for which a code is shown that its uplink does not give once more."""
_CODE: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}")


class EnrolmentCode:
    """Belongs to the loop. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._code = ""
        self._until = 0.0

    def give(self, code: str) -> bool:
        """Take a code, or "" for none any more; return whether another one is shown now than before.

        Raises CommandRefused for anything else: the uplink has no words of its own on a dealer's display.
        """
        if code and not _CODE.fullmatch(code):
            raise CommandRefused("this is no code of a table: three groups of four letters and digits")
        before = self.now()
        self._code, self._until = code, self._clock() + LASTS
        return self._code != before

    def now(self) -> str:
        """The code that is shown; "" for none."""
        return self._code if self._clock() < self._until else ""

    def ends(self) -> bool:
        """Whether its time has just run out: true once."""
        if not self._code or self.now():
            return False
        self._code = ""
        return True
