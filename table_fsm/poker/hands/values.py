"""The words of hand ranking: the kinds of hand, and the value of one hand."""

from dataclasses import dataclass, field
from enum import StrEnum


class HandName(StrEnum):
    """The eleven kinds of hand, lowest first in a full deck.

    A reduced deck moves the flush up; `table_fsm.poker.hands.order` says how. Five of a kind takes a joker.
    """

    HIGH_CARD = "high card"
    ONE_PAIR = "one pair"
    TWO_PAIR = "two pair"
    THREE_OF_A_KIND = "three of a kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full house"
    FOUR_OF_A_KIND = "four of a kind"
    STRAIGHT_FLUSH = "straight flush"
    FIVE_OF_A_KIND = "five of a kind"
    ROYAL_FLUSH = "royal flush"


@dataclass(frozen=True, slots=True, order=True)
class HandValue:
    """The value of a hand.

    Two hands of the same value are equal, whichever cards make them, so they split a pot. `strength`: 0 for the worst
    hand there is, one step up for each value there is; nothing else is compared. The better hand has the greater
    strength, for the low hand too: the lowest has the greatest. It means something only beside values of the same order
    and the same half of the pot.
    """

    strength: int
    name: HandName = field(compare=False)


@dataclass(frozen=True, slots=True, order=True)
class HandRank(HandValue):
    """The value of a hand, and the cards that make it.

    `cards`: the five that count, the ones that make the hand first, as a dealer reads them out: `5 4 3 2 A` where the
    ace counts low. A joker stands where the card would that it counts as.
    """

    cards: tuple[str, ...] = field(compare=False, repr=False)
