"""What a hand of poker is worth: the best five of five to seven cards of a full deck.

The order is the ordinary one of a full deck, suits all equal: TAS 2018 C 4.1 to 4.3 and ACT 2019 3.1, 3.2, which agree.
The ace counts high or low in a straight. pokerkit knows the 7,462 values there are; this module says them in the
trade's words and tells the royal flush apart from the other straight flushes, as both sources do.

No error message and no `repr` here names a card: a hand may be ranked before it is public.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from table_fsm.cards import RANKS, SUITS, full_deck

if TYPE_CHECKING:
    from pokerkit import Card
    from pokerkit.lookups import Lookup

_FEWEST, _MOST = 5, 7
_WHEEL = frozenset("A2345")


class HandName(StrEnum):
    """The ten kinds of hand, lowest first."""

    HIGH_CARD = "high card"
    ONE_PAIR = "one pair"
    TWO_PAIR = "two pair"
    THREE_OF_A_KIND = "three of a kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full house"
    FOUR_OF_A_KIND = "four of a kind"
    STRAIGHT_FLUSH = "straight flush"
    ROYAL_FLUSH = "royal flush"


@dataclass(frozen=True, slots=True, order=True)
class HandRank:
    """The value of a hand. Two hands of the same value are equal, whatever cards make them: that is what splits a pot.

    `strength`: 0 (7-5-4-3-2) to 7461 (a royal flush), one step for each value there is; nothing else is compared.
    `cards`: the five that count, the ones that make the hand first, as a dealer reads them out: `5 4 3 2 A` in a wheel.
    """

    strength: int
    name: HandName = field(compare=False)
    cards: tuple[str, ...] = field(compare=False, repr=False)


def rank_hand(hole: Sequence[str], board: Sequence[str]) -> HandRank:
    """The best hand that `hole` and `board` make together: any five of both (TAS 2018 C 11.1, ACT 2019 8.8, 9.3).

    Five to seven cards in all, each a different one of the full deck without joker. The answer does not depend on the
    order the cards come in. Where two choices are worth the same, the spade comes before heart, diamond and club.

    Raises ValueError where the cards cannot be a hand; the message counts cards and names none.
    """
    cards = (*hole, *board)
    if not _FEWEST <= len(cards) <= _MOST:
        raise ValueError(
            f"a hand of {len(cards)} cards: rank {_FEWEST} to {_MOST} of them, own cards and board together"
        )
    distinct = frozenset(cards)
    if len(distinct) < len(cards):
        raise ValueError(f"a hand of {len(cards)} cards with a card in it twice: settle the duplicate before ranking")
    if not distinct <= full_deck():
        raise ValueError(
            "a hand with a card that is not of the full deck: only its 52 cards have a rank here, jokers none"
        )
    return _best(tuple(sorted(cards, key=_high_first)))


def warm_up() -> None:
    """Load the evaluator now (about 0.2 s) rather than at the first showdown."""
    _evaluator()


@cache
def _evaluator() -> "tuple[dict[str, Card], Lookup]":
    """pokerkit's cards by our names, and its table of values. Imported here: a start must not wait for a showdown."""
    from pokerkit import Card, StandardHighHand

    return {name: next(Card.parse(name)) for name in sorted(full_deck())}, StandardHighHand.lookup


@lru_cache(
    maxsize=64
)  # one table's showdown: the dealer's or the board's hand is asked for again and again within a round
def _best(cards: tuple[str, ...]) -> HandRank:
    """Through the table of values and not `StandardHighHand.from_game`: the same answer in a quarter of the time."""
    card_of, lookup = _evaluator()
    entry, five = max(
        ((lookup.get_entry([card_of[card] for card in five]), five) for five in combinations(cards, _FEWEST)),
        key=lambda found: found[0],
    )
    name = HandName(entry.label.value.lower())
    if name is HandName.STRAIGHT_FLUSH and {card[0] for card in five} >= {"A", "K"}:
        name = HandName.ROYAL_FLUSH
    return HandRank(entry.index, name, _as_read_out(five))


def _as_read_out(five: tuple[str, ...]) -> tuple[str, ...]:
    """Fours before pairs before kickers, each from the highest down; in 5-4-3-2-A the ace is the lowest card."""
    count = Counter(card[0] for card in five)
    if frozenset(count) == _WHEEL:
        return (*five[1:], five[0])
    return tuple(sorted(five, key=lambda card: -count[card[0]]))


def _high_first(card: str) -> tuple[int, int]:
    return -RANKS.index(card[0]), SUITS.index(card[1])
