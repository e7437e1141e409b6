"""The order of hands read aloud from the sources, for the tests: slow, plain, and with nothing of the code under test.

A hand's key says how good it is: the greater, the better. Ranks are numbers, 2 to 14; an ace that counts low is the one
below the deck's lowest rank.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod

RANKS = "23456789TJQKA"
SUITS = "shdc"
Key = tuple[int, tuple[int, ...]]

Ladder = tuple[str, ...]

FULL: Ladder = (
    "high card",
    "one pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "five of a kind",
    "royal flush",
)
"""ACT 2001 3.3."""
REDUCED: Ladder = (*FULL[:5], "full house", "flush", "four of a kind", *FULL[8:])
"""ACT 2001 3.4."""
TAS_32: Ladder = (*FULL[:5], "full house", "four of a kind", "flush", *FULL[8:])
"""TAS 2018 B 14.2."""

_KINDS_BY_SHAPE = {
    (5,): "five of a kind",
    (4, 1): "four of a kind",
    (3, 2): "full house",
    (3, 1, 1): "three of a kind",
    (2, 2, 1): "two pair",
    (2, 1, 1, 1): "one pair",
    (1, 1, 1, 1, 1): "high card",
}


def number(card: str) -> int:
    return RANKS.index(card[0]) + 2


def lowest_rank(deck: int) -> int:
    return 15 - deck // 4


def high_key(five: tuple[str, ...], ladder: Ladder, deck: int, ace_low: bool) -> Key:
    """Five cards without a joker; two may be alike, since a joker may have been one."""
    ranks = "".join(sorted(card[0] for card in five))
    return _key(ranks, len({card[1] for card in five}) == 1, ladder, deck, ace_low)


@cache
def _key(ranks: str, suited: bool, ladder: Ladder, deck: int, ace_low: bool) -> Key:
    counts = sorted(Counter(map(number, ranks)).items(), key=lambda item: (item[1], item[0]), reverse=True)
    order = tuple(rank for rank, _ in counts)
    kind = _KINDS_BY_SHAPE[tuple(count for _, count in counts)]
    if kind == "high card":
        below = lowest_rank(deck) - 1
        if ace_low and order == (14, below + 4, below + 3, below + 2, below + 1):
            order = (*order[1:], below)
        straight = order[0] - order[4] == 4
        if straight and suited:
            kind = "royal flush" if order[0] == 14 else "straight flush"
        elif straight:
            kind = "straight"
        elif suited:
            kind = "flush"
    return ladder.index(kind), order


def best_key(five: tuple[str, ...], ladder: Ladder, deck: int, ace_low: bool) -> Key:
    """Five cards, one of which may be the joker: it is tried as every card of the deck that the hand has not.

    One that it has is tried only where it makes five of a kind.
    """
    if "Jo" not in five:
        return high_key(five, ladder, deck, ace_low)
    natural = tuple(card for card in five if card != "Jo")
    tried = [
        high_key((*natural, rank + suit), ladder, deck, ace_low)
        for rank in RANKS[-deck // 4 :]
        for suit in SUITS
        if rank + suit not in natural or {card[0] for card in natural} == {rank}
    ]
    return max(tried)


def low_key(five: tuple[str, ...], deck: int, ace_low: bool) -> Key:
    """Five cards, one of which may be the joker. The greater key is the lower hand: all of it is turned around."""
    if "Jo" in five:
        natural = tuple(card for card in five if card != "Jo")
        ranks = [rank for rank in RANKS[-deck // 4 :] if sum(card[0] == rank for card in natural) < 4]
        return max(low_key((*natural, rank + "?"), deck, ace_low) for rank in ranks)  # whichever suit is free
    numbers = [lowest_rank(deck) - 1 if ace_low and card[0] == "A" else number(card) for card in five]
    counts = sorted(Counter(numbers).items(), key=lambda item: (item[1], item[0]), reverse=True)
    kind = FULL.index(_KINDS_BY_SHAPE[tuple(count for _, count in counts)])
    return -kind, tuple(-rank for rank, _ in counts)


def every_hand(deck: int, joker: bool) -> Iterator[tuple[tuple[str, ...], int]]:
    """One hand of each pattern of ranks, suited and not, with the number of hands that share the pattern."""
    yield from _patterns(deck, 5)
    if joker:
        for four, ways in _patterns(deck, 4):
            yield (*four, "Jo"), ways


def _patterns(deck: int, size: int) -> Iterator[tuple[tuple[str, ...], int]]:
    for ranks in combinations_with_replacement(RANKS[-deck // 4 :], size):
        counts = Counter(ranks)
        if max(counts.values()) > 4:
            continue
        ways = prod(comb(4, count) for count in counts.values())
        if len(counts) == size:
            yield tuple(rank + "h" for rank in ranks), 4
            yield tuple(rank + suit for rank, suit in zip(ranks, "shdcs", strict=False)), ways - 4
            continue
        dealt: Counter[str] = Counter()
        hand = []
        for rank in ranks:
            hand.append(rank + SUITS[dealt[rank]])
            dealt[rank] += 1
        yield tuple(hand), ways


def counts_worked_out(deck: int, joker: bool, ace_low: bool) -> dict[str, int]:
    """How many five-card hands of each kind a deck has, by arithmetic alone.

    `r` ranks make `s` straights: r - 4 runs of five, and one more where the ace counts low. With the joker, four ranks
    that a fifth turns into a straight are `five to a straight` less those counted twice: each run of four in a row
    belongs to two straights, so 5s - (s - 1) of them; five of those make the royal flush.
    """
    r = deck // 4
    s = r - 4 + ace_low
    counts = {
        "royal flush": 4,
        "straight flush": 4 * (s - 1),
        "four of a kind": r * 4 * (r - 1),
        "full house": r * 4 * (r - 1) * 6,
        "flush": 4 * (comb(r, 5) - s),
        "straight": s * (4**5 - 4),
        "three of a kind": r * 4 * comb(r - 1, 2) * 4**2,
        "two pair": comb(r, 2) * 6**2 * (r - 2) * 4,
        "one pair": r * 6 * comb(r - 1, 3) * 4**3,
        "high card": (comb(r, 5) - s) * (4**5 - 4),
    }
    if not joker:
        return counts
    fours = 5 * s - (s - 1)
    with_joker = {
        "five of a kind": r,
        "royal flush": 5 * 4,
        "straight flush": (fours - 5) * 4,
        "four of a kind": r * 4 * (r - 1) * 4,
        "full house": comb(r, 2) * 6**2,
        "flush": (comb(r, 4) - fours) * 4,
        "straight": fours * (4**4 - 4),
        "three of a kind": r * 6 * comb(r - 1, 2) * 4**2,
        "one pair": (comb(r, 4) - fours) * (4**4 - 4),
    }
    return {kind: counts.get(kind, 0) + with_joker.get(kind, 0) for kind in FULL}


def lows_worked_out(deck: int, joker: bool, ace_low: bool) -> int:
    """How many five-card hands are five odd cards of eight or less, by arithmetic alone.

    With the joker four odd cards of eight or less will do, where a fifth such rank is left for it.
    """
    ranks = max(0, 9 - lowest_rank(deck)) + ace_low
    return comb(ranks, 5) * 4**5 + (comb(ranks, 4) * 4**4 if joker and ranks > 4 else 0)


def fives(hole: list[str], board: list[str], two_and_three: bool) -> Iterator[tuple[str, ...]]:
    """Every five cards that a hand may be made of."""
    if not two_and_three:
        yield from combinations((*hole, *board), 5)
        return
    for two in combinations(hole, 2):
        for three in combinations(board, 3):
            yield (*two, *three)
