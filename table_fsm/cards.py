"""Card names and the decks they make.

A card is written as rank + suit, `As`, `Td`; the joker is `Jo`. Ranks and suits are ordered as the trade writes them:
ranks from the lowest up, suits spades, hearts, diamonds, clubs (highest suit first).
"""

from functools import cache

RANKS = "23456789TJQKA"
SUITS = "shdc"
JOKER = "Jo"
DECK_SIZES = (52, 48, 44, 40, 36, 32)

_FULL_SIZE = 52
_NAMES = frozenset(rank + suit for rank in RANKS for suit in SUITS) | {JOKER}


@cache
def full_deck(size: int = _FULL_SIZE, joker: bool = False) -> frozenset[str]:
    """All cards of a whole deck of `size` ranked cards, with the one joker on top of that where `joker` is set.

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
    """Whether `text` names a card: one of the 52, or the joker."""
    return text in _NAMES
