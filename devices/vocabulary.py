"""The words devices speak in: cards, faces, zones, fault kinds, decisions; and the limits of every number and text.

They are the words of the table's events, spelt out once more here because this is where a device is held to them.
"""

import re
from typing import Final

SEATS_MAX: Final = 10
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

CARDS: Final = frozenset(rank + suit for rank in "23456789TJQKA" for suit in "shdc") | {"Jo"}
FACES: Final = ("down", "up")
ZONES: Final = frozenset(
    [f"seat:{n}" for n in range(1, SEATS_MAX + 1)]
    + [f"board:{n}" for n in range(1, 6)]
    + [f"board2:{n}" for n in range(1, 6)]
    + [f"race:{n}" for n in range(1, SEATS_MAX + 1)]
    + ["dealer", "burn", "muck", "shoe"]
)
"""Every place a reader may watch. `shoe` is the top undealt card."""

FAULT_KINDS: Final = (
    "jam", "misfeed", "double_feed", "power", "motor", "sensor", "cards_damaged", "shuffle_failed", "lid_open", "comms",
)  # fmt: skip
MARKERS: Final = ("button", "buck", "start")
BOXES: Final = ("ante", "blind", "trips", "play")
ACTIONS: Final = ("post", "ante", "check", "call", "bet", "raise", "fold", "all_in", "time_bank")
DECISIONS: Final = ("acknowledge", "confirm", "overrule", "misdeal", "void", "play_on", "resume", "check_deck")
UNREADABLE: Final = "unreadable"
"""What a badge reader says in place of a staff card's name that it did not read whole. It is nobody's."""
STAFF_ROLES: Final = ("supervisor", "inspector", "director", "surveillance", "dealer")
EXPOSERS: Final = ("dealer", "player", "shoe")
CARRIERS: Final = ("dealer", "player")
CLOCK_CALLERS: Final = ("dealer", "supervisor", "director")

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""A staff card's or a deck's name."""
WORD: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""An outcome's name: the table knows which there are."""
EXTENSION: Final = re.compile(r"x_[a-z0-9_]{1,30}")
"""Keys a maker may add for their own use; they are read by nobody here."""
