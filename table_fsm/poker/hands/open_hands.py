"""What a stud player shows: the cards that lie open, fewer than a hand, compared to find who opens the betting.

TAS 2018 B 11.1(a) (the highest card), 11.2(a) (the highest hand showing); ACT 2001 D 1.2 (lowest or highest card). Who
of two equals comes first is a matter of seats and not told here.

Ours, since the sources do not say how less than five cards rank: by what is alike, four, three, two pairs, a pair, then
by ranks, all cards counting (B 14). No straight and no flush, which take five cards. The ace is high. That order is the
same for a full and a reduced deck. A joker counts with the best of the others, and alone as an ace.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from table_fsm.felt import JOKER, RANKS, is_card_name

_MOST = 4


@dataclass(frozen=True, slots=True, order=True)
class OpenHand:
    """What one to four open cards are worth beside as many of another player: the greater, the higher.

    `alike`: how many cards of each rank, the most first. `ranks`: those ranks in the same order, 0 for the 2 and 12 for
    the ace. Players who show different numbers of cards do not compare.
    """

    alike: tuple[int, ...] = field(repr=False)
    ranks: tuple[int, ...] = field(repr=False)


def open_hand(cards: Sequence[str]) -> OpenHand:
    """The worth of one player's open cards, in whatever order they lie. For a single card give that card alone.

    Raises ValueError for no card, more than four, a card twice, or what is no card's name.
    """
    if not 1 <= len(cards) <= _MOST:
        raise ValueError(f"an open hand of {len(cards)} cards: give 1 to {_MOST}, those that lie face up")
    if len(set(cards)) < len(cards):
        raise ValueError(f"an open hand of {len(cards)} cards with a card in it twice: settle the duplicate first")
    if not all(map(is_card_name, cards)):
        raise ValueError("an open hand with something in it that is no card: give names such as As, Td or Jo")
    groups = _groups(Counter(RANKS.index(card[0]) for card in cards if card != JOKER))
    if JOKER in cards:
        groups = [(groups[0][0] + 1, groups[0][1]), *groups[1:]] if groups else [(1, RANKS.index("A"))]
    return OpenHand(tuple(count for count, _ in groups), tuple(rank for _, rank in groups))


def _groups(count: Counter[int]) -> list[tuple[int, int]]:
    """How many there are of each rank, and the rank: the most first, of as many the highest."""
    return sorted(((many, rank) for rank, many in count.items()), reverse=True)
