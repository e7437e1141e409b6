"""Who opens a round of stud by the cards showing, as the texts have it: a small ranking that is neither side's."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tests.second_opinion.games import Opener

_HIGH: Final = "23456789TJQKA"
_LOW: Final = "A23456789TJQK"
_SUITS: Final = "cdhs"


def opener_of(opener: Opener, showing: Mapping[int, Sequence[str]]) -> int:
    """The player who opens, of those who can bet, by their open cards; of equals the first in the order of the deal."""
    match opener:
        case Opener.LOW_CARD:
            return min(showing, key=lambda player: min(_HIGH.index(card[0]) for card in showing[player]))
        case Opener.HIGH_CARD:
            return max(showing, key=lambda player: max(_HIGH.index(card[0]) for card in showing[player]))
        case Opener.HIGH_CARD_BY_SUIT:
            return max(showing, key=lambda player: max(_by_suit(card) for card in showing[player]))
        case Opener.HIGH_HAND:
            return max(showing, key=lambda player: _alike(showing[player], _HIGH))
        case Opener.LOW_HAND:
            return min(showing, key=lambda player: _alike(showing[player], _LOW))
        case _:
            raise ValueError(f"{opener.value}: no cards decide that")


def _by_suit(card: str) -> tuple[int, int]:
    return _LOW.index(card[0]), _SUITS.index(card[1])


def _alike(cards: Sequence[str], order: str) -> tuple[list[int], list[int]]:
    """What is alike first: four, three, two pairs, a pair; then the ranks."""
    many = Counter(order.index(card[0]) for card in cards)
    groups = sorted(((count, rank) for rank, count in many.items()), reverse=True)
    return [count for count, _ in groups], [rank for _, rank in groups]
