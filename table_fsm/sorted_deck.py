"""Does the deck come out as no shuffle would leave it: sorted, or sorted and hardly disturbed since?

`judge` takes the cards of one round in the order they left the shoe, None for each one no reader has named so far, and
compares the named ones with every order a deck is sorted to: by suits (each suit upwards or downwards, ace low or high,
or two suits upwards and two downwards as new decks come; suits in any order) and by ranks (upwards or downwards, suits in
any order). Two things betray a sorted deck:

- **Rising sequences**: how many times one must go through the cards seen to pick them up in the sorted order. A sorted
  deck is one, a cut makes it two, a riffle at most doubles it; k cards of a shuffled deck come close to (k + 1) / 2.
- **In place**: how many of the cards seen lie in the same distance from their place in the sorted order, counted round the
  end of the deck so that a cut changes nothing. A shuffled deck has about one; this tells with few cards seen.

**Odds.** In a shuffled deck the k cards seen are in uniformly random order at random places, whatever places are seen. For
an order of sorting, P(at most r rising sequences) = sum of Eulerian numbers / k!, and P(some m of k cards in the same
distance) <= n · C(k, m) · (n - m)! / n! for a deck of n. Limits are set so that these, summed over all orders of sorting
and over all limits, stay below `FALSE_ALARMS` a round. Looking at every card does not raise the odds: a set of cards never
loses rising sequences when another card joins it, so "at most r, k(r) or more cards seen" is contained in "at most r in the
first k(r)"; and "m in place among at most k(m) seen" in "m in place among the first k(m)". Cards shown because of what they
are (a hand tabled at the showdown) are not seen at random, but which of them came first still is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations
from math import comb, factorial, perm
from typing import Final

from table_fsm.cards import JOKER, RANKS, SUITS

FALSE_ALARMS: Final = Fraction(1, 1_000_000)
"""Upper bound for the probability of an alarm in a round of a properly shuffled deck."""

_ACE_LOW: Final = RANKS[-1] + RANKS[:-1]


class Sign(StrEnum):
    """What betrayed the deck."""

    RISING_SEQUENCES = "rising_sequences"
    IN_PLACE = "in_place"


@dataclass(frozen=True, slots=True)
class SortedDeck:
    """The deck was not shuffled.

    `sign`: what betrays it. `count`: rising sequences, or cards in place. `seen`: cards named so far. `odds`: upper bound
    for the probability that a shuffled deck shows this much, whatever the order of sorting. It names no card.
    """

    sign: Sign
    count: int
    seen: int
    odds: float


@dataclass(frozen=True, slots=True)
class _Orders:
    """The orders a deck is sorted to. `chains`: their cheap necessary conditions, a place by card for each family."""

    places: tuple[dict[str, int], ...]
    chains: tuple[dict[str, int], ...]
    by_chain: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """When to raise. `rising[k]`: at most so many rising sequences among k cards seen, 0 never.

    `in_place[k]`: at least so many cards in place among k seen, k + 1 never.
    """

    rising: tuple[int, ...]
    in_place: tuple[int, ...]


def judge(
    order: Sequence[str | None], deck: frozenset[str], false_alarms: Fraction = FALSE_ALARMS
) -> SortedDeck | None:
    """What betrays the deck as not shuffled, None if nothing does.

    `order`: the cards out of the shoe since its last shuffle, first one first, None where no reader has named the card.
    `deck`: the deck's names (`cards.full_deck`). `false_alarms`: bound for the whole round, however often it is judged.
    What is not of the deck, or a name that came before, is passed over: it has its own rulings.
    """
    seen: dict[str, int] = {}
    for place, card in enumerate(order):
        if card is not None and card in deck:
            seen.setdefault(card, place)
    limits = limits_for(len(deck), len(_orders(deck).places), false_alarms)
    fewest, most = limits.in_place[len(seen)], limits.rising[len(seen)]
    if fewest > len(seen) and not most:
        return None
    return _judge(seen, deck, most, fewest)


def _judge(seen: dict[str, int], deck: frozenset[str], most: int, fewest: int) -> SortedDeck | None:
    orders, count = _orders(deck), len(seen)
    for chain, members in zip(orders.chains, orders.by_chain, strict=True):
        rising, in_place = _chain_rising(seen, chain, most), _chain_in_place(seen, chain, len(deck)) >= fewest
        for index in members if rising or in_place else ():
            places = orders.places[index]
            runs = _rising(seen, places, most) if rising else 0
            if runs:
                odds = len(orders.places) * _rising_odds(count, runs)
                return SortedDeck(Sign.RISING_SEQUENCES, runs, count, min(1.0, float(odds)))
            matched = _in_place(seen, places, len(deck)) if in_place else 0
            if matched >= fewest:
                odds = len(orders.places) * _in_place_odds(len(deck), count, matched)
                return SortedDeck(Sign.IN_PLACE, matched, count, min(1.0, float(odds)))
    return None
