"""Digits that a person keys at a badge reader after a card was held to it.

They belong to that card, are kept no longer than `FORGOTTEN_AFTER`, and go into one message and nowhere else.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from devices.limits import PIN, PIN_MAX, UNREADABLE

FORGOTTEN_AFTER: Final = 15.0
"""Seconds after the card in which its PIN is keyed whole."""
_DONE: Final = frozenset({0x0D, 0x23})
"""The key `#`, as readers send it (IEC 60839-11-5) and as some do."""
_CLEAR: Final = frozenset({0x7F, 0x2A})
"""The key `*`, in the same way."""


class KeyedPin:
    """Gathers the digits of one card."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._staff: str | None = None
        self._since = 0.0
        self._digits = ""

    def card(self, staff: str) -> None:
        """Take the digits that follow for those of this card."""
        self._staff = None if staff == UNREADABLE else staff
        self._since, self._digits = self._clock(), ""

    def held(self, staff: str) -> None:
        """The card is held again, or still: there is time anew for the digits of this card, and of no other."""
        if self._staff == staff:
            self._since = self._clock()

    def nobody(self) -> None:
        """Take the digits that follow for nobody's: a card was held that could not be read."""
        self._staff, self._digits = None, ""

    def tick(self) -> None:
        """Forget what was not keyed whole in time. Call it often."""
        if self._staff is not None and self._clock() - self._since > FORGOTTEN_AFTER:
            self.nobody()

    def keyed(self, keys: bytes) -> dict[str, Any] | None:
        """Take keys; the message once the PIN is whole, else None.

        Keys that are no PIN are dropped: too few digits, too many, none for a card, or too late.
        """
        self.tick()
        for key in keys:
            if key in _DONE:
                return self._message()
            if self._staff is None:
                continue  # no digit is kept that belongs to no card
            self._digits = "" if key in _CLEAR else (self._digits + chr(key))[: PIN_MAX + 1]
        return None

    def _message(self) -> dict[str, Any] | None:
        digits, self._digits = self._digits, ""
        if self._staff is None or PIN.fullmatch(digits) is None:
            return None
        return {"ev": "badge", "staff": self._staff, "pin": digits}
