"""The limits of every number and text that a device may send; the words it may send are in `table_fsm.felt`."""

import re
from typing import Final

CENTS_MAX: Final = 10**12
"""Ten thousand million dollars, or as many points: more is a broken sensor."""
CARDS_MAX: Final = 255
"""Of any count of cards: several decks fit."""
LISTED_CARDS_MAX: Final = 60
"""Of the cards one message may list: a whole deck with jokers."""
ZONE_CARDS_MAX: Final = 60
"""Of the cards a reader may say lie in one zone: the muck takes a deck."""
NAME_MAX: Final = 40
"""Characters of a name (deck, staff card) from a device."""
REASON_MAX: Final = 200
"""Characters of a free text from a device."""
SECONDS_MAX: Final = 10**9

UNREADABLE: Final = "unreadable"
"""What a badge reader says in place of a staff card's name that it did not read whole. It is nobody's."""

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""A staff card's or a deck's name."""
WORD: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""An outcome's name: the table knows which there are."""
EXTENSION: Final = re.compile(r"x_[a-z0-9_]{1,30}")
"""Keys a maker may add for their own use; they are read by nobody here."""
