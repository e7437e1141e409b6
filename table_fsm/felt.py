"""What lies on the felt: seats, zones and cards, by the names that events and states use.

This module imports nothing of ours, so that every package may name these things without knowing the rules.

A card is written as rank + suit, `As`, `Td`; the joker is `Jo`. Ranks and suits are ordered as the trade writes them:
ranks from the lowest up, suits spades, hearts, diamonds, clubs (highest suit first).
"""

from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Final, Literal, Self, TypeAlias


class Worded(StrEnum):
    """A closed set whose members each have their words for people beside them, in `words`."""

    words: str

    def __new__(cls, value: str, words: str = "", *_: object) -> Self:
        """Make a member of its value, as events and books write it, and its words.

        `words` may be left out in `FaultKind("jam")` alone, which looks a member up and does not come here.

        Raises TypeError for a member without words.
        """
        if not words:
            raise TypeError(f"{cls.__name__}: {value} has no words")
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = words
        return member


# ---- seats and zones ----

SEAT_COUNT: Final = 10
SEATS: Final = tuple(range(1, SEAT_COUNT + 1))
BOARD: Final = tuple(f"board:{n}" for n in range(1, 6))
BOARD2: Final = tuple(f"board2:{n}" for n in range(1, 6))
RACES: Final = tuple(f"race:{n}" for n in SEATS)
SEAT_ZONE: Final = MappingProxyType({n: f"seat:{n}" for n in SEATS})
SEAT_OF: Final = MappingProxyType({f"seat:{n}": n for n in SEATS})
"""Seat number by zone name."""
BOARD_ZONES: Final = frozenset(BOARD + BOARD2)
ZONES: Final = frozenset((*SEAT_OF, *BOARD, *BOARD2, *RACES, "dealer", "burn", "muck", "shoe"))
"""Every zone there is."""


def clockwise(seats: list[int], after: int) -> list[int]:
    """Return `seats` in dealing order: clockwise from the one after `after`, with `after` itself, if there, last."""
    ordered = sorted(seats)
    return [s for s in ordered if s > after] + [s for s in ordered if s <= after]


# ---- cards ----

Face: TypeAlias = Literal["down", "up"]
"""How a card lies."""

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"
JOKER: Final = "Jo"
DECK_SIZES: Final = (52, 48, 44, 40, 36, 32)

_FULL_SIZE: Final = 52
_NAMES: Final = frozenset(rank + suit for rank in RANKS for suit in SUITS) | {JOKER}


@cache
def full_deck(size: int = _FULL_SIZE, joker: bool = False) -> frozenset[str]:
    """Return all cards of a deck of `size` ranked cards, and the one joker besides if `joker` is set.

    A reduced deck loses whole ranks, all four suits, from the 2 up: 48 is 3 to ace, 32 is 7 to ace.
    (TAS 2018 B 3.2 for the 32; the option `deck` names the sizes.)

    Raises ValueError for a size that is not one of `DECK_SIZES`.
    """
    if size not in DECK_SIZES:
        raise ValueError(f"deck of {size} cards: choose one of {', '.join(map(str, DECK_SIZES))}")
    ranks = RANKS[(_FULL_SIZE - size) // len(SUITS) :]
    deck = frozenset(rank + suit for rank in ranks for suit in SUITS)
    return deck | {JOKER} if joker else deck


def is_card_name(text: str) -> bool:
    """Return whether `text` names a card: one of the 52, or the joker."""
    return text in _NAMES


# ---- the shoe ----


class FaultKind(Worded):
    """What a shoe may report wrong with itself."""

    JAM = "jam", "jam"
    MISFEED = "misfeed", "misfeed"
    DOUBLE_FEED = "double_feed", "double feed"
    POWER = "power", "power"
    MOTOR = "motor", "motor"
    SENSOR = "sensor", "sensor"
    CARDS_DAMAGED = "cards_damaged", "damaged cards"
    SHUFFLE_FAILED = "shuffle_failed", "shuffle failed"
    LID_OPEN = "lid_open", "lid open"
    COMMS = "comms", "no answer from the shoe"
