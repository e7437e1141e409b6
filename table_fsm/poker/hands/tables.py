"""Values of five cards for any deck and any order of the kinds of hand.

A pokerkit `Lookup` knows the values of five ranks, of one suit or not. Its own lookups cover the full deck, one reduced
deck of 36 and the low hand of 52. The lookups here are built by the same means for each deck's ranks and each book's
order; the joker, five of a kind and the royal flush's own place are added on top.

Import this module at the first showdown and not at the start, since pokerkit takes a while.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import cast

from pokerkit import Card, Rank, Suit
from pokerkit.lookups import Label, Lookup, RegularLookup
from pokerkit.utilities import RankOrder

from table_fsm.poker.hands.values import HandName

_SAME_RANKS = {
    HandName.HIGH_CARD: {1: 5},
    HandName.ONE_PAIR: {2: 1, 1: 3},
    HandName.TWO_PAIR: {2: 2, 1: 1},
    HandName.THREE_OF_A_KIND: {3: 1, 1: 2},
    HandName.FLUSH: {1: 5},
    HandName.FULL_HOUSE: {3: 1, 2: 1},
    HandName.FOUR_OF_A_KIND: {4: 1, 1: 1},
}
_STRAIGHTS = (HandName.STRAIGHT, HandName.STRAIGHT_FLUSH)
_SUITED = (HandName.FLUSH, HandName.STRAIGHT_FLUSH)


@dataclass(frozen=True, slots=True)
class Value:
    """The value of five cards.

    `strength`, `name`: as in `HandRank`. `joker_as`: the rank a joker counts as.
    """

    strength: int
    name: HandName
    joker_as: str | None = None


class HighTable:
    """The values of a high hand."""

    def __init__(self, kinds: tuple[HandName, ...], ranks: str, *, ace_low: bool) -> None:
        """`kinds`: as `HandOrder.kinds` has them. `ranks`: those of the deck, lowest first.

        `ace_low`: the ace also counts below the deck's lowest rank in a straight.
        """
        self._ranks = ranks
        self._lookup = _high_lookup(kinds, ranks, ace_low)
        self._royal = _index(self._lookup, ranks[-5:], suited=True)
        self._alike = len(ranks) if HandName.FIVE_OF_A_KIND in kinds else 0
        self._known: dict[tuple[str, bool], Value] = {}
        self._by_code: dict[int, Value] = {}

    def value(self, ranks: str, suited: bool) -> Value:
        """Return the value of five ranks, or of four ranks and the joker.

        The ranks highest first; `suited`: whether the cards other than the joker are of one suit.
        """
        key = (ranks, suited)
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._natural(ranks, suited) if len(ranks) == 5 else self._wild(ranks, suited)
        return known

    def value_of_ranks(self, code: int) -> Value:
        """The value of cards that are not of one suit.

        `code`: three bits for each rank, lowest rank first: how many of it. Five ranks, or four and the joker.
        """
        if (known := self._by_code.get(code)) is None:
            ranks = "".join(rank * (code >> 3 * place & 7) for place, rank in enumerate(reversed(_HIGH_FIRST)))
            known = self._by_code[code] = self.value(ranks[::-1], suited=False)
        return known

    def _natural(self, five: str, suited: bool) -> Value:
        entry = self._lookup.get_entry(_cards(five, suited))
        if entry.index == self._royal:
            return Value(self._royal + self._alike, HandName.ROYAL_FLUSH)
        return Value(entry.index, _name(entry.label))

    def _wild(self, four: str, suited: bool) -> Value:
        """The value with the joker as the best card it can be.

        It is a card of the hand only where that makes five of a kind.
        """
        if len(set(four)) == 1:
            return Value(self._royal + self._ranks.index(four[0]), HandName.FIVE_OF_A_KIND, four[0])
        off_suit = [(self.value(_with(four, rank), False), rank) for rank in self._ranks]
        of_suit = [(self.value(_with(four, rank), True), rank) for rank in self._ranks if suited and rank not in four]
        value, rank = max(off_suit + of_suit, key=lambda choice: choice[0].strength)
        return Value(value.strength, value.name, rank)


class LowTable:
    """The values of a low hand: the lowest is the strongest; straights and flushes do not count."""

    def __init__(self, ranks: str) -> None:
        """`ranks`: those of the deck, lowest first in a low hand.

        The ace is first where it counts low.
        """
        self._ranks = ranks
        self._lookup = _low_lookup(ranks)
        self._worst = _index(self._lookup, 4 * ranks[-1] + ranks[-2], suited=False)
        self._known: dict[str, Value] = {}

    def value(self, ranks: str) -> Value:
        """The value of the five ranks, or of four ranks and the joker."""
        if (known := self._known.get(ranks)) is None:
            known = self._known[ranks] = self._natural(ranks) if len(ranks) == 5 else self._wild(ranks)
        return known

    def _natural(self, five: str) -> Value:
        entry = self._lookup.get_entry(_cards(five, suited=False))
        return Value(self._worst - entry.index, _name(entry.label))

    def _wild(self, four: str) -> Value:
        """The value with the joker as the lowest rank that the hand lacks."""
        rank = next(rank for rank in self._ranks if rank not in four)
        value = self.value(four + rank)
        return Value(value.strength, value.name, rank)


@cache
def high_table(kinds: tuple[HandName, ...], ranks: str, ace_low: bool) -> HighTable:
    """The table of values; each is built once. Arguments as `HighTable` has them."""
    return HighTable(kinds, ranks, ace_low=ace_low)


@cache
def low_table(ranks: str) -> LowTable:
    """The table of values; each is built once. Arguments as `LowTable` has them."""
    return LowTable(ranks)


def _high_lookup(kinds: tuple[HandName, ...], ranks: str, ace_low: bool) -> Lookup:
    class Ladder(Lookup):
        rank_order = _rank_order(ranks)

        def _add_entries(self) -> None:  # later entries are stronger and replace those of the same ranks
            for kind in kinds:
                suited = (kind in _SUITED,)
                if kind in _STRAIGHTS:
                    self._add_straights(5, suited, _label(kind), ace_low)
                elif kind in _SAME_RANKS:
                    self._add_multisets(Counter(_SAME_RANKS[kind]), suited, _label(kind))

    return Ladder()


def _low_lookup(ranks: str) -> Lookup:
    class Low(RegularLookup):
        rank_order = _rank_order(ranks)

    return Low()


def _rank_order(ranks: str) -> RankOrder:
    """Return the ranks as a pokerkit order.

    pokerkit types its orders as members of an enum, but only needs a tuple of ranks.
    """
    return cast(RankOrder, tuple(Rank(rank) for rank in ranks))


def _index(lookup: Lookup, ranks: str, *, suited: bool) -> int:
    return lookup.get_entry(_cards(ranks, suited)).index


def _cards(ranks: Iterable[str], suited: bool) -> list[Card]:
    """Cards to look up in pokerkit, which distinguishes only one suit from several."""
    suits = Suit.SPADE, Suit.SPADE if suited else Suit.HEART
    return [Card(Rank(rank), suits[place > 0]) for place, rank in enumerate(ranks)]


def _label(kind: HandName) -> Label:
    return Label(kind.value.capitalize())


def _name(label: Label) -> HandName:
    return HandName(label.value.lower())


def _with(four: str, rank: str) -> str:
    """Five ranks, highest first: one spelling for each hand, because the table caches by it."""
    return "".join(sorted(four + rank, key=_HIGH_FIRST.index))


_HIGH_FIRST = "AKQJT98765432"
