"""Test whether a deck comes out sorted, or sorted and hardly disturbed since.

`judge` takes the cards of one round in the order they left the shoe, None for each one that no reader has named so far,
and compares the named ones with every order that a deck is sorted to: by suits (each suit upwards or downwards, ace low
or high, or two suits upwards and two downwards as new decks come; suits in any order) and by ranks (upwards or
downwards, ace low or high, suits in any order). Two signs betray a sorted deck:

- **Rising sequences**: how many times one must go through the cards seen to pick them up in the sorted order. A sorted
  deck is one, a cut makes it two, a riffle at most doubles it; k cards of a shuffled deck come close to (k + 1) / 2.
- **In place**: how many of the cards seen lie at one distance from their place in the sorted order, counted round the
  deck's end so that a cut changes nothing. It tells with fewer cards, and is asked while there are few.

**Odds.** In a shuffled deck any k cards are in uniformly random order, at random places. For one order of sorting,
P(at most r rising sequences) is the sum of the first r Eulerian numbers over k!, and P(some m of the k at one distance)
is at most n C(k, m) (n - m)! / n! for a deck of n. Limits are set so that these, summed over all orders of sorting and
all limits, stay below `FALSE_ALARMS` a round. Judging after every card does not raise the odds: further cards never
make rising sequences fewer, so "at most r among k(r) or more" lies within "at most r among the first k(r)"; and "m in
place among at most k(m)" lies within "m in place among the first k(m)". Cards that are shown because of what they are
(a hand tabled at the showdown) were not picked at random, but where in the deck each of them lay was.

Undealt cards that were shuffled within the round lie at places of their own: give the cards before that alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import comb, factorial, perm
from operator import gt
from typing import Final, TypeAlias, cast

from table_fsm.felt import JOKER, RANKS, SUITS

FALSE_ALARMS: Final = Fraction(1, 1_000_000)
"""Upper bound for the probability of an alarm in a round of a properly shuffled deck."""

_FEWEST_IN_PLACE: Final = 6
"""Fewer cards in place never raise an alarm: they cannot be improbable enough."""
_RUNS_OF_A_CUT: Final = 2
"""Rising sequences from which on they show all that cards in place would."""
_ACE: Final = RANKS[-1]


class Sign(StrEnum):
    """The sign that betrays a deck."""

    RISING_SEQUENCES = "rising_sequences"
    IN_PLACE = "in_place"


@dataclass(frozen=True, slots=True)
class SortedDeck:
    """The finding that a deck was not shuffled; it names no card.

    `sign`: what betrays it. `count`: rising sequences, or cards in place. `seen`: cards named so far. `odds`: upper
    bound for the probability that so many cards of a shuffled deck show this much of that sign, whatever the sorting.
    """

    sign: Sign
    count: int
    seen: int
    odds: float


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an alarm, by the number of cards seen.

    `rising[k]`: at most so many rising sequences among k cards seen; 0 is never. `in_place[k]`: at least so many cards
    in place among k seen; k + 1 is never.
    """

    rising: tuple[int, ...]
    in_place: tuple[int, ...]


Order: TypeAlias = Mapping[str, int]
"""A sorted deck: the place of each card in it, the first being 0."""


@dataclass(frozen=True, slots=True)
class _Orders:
    """The orders that a deck is sorted to: by suits, and by ranks.

    `suits`: each suit upwards. `pairs`: each two suits by ranks, in either order. Both without the aces. `places`: of
    each card of `suits` the number of its suit there, and its place in it.
    """

    by_suits: tuple[Order, ...]
    by_ranks: tuple[Order, ...]
    suits: tuple[tuple[str, ...], ...]
    pairs: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    places: Mapping[str, tuple[int, int]]


def judge(order: Sequence[str | None], deck: frozenset[str], odds: Fraction = FALSE_ALARMS) -> SortedDeck | None:
    """Return the sign that the deck was not shuffled; None if there is none.

    `order`: the cards out of the shoe since the whole deck was shuffled, first one first, None where no reader has
    named the card (so far). `deck`: the deck's names (`felt.full_deck`). `odds`: bound for a false alarm in the whole
    round, however often it is judged. A name that is not of the deck, or that has come before, is passed over.
    """
    # From the last card to the first: of a name that comes twice the first place stays.
    places = dict(zip(reversed(order), range(len(order) - 1, -1, -1), strict=True))
    places.pop(None, None)
    seen = cast(dict[str, int], places)
    if not deck.issuperset(seen):  # hot path: cards that are not of the deck are rare
        seen = {card: place for card, place in seen.items() if card in deck}
    # The usual odds by their default: hashing a fraction for the look-up would cost as much as the judgement.
    limits = limits_for(deck) if odds is FALSE_ALARMS else limits_for(deck, odds)
    count = len(seen)
    most, fewest = limits.rising[count], limits.in_place[count]
    if most:
        runs = min((_rising(seen, whole) for whole in _could_rise(seen, deck, most)), default=most + 1)
        if runs <= most:
            return _finding(Sign.RISING_SEQUENCES, runs, count, deck, rising_odds(count, runs))
    if fewest <= count:
        matched = max((_in_place(seen, whole) for whole in _could_match(seen, deck, fewest)), default=0)
        if matched >= fewest:
            return _finding(Sign.IN_PLACE, matched, count, deck, in_place_odds(len(deck), count, matched))
    return None


def _finding(sign: Sign, count: int, seen: int, deck: frozenset[str], one_order: Fraction) -> SortedDeck:
    return SortedDeck(sign, count, seen, min(1.0, float(one_order * orders_known(deck))))


def _rising(seen: Mapping[str, int], order: Order) -> int:
    """Number of rising sequences, by `order`, among the cards seen; at least one."""
    return 1 + _breaks([seen[card] for card in sorted(seen, key=order.__getitem__)])


def _breaks(places: Sequence[int]) -> int:
    return sum(map(gt, places, places[1:]))


def _in_place(seen: Mapping[str, int], order: Order) -> int:
    """The largest number of cards seen that are at one distance from their place in the order.

    Distances are counted round the deck's end.
    """
    size = len(order)
    distances = [(place - order[card]) % size for card, place in seen.items()]
    return max(map(distances.count, set(distances)))


# -- cheap tests of single suits, which clear nearly every shuffled deck


def _could_rise(seen: Mapping[str, int], deck: frozenset[str], most: int) -> tuple[Order, ...]:
    """The orders for which the cards seen might have at most `most` rising sequences."""
    orders = _orders(deck)
    by_suits = orders.by_suits if _could_rise_by_suits(seen, orders, most) else ()
    return by_suits + (orders.by_ranks if _could_rise_by_ranks(seen, orders, most) else ())


def _places(chain: Sequence[str], seen: Mapping[str, int]) -> list[int]:
    """The places of those cards of the chain that were seen."""
    return list(map(seen.__getitem__, filter(seen.__contains__, chain)))


def _could_rise_by_suits(seen: Mapping[str, int], orders: _Orders, most: int) -> bool:
    fewest = 1
    for suit in orders.suits:
        places = _places(suit, seen)
        up = _breaks(places)
        fewest += min(up, max(0, len(places) - 1 - up))
        if fewest > most:
            return False
    return True


def _could_rise_by_ranks(seen: Mapping[str, int], orders: _Orders, most: int) -> bool:
    upwards = downwards = True
    for pair in orders.pairs:
        up = down = len(seen)
        for chain in pair:
            places = _places(chain, seen)
            breaks = _breaks(places)
            up, down = min(up, breaks), min(down, max(0, len(places) - 1 - breaks))
        upwards, downwards = upwards and up < most, downwards and down < most
        if not upwards and not downwards:
            return False
    return True


def _could_match(seen: Mapping[str, int], deck: frozenset[str], fewest: int) -> tuple[Order, ...]:
    """The orders for which at least `fewest` of the cards seen might be in place."""
    orders, size = _orders(deck), len(deck)
    by_suits = by_ranks = len(seen)
    by_suit: list[list[tuple[int, int]]] = [[] for _ in orders.suits]
    for card in seen.keys() & orders.places.keys():
        suit, n = orders.places[card]
        by_suit[suit].append((n, seen[card]))
    for places in sorted(by_suit, key=len, reverse=True):  # the longest suits clear a deck soonest
        count = len(places)
        if count > 1 and by_suits >= fewest:
            by_suits -= count - max(_level(places, 1, size), _level(places, -1, size))
        if count > 1 and by_ranks >= fewest:
            by_ranks -= count - max(_level(places, len(SUITS), size), _level(places, -len(SUITS), size))
        if by_suits < fewest and by_ranks < fewest:
            return ()
    return (orders.by_suits if by_suits >= fewest else ()) + (orders.by_ranks if by_ranks >= fewest else ())


def _level(places: Sequence[tuple[int, int]], step: int, size: int) -> int:
    """Most cards of a suit at one distance from their place, if its neighbours lie `step` apart."""
    distances = [(place - n * step) % size for n, place in places]
    return 1 if len(set(distances)) == len(distances) else max(map(distances.count, distances))


# -- the orders decks are sorted to


def orders_known(deck: frozenset[str]) -> int:
    """Number of orders of sorting that the deck is compared with."""
    orders = _orders(deck)
    return len(orders.by_suits) + len(orders.by_ranks)


@cache
def _orders(deck: frozenset[str]) -> _Orders:
    up = [rank for rank in RANKS if rank + SUITS[0] in deck]
    ace_low = [_ACE, *up[:-1]]
    tail = [JOKER] if JOKER in deck else []
    by_suits = [
        _whole(dict.fromkeys(suits, ranks), tail)
        for ranks in (up, up[::-1], ace_low, ace_low[::-1])
        for suits in permutations(SUITS)
    ]
    for downwards in ((0, 1), (2, 3)):  # new decks come so: from ace to king in two suits, from king to ace in two
        by_suits += [
            _whole({suit: ace_low[::-1] if n in downwards else ace_low for n, suit in enumerate(suits)}, tail)
            for suits in permutations(SUITS)
        ]
    by_ranks = [
        (*_by_ranks(ranks, suits), *tail)
        for ranks in (up, up[::-1], ace_low, ace_low[::-1])
        for suits in permutations(SUITS)
    ]
    below_ace = up[:-1]  # these rise alike whether the ace is low or high
    alone = [_by_ranks(below_ace, suit) for suit in SUITS]
    pairs = [(_by_ranks(below_ace, (a, b)), _by_ranks(below_ace, (b, a))) for a, b in combinations(SUITS, 2)]
    places = {card: (number, n) for number, suit in enumerate(alone) for n, card in enumerate(suit)}
    return _Orders(tuple(map(_placed, by_suits)), tuple(map(_placed, by_ranks)), tuple(alone), tuple(pairs), places)


def _placed(cards: Sequence[str]) -> Order:
    return {card: place for place, card in enumerate(cards)}


def _whole(ranks_of: Mapping[str, Sequence[str]], tail: Sequence[str]) -> tuple[str, ...]:
    return (*(rank + suit for suit, ranks in ranks_of.items() for rank in ranks), *tail)


def _by_ranks(ranks: Sequence[str], suits: Sequence[str]) -> tuple[str, ...]:
    return tuple(rank + suit for rank in ranks for suit in suits)


# -- odds and limits


@cache
def limits_for(deck: frozenset[str], odds: Fraction = FALSE_ALARMS) -> Limits:
    """The limits that keep a false alarm in one round below `odds`.

    Each sign gets half of `odds`, which its limits share.
    """
    size, each = len(deck), odds / 2 / orders_known(deck)
    rising = [0]
    for seen in range(1, size + 1):
        runs = rising[-1]
        while runs < seen and rising_odds(seen, runs + 1) <= each / 2 ** (runs + 1):
            runs += 1
        rising.append(runs)
    in_place = [
        seen + 1 if rising[seen] >= _RUNS_OF_A_CUT else _fewest_in_place(size, seen, each) for seen in range(size + 1)
    ]
    return Limits(tuple(rising), tuple(in_place))


def _fewest_in_place(size: int, seen: int, odds: Fraction) -> int:
    for matched in range(_FEWEST_IN_PLACE, seen + 1):
        if in_place_odds(size, seen, matched) <= odds / 2 ** (matched - _FEWEST_IN_PLACE + 1):
            return matched
    return seen + 1


@cache
def rising_odds(seen: int, runs: int) -> Fraction:
    """P(a uniformly random order of `seen` cards has at most `runs` rising sequences)."""
    return Fraction(sum(_eulerian(seen, breaks) for breaks in range(runs)), factorial(seen))


def _eulerian(size: int, breaks: int) -> int:
    """Number of orders of `size` things with exactly `breaks` breaks.

    That is one less than their rising sequences.
    """
    return sum((-1) ** n * comb(size + 1, n) * (breaks + 1 - n) ** size for n in range(breaks + 1))


def in_place_odds(size: int, seen: int, matched: int) -> Fraction:
    """Upper bound of P(some `matched` of `seen` cards are at one distance from their places).

    `size`: cards of the deck.
    """
    return Fraction(size * comb(seen, matched), perm(size, matched))
