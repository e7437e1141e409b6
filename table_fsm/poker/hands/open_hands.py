"""Comparison of a stud player's open cards, to find who opens the betting.

TAS 2018 B 11.1(a) (the highest card), 11.2(a) (the highest hand showing); ACT 2001 D 1.2 (lowest or highest card). Who
of two equals comes first is a matter of seats and not told here.

Ours, since the sources do not say how less than five cards rank: by what is alike, four, three, two pairs, a pair, then
by ranks, all cards counting (B 14). No straight and no flush, which take five cards. The ace is high. That order is the
same for a full and a reduced deck. A joker counts with the best of the others, and alone as an ace.

In low games, which no source here has opened by the cards: the ace is the lowest card, so that the king is the highest;
a joker counts as the lowest card that the hand lacks, and alone as an ace of no suit, below the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from table_fsm.felt import JOKER, RANKS, SUITS, is_card_name

_MOST = 4
_LOW_RANKS = RANKS[-1] + RANKS[:-1]


@dataclass(frozen=True, slots=True, order=True)
class OpenHand:
    """The worth of one to four open cards, compared with as many of another player.

    `alike`: how many cards of each rank, the most first. `ranks`: those ranks in the same order, 0 for the lowest and
    12 for the highest; of a `suited_card` the rank, then the suit. Players who show different numbers of cards do not
    compare.
    """

    alike: tuple[int, ...] = field(repr=False)
    ranks: tuple[int, ...] = field(repr=False)


def open_hand(cards: Sequence[str]) -> OpenHand:
    """Return the worth of one player's open cards, in any order.

    For a single card give that card alone. Raises ValueError for no card, more than four, a card twice, or a name that
    is no card's.
    """
    _check(cards)
    groups = _groups([RANKS.index(card[0]) for card in cards if card != JOKER])
    if JOKER in cards:
        groups = [(groups[0][0] + 1, groups[0][1]), *groups[1:]] if groups else [(1, RANKS.index("A"))]
    return _worth(groups)


@cache
def card_alone(card: str) -> OpenHand:
    """Return the worth of one open card by itself; it is kept for each card. Errors as in `open_hand`."""
    return open_hand([card])


def low_open_hand(cards: Sequence[str]) -> OpenHand:
    """The worth of one player's open cards in a low game: the least is the lowest hand.

    Errors as in `open_hand`.
    """
    _check(cards)
    ranks = [_LOW_RANKS.index(card[0]) for card in cards if card != JOKER]
    if JOKER in cards:
        ranks.append(next(rank for rank in range(len(_LOW_RANKS)) if rank not in ranks))
    return _worth(_groups(ranks))


def suited_card(card: str) -> OpenHand:
    """The worth of one open card in a low game, where no two are equal.

    By rank, then spade, heart, diamond, club.
    """
    _check([card])
    rank, suit = (0, -1) if card == JOKER else (_LOW_RANKS.index(card[0]), len(SUITS) - 1 - SUITS.index(card[1]))
    return OpenHand((1,), (rank, suit))


def _check(cards: Sequence[str]) -> None:
    if not 1 <= len(cards) <= _MOST:
        raise ValueError(f"an open hand of {len(cards)} cards: give 1 to {_MOST}, those that lie face up")
    if len(set(cards)) < len(cards):
        raise ValueError(f"an open hand of {len(cards)} cards with a card in it twice: settle the duplicate first")
    if not all(map(is_card_name, cards)):
        raise ValueError("an open hand with something in it that is no card: give names such as As, Td or Jo")


def _worth(groups: list[tuple[int, int]]) -> OpenHand:
    return OpenHand(tuple([count for count, _ in groups]), tuple([rank for _, rank in groups]))


def _groups(ranks: list[int]) -> list[tuple[int, int]]:
    """Number of cards of each rank, and the rank: the most first, of equal numbers the highest."""
    return sorted([(ranks.count(rank), rank) for rank in set(ranks)], reverse=True)
