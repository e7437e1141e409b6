"""Values of five cards for any deck and any order of the kinds of hand.

A hand's value is its place among all the values that there are. So a table names every hand once, the weakest first,
and numbers them: 7,462 for the full deck. That is some milliseconds of work, done once for each order.

A code says how many cards of each rank a hand has: three bits for each rank, the two lowest. A hand's code is the sum
of its cards' codes. The joker adds nothing, so a code of four cards is a hand with the joker, and one of five alike the
hand that the joker makes of four.

Tables that were made beforehand (`made_before`) say the same by codes of their own.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias

from table_fsm.felt import JOKER, RANKS, SUITS
from table_fsm.poker.hands.values import HandName

_HAND: Final = 5
_UNITS: Final = {rank: 1 << 3 * place for place, rank in enumerate(RANKS)}

CODES: Final[Mapping[str, int]] = {rank + suit: _UNITS[rank] for rank in RANKS for suit in SUITS} | {JOKER: 0}
"""The code of each card."""

_Groups = tuple[tuple[int, int], ...]
_GROUPS: Final[Mapping[HandName, _Groups]] = {
    HandName.HIGH_CARD: ((1, 5),),
    HandName.ONE_PAIR: ((2, 1), (1, 3)),
    HandName.TWO_PAIR: ((2, 2), (1, 1)),
    HandName.THREE_OF_A_KIND: ((3, 1), (1, 2)),
    HandName.FLUSH: ((1, 5),),
    HandName.FULL_HOUSE: ((3, 1), (2, 1)),
    HandName.FOUR_OF_A_KIND: ((4, 1), (1, 1)),
    HandName.FIVE_OF_A_KIND: ((5, 1),),
}
"""What a kind is made of: (cards alike, of how many ranks), what compares first before the rest."""
_SUITED: Final = frozenset({HandName.FLUSH, HandName.STRAIGHT_FLUSH, HandName.ROYAL_FLUSH})
_LOW_KINDS: Final = (
    HandName.HIGH_CARD,
    HandName.ONE_PAIR,
    HandName.TWO_PAIR,
    HandName.THREE_OF_A_KIND,
    HandName.FULL_HOUSE,
    HandName.FOUR_OF_A_KIND,
)


Strengths: TypeAlias = Mapping[int, int] | memoryview
"""Strength by code. A view says nothing of a code that no hand has."""


@dataclass(frozen=True, slots=True)
class HandTable:
    """The strength of every hand, as in `HandRank`."""

    ranks: str
    """Those of the deck."""
    mixed: Strengths = field(repr=False)
    """Strength by code, of hands that are not of one suit. In a low table of all hands."""
    suited: Strengths = field(repr=False)
    """Strength by code, of hands whose cards other than the joker are of one suit. Empty in a low table."""
    kinds: tuple[HandName, ...]
    """The kinds of hand, the weakest first."""
    starts: tuple[int, ...]
    """The least strength of each kind."""
    codes: Mapping[str, int] = field(default_factory=lambda: CODES, repr=False)
    """The code of each card in `mixed`."""
    suited_codes: Mapping[str, int] = field(default_factory=lambda: CODES, repr=False)
    """The code of each card in `suited`."""

    def strength(self, five: Iterable[str], *, one_suit: bool) -> int:
        """Return the strength of five cards. `one_suit`: all but the joker are of one."""
        if one_suit:
            return self.suited[sum([self.suited_codes[card] for card in five])]
        return self.mixed[sum([self.codes[card] for card in five])]

    def name(self, strength: int) -> HandName:
        """Return the kind of a hand of this strength."""
        return self.kinds[bisect_right(self.starts, strength) - 1]

    def joker_as(self, five: Iterable[str], strength: int) -> str:
        """Return the rank that the joker counts as among these five cards of this strength."""
        table = self.suited if self.name(strength) in _SUITED else self.mixed
        assert isinstance(table, Mapping), "no table with a joker is made beforehand"
        code = sum([self.codes[card] for card in five])
        return next(rank for rank in self.ranks if table.get(code + _UNITS[rank]) == strength)


_made_before: Final[dict[str, Callable[[], HandTable | None]]] = {}


def take_made_before(tables: Mapping[str, Callable[[], HandTable | None]]) -> None:
    """Have these take the place of tables that would be made when they are first asked for, by their names.

    They must say of each hand what the others say. One that gives None is made. None that has been asked for changes.
    """
    _made_before.update(tables)


def name_of_high(kinds: tuple[HandName, ...], ranks: str, ace_low: bool) -> str:
    """Return the name of what `high_table` returns of the same."""
    return f"high {ranks} {', '.join(kinds)}{', ace low' if ace_low else ''}"


def name_of_low(ranks: str, joker: bool) -> str:
    """Return the name of what `low_table` returns of the same."""
    return f"low {ranks}{', joker' if joker else ''}"


@cache
def high_table(kinds: tuple[HandName, ...], ranks: str, ace_low: bool) -> HandTable:
    """Return the table of high hands, made beforehand or now; each is made once.

    `kinds`: those of the deck, the weakest first; five of a kind says that there is a joker. `ranks`: those of the
    deck, lowest first. `ace_low`: the ace also counts below the deck's lowest rank in a straight.
    """
    return _found(name_of_high(kinds, ranks, ace_low)) or make_high_table(kinds, ranks, ace_low)


@cache
def low_table(ranks: str, joker: bool) -> HandTable:
    """Return the table of low hands, where straights and flushes do not count, made beforehand or now; each is made
    once.

    The lowest hand is the strongest. `ranks`: those of the deck, lowest first in a low hand: the ace is first where it
    counts low.
    """
    return _found(name_of_low(ranks, joker)) or make_low_table(ranks, joker)


def _found(name: str) -> HandTable | None:
    made = _made_before.get(name)
    return None if made is None else made()


def make_high_table(kinds: tuple[HandName, ...], ranks: str, ace_low: bool) -> HandTable:
    """Make what `high_table` returns."""
    units = [_UNITS[rank] for rank in ranks]
    straights = _straights(units, ace_low)
    codes = {kind: list(_codes(kind, units, straights)) for kind in kinds}
    return _numbered(ranks, codes, joker=HandName.FIVE_OF_A_KIND in kinds)


def make_low_table(ranks: str, joker: bool) -> HandTable:
    """Make what `low_table` returns."""
    units = [_UNITS[rank] for rank in ranks]
    codes = {kind: list(_weakest_first(units, _GROUPS[kind]))[::-1] for kind in reversed(_LOW_KINDS)}
    return _numbered(ranks, codes, joker=joker)


def _numbered(ranks: str, codes: Mapping[HandName, Sequence[int]], *, joker: bool) -> HandTable:
    """`codes`: those of each kind, the weakest kind first, and in it the weakest hand."""
    mixed: dict[int, int] = {}
    suited: dict[int, int] = {}
    starts: list[int] = []
    strength = 0
    for kind, hands in codes.items():
        starts.append(strength)
        table = suited if kind in _SUITED else mixed
        table.update(zip(hands, range(strength, strength + len(hands)), strict=True))
        strength += len(hands)
    if joker:
        units = [_UNITS[rank] for rank in ranks]
        mixed |= _wild(mixed, units, combinations_with_replacement(units, _HAND - 1))
        if suited:
            suited |= _wild(suited, units, combinations(units, _HAND - 1))
    return HandTable(ranks, mixed, suited, tuple(codes), tuple(starts))


def _wild(table: Mapping[int, int], units: Sequence[int], fours: Iterable[tuple[int, ...]]) -> dict[int, int]:
    """Four cards with the joker are worth the best hand of the table that a fifth makes of them."""
    codes = map(sum, fours)
    return {code: max(table[code + unit] for unit in units if code + unit in table) for code in codes}


def _codes(kind: HandName, units: Sequence[int], straights: Sequence[int]) -> Iterable[int]:
    """The codes of a kind of high hand, the weakest first."""
    match kind:
        case HandName.STRAIGHT:
            return straights
        case HandName.STRAIGHT_FLUSH:
            return straights[:-1]
        case HandName.ROYAL_FLUSH:
            return straights[-1:]
        case HandName.HIGH_CARD | HandName.FLUSH:
            return (code for code in _weakest_first(units, _GROUPS[kind]) if code not in straights)
        case _:
            return _weakest_first(units, _GROUPS[kind])


def _straights(units: Sequence[int], ace_low: bool) -> list[int]:
    in_a_row = [units[-1], *units] if ace_low else units
    return [sum(in_a_row[low : low + _HAND]) for low in range(len(in_a_row) - _HAND + 1)]


def _weakest_first(units: Sequence[int], groups: _Groups) -> Iterator[int]:
    """The codes of hands of such groups, by the ranks of the first group from the highest down, then of the next."""
    (alike, ranks), *rest = groups
    for chosen in sorted(combinations(range(len(units)), ranks), key=lambda places: places[::-1]):
        code = alike * sum([units[place] for place in chosen])
        if rest:
            others = [unit for place, unit in enumerate(units) if place not in chosen]
            yield from [code + more for more in _weakest_first(others, tuple(rest))]
        else:
            yield code
