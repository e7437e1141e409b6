"""The limits of every number and text that a device may send; the words it may send are in `table_fsm.felt`."""

import re
from typing import Final

CENTS_MAX: Final = 10**12
"""Ten thousand million dollars, or as many points: a larger amount is a broken sensor."""
CARDS_MAX: Final = 255
"""The largest count of cards in a message: several decks."""
LISTED_CARDS_MAX: Final = 60
"""The most cards that one message may list: a whole deck with jokers."""
ZONE_CARDS_MAX: Final = 60
"""The most cards that a reader may report in one zone: the muck takes a deck."""
NAME_MAX: Final = 40
"""Characters of a name (deck, staff card) from a device."""
REASON_MAX: Final = 200
"""Characters of a free text from a device."""
SECONDS_MAX: Final = 10**9
PIN_LEAST: Final = 4
PIN_MAX: Final = 12
"""Digits of the PIN beside a badge."""

UNREADABLE: Final = "unreadable"
"""A badge reader reports this instead of a name for a staff card that it did not read whole.

No card has this name.
"""

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""The form of a staff card's or a deck's name."""
WORD: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The form of an outcome's name. The table checks which outcomes exist."""
PIN: Final = re.compile(f"[0-9]{{{PIN_LEAST},{PIN_MAX}}}")
"""The form of the PIN beside a badge: decimal digits of ASCII."""
EXTENSION: Final = re.compile(r"x_[a-z0-9_]{1,30}")
"""The form of a key that a maker may add to a message. The drivers ignore such keys."""

MARK_SIZE: Final = 4
"""Bytes of the mark of a sticker on an antenna: enough to tell whether a known number is the sticker's."""
