"""Ranking of hands by a book's order, for its deck, joker, ace and selection of cards.

| source | what it orders |
| --- | --- |
| TAS 2018 C 4; ACT 2019 3 | the full deck; the ace high or low in a straight |
| ACT 2001 3.3, 3.4 | the full deck; a reduced one where a flush beats a full house; with the joker, five of a kind |
| ACT 2001 3.5, 3.6 | the ace, and whether high, low or both win; a low hand knows no straights and flushes |
| TAS 2018 B 14 | the full deck, and 32 cards where a flush beats four of a kind and the ace counts as a 6 |
| ACT 2001 A 2.5, B 2.8, C 2.5, D 2.4, E to I 2.5 | which cards make a hand |

Onyx and The Star print no order of hands: theirs is the ordinary one of the full deck.

Where the sources are silent (all ours):
- Ace high (ACT 3.5(a) not chosen): A is the top card and nothing else, so 5-4-3-2-A is no straight, and an ace is the
  worst card of a low hand. Ace high and low: by the letter 3.5(a) speaks of straights only; it is taken for the low
  hand as well, where the ace is then the lowest card. Nobody plays A-2-3-4-8 as an eight-low and the ace as high.
- The ace below the lowest card of a reduced deck makes the lowest straight of that deck: 8-7-6-5-A of 40 cards
  (ACT 3.4's example), 10-9-8-7-A of 32 (TAS B 14.2(f)). TAS B 14.1(f) and 14.2(f) say it of straights, and it holds
  for a straight flush, "five cards of the same suit in sequence", too.
- The joker is "any other card" (Terms, Wild Card; 3.7), so it is one the hand lacks, and a second copy only where it
  makes five of a kind, which 3.3(b) asks for: a flush A-Joker-9-5-3 is A-K-9-5-3 and no better. It helps the hand it is
  in: a low hand takes it for the lowest rank it lacks. Where high and low split, each side takes it for itself.
- A hand with the joker equals the same hand without.
- A reduced deck has fewer than 52 cards before the joker: 48 and a joker are reduced.
- Eight or better asks for five odd cards of eight or less (3.5(d)); a low hand that wins alone (Low Ball) need not.

No error message and no `repr` here names a card: a hand may be ranked before it is public.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeAlias, TypeVar

from table_fsm.felt import CARDS, DECK_SIZES, JOKER, RANKS, SUITS, full_deck
from table_fsm.poker.hands.tables import HandTable, high_table, low_table
from table_fsm.poker.hands.values import HandName, HandRank, HandValue

_FULL: Final = 52
_HAND: Final = 5
_FROM_BOARD: Final = 3
_BOARD: Final = 5
_EIGHT: Final = 8
_ONE_OF_EACH: Final = 0x1111
"""One card of each suit, where each suit has a hexadecimal digit that counts its cards."""
_OF_SUITS: Final = {card: 1 << 4 * SUITS.index(card[1]) if card != JOKER else _ONE_OF_EACH for card in CARDS}
"""Each card so counted; the joker counts as any suit."""
_EIGHT_OR_LESS: Final = frozenset("2345678")
_HIGH_FIRST: Final = {card: place for place, card in enumerate(r + s for r in reversed(RANKS) for s in SUITS)} | {
    JOKER: len(RANKS) * len(SUITS)
}

_Setting = TypeVar("_Setting", bound=StrEnum)
_Choice: TypeAlias = tuple[int, tuple[str, ...]]
"""The strength of five cards, and the cards."""


class Ladder(StrEnum):
    """The order of the kinds of hand."""

    FULL = "full"
    """ACT 2001 3.3, ACT 2019 3.1, TAS 2018 B 14.1, C 4.3."""
    REDUCED = "reduced"
    """ACT 2001 3.4: straight flush, four of a kind, flush, full house, straight."""
    TAS_32 = "tas_32"
    """TAS 2018 B 14.2: straight flush, flush, four of a kind, full house, straight."""


class Ace(StrEnum):
    """The value of the ace (ACT 2001 3.5(a)), by the names of the option `ace`."""

    HIGH = "high"
    HIGH_LOW = "high_low"


class Winner(StrEnum):
    """The hands that win the pot (ACT 2001 3.5(b) to (d)), by the names of the option `winner`."""

    HIGH = "high"
    LOW = "low"
    HIGH_LOW = "high_low"
    HIGH_LOW_EIGHT = "high_low_eight"


class Selection(StrEnum):
    """The cards that a hand is made of."""

    ANY_FIVE = "any_five"
    """Any of own cards and board, five to seven together: Hold'em, Seven Card Stud (with its communal card, D 4.4)."""
    TWO_OF_FOUR = "two_of_four"
    """Omaha: two of four own cards and three of the board (ACT 2001 C 2.5)."""
    TWO_OF_THREE = "two_of_three"
    """Three Card Manila: two of three own cards and three of the board (ACT 2001 A 2.5)."""
    FIVE_HELD = "five_held"
    """The five own cards and no board: Draw (ACT 2001 B 2.8), Five Card Stud (TAS 2018 B)."""


_LOWER: Final = (
    HandName.HIGH_CARD,
    HandName.ONE_PAIR,
    HandName.TWO_PAIR,
    HandName.THREE_OF_A_KIND,
    HandName.STRAIGHT,
)
_KINDS: Final = {
    Ladder.FULL: (HandName.FLUSH, HandName.FULL_HOUSE, HandName.FOUR_OF_A_KIND),
    Ladder.REDUCED: (HandName.FULL_HOUSE, HandName.FLUSH, HandName.FOUR_OF_A_KIND),
    Ladder.TAS_32: (HandName.FULL_HOUSE, HandName.FOUR_OF_A_KIND, HandName.FLUSH),
}
_OWN_CARDS: Final = {Selection.TWO_OF_FOUR: 4, Selection.TWO_OF_THREE: 3}


@dataclass(frozen=True, slots=True)
class HandOrder:
    """The order of hands of one table. Values of one order compare; values of two orders do not.

    `deck`: 52, 48, 44, 40, 36 or 32 ranked cards, the lowest ranks gone. `joker`: one wild card beside them.
    As it stands without arguments it is the ordinary order: a full deck, the ace high or low, any five of the cards.

    Raises ValueError for a deck that does not exist.
    """

    deck: int = _FULL
    joker: bool = False
    ladder: Ladder = Ladder.FULL
    ace: Ace = Ace.HIGH_LOW
    winner: Winner = Winner.HIGH
    selection: Selection = Selection.ANY_FIVE

    def __post_init__(self) -> None:
        full_deck(self.deck, self.joker)

    @property
    def high_wins(self) -> bool:
        """Whether the best high hand wins the pot or half of it."""
        return self.winner is not Winner.LOW

    @property
    def low_wins(self) -> bool:
        """Whether the best low hand wins the pot or half of it.

        In `high_low_eight` only if one qualifies.
        """
        return self.winner is not Winner.HIGH

    @property
    def kinds(self) -> tuple[HandName, ...]:
        """Every kind of high hand of this deck, lowest first: the table's sign shows them (B 14.3)."""
        five_alike = (HandName.FIVE_OF_A_KIND,) if self.joker else ()
        return (*_LOWER, *_KINDS[self.ladder], HandName.STRAIGHT_FLUSH, *five_alike, HandName.ROYAL_FLUSH)

    @property
    def high_words(self) -> tuple[tuple[HandName, ...], str, bool]:
        """What `high_table` and its like are asked with."""
        return self.kinds, _ranks(self), self.ace is Ace.HIGH_LOW

    @property
    def low_words(self) -> tuple[str, bool]:
        """What `low_table` and its like are asked with."""
        return _low_ranks(self), self.joker

    def best_high(self, hole: Sequence[str], board: Sequence[str]) -> HandRank:
        """Return the highest hand that the selection rule lets these cards make.

        `hole`: the player's own cards. `board`: the communal ones; two-and-three games need three to five of them. The
        answer does not depend on the order of the cards. Where two choices are worth the same, it is the one without
        the joker, else the one with the spade before heart, diamond and club.

        Raises ValueError where the cards cannot be a hand; the message counts cards and names none.
        """
        return _best_high(self, *self._accepted(hole, board))

    def high_value(self, hole: Sequence[str], board: Sequence[str]) -> HandValue:
        """Return the value of the highest hand, without looking for the cards that make it.

        Cards and errors as in `best_high`.
        """
        self._check(hole, board)
        return _high_value(self, hole, board)

    def best_low(self, hole: Sequence[str], board: Sequence[str]) -> HandRank | None:
        """Return the lowest hand that the selection rule lets these cards make.

        The lower the hand, the greater the value. None where no low hand can win: only high hands do, or it must be
        eight or better and is not. Its name is that of a hand without straights and flushes: five odd cards are a "high
        card".

        Cards and errors as in `best_high`.
        """
        own, shared = self._accepted(hole, board)
        return _best_low(self, own, shared) if self.low_wins else None

    def warm_up(self) -> None:
        """Have the tables that the first showdown needs: some milliseconds each where they are made, once in a
        process."""
        _high_table(self)
        if self.low_wins:
            _low_table(self)

    def _accepted(self, hole: Sequence[str], board: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        self._check(hole, board)
        return _high_first(hole), _high_first(board)

    def _check(self, hole: Sequence[str], board: Sequence[str]) -> None:
        cards = (*hole, *board)
        self._check_counts(len(hole), len(board))
        distinct = frozenset(cards)
        if len(distinct) < len(cards):
            raise ValueError(
                f"a hand of {len(cards)} cards with a card in it twice: settle the duplicate before ranking"
            )
        if not distinct <= full_deck(self.deck, self.joker):
            joker = "and the joker" if self.joker else "and no joker"
            raise ValueError(
                f"a hand with a card that is not of the deck: only its {self.deck} cards {joker} have a rank here"
            )

    def _check_counts(self, own: int, shared: int) -> None:
        if self.selection is Selection.ANY_FIVE:
            if not _HAND <= own + shared <= _HAND + 2:
                raise ValueError(
                    f"a hand of {own + shared} cards: rank {_HAND} to {_HAND + 2} of them, own cards and board together"
                )
            return
        if self.selection is Selection.FIVE_HELD:
            if (own, shared) != (_HAND, 0):
                raise ValueError(f"a hand of {own} own cards and {shared} of a board: rank {_HAND} own cards, no board")
            return
        need = _OWN_CARDS[self.selection]
        if own != need or not _FROM_BOARD <= shared <= _BOARD:
            raise ValueError(
                f"a hand of {own} own cards and {shared} of the board: "
                f"rank {need} own cards with {_FROM_BOARD} to {_BOARD} of the board"
            )


@lru_cache(maxsize=16)  # a table asks with the words of one book at every showdown
def hand_order(
    *,
    deck: int = _FULL,
    joker: bool = False,
    reduced: str = Ladder.REDUCED,
    ace: str = Ace.HIGH_LOW,
    winner: str = Winner.HIGH,
    selection: str = Selection.ANY_FIVE,
) -> HandOrder:
    """Return the order of hands that a rulebook and a table's options name, in their words.

    `reduced`: the ladder of a deck under 52 cards; the full deck always has its own. `ace` and `winner`: the options'
    values; ACT 2001 has the ace `high` unless the operator says otherwise, the other books `high_low`.

    Raises ValueError for a word that is not one of its setting's, naming those that are.
    """
    ladder = _setting("order of a reduced deck", Ladder, reduced)
    if deck not in DECK_SIZES:
        raise ValueError(f"deck of {deck} cards: choose one of {', '.join(map(str, DECK_SIZES))}")
    return HandOrder(
        deck=deck,
        joker=joker,
        ladder=Ladder.FULL if deck == _FULL else ladder,
        ace=_setting("ace", Ace, ace),
        winner=_setting("winner", Winner, winner),
        selection=_setting("cards that make a hand", Selection, selection),
    )


def _setting(option: str, words: type[_Setting], word: str) -> _Setting:
    if word not in tuple(words):
        raise ValueError(f"{option} {word!r}: choose one of {', '.join(words)}")
    return words(word)


@lru_cache(maxsize=64)  # one table's showdown asks for the dealer's or the board's hand again and again
def _best_high(order: HandOrder, own: tuple[str, ...], shared: tuple[str, ...]) -> HandRank:
    table = _high_table(order)
    if _one_suit_may_be(own + shared):
        fives = _fives(order, own, shared)
        strength, five = _best([(table.strength(five, one_suit=_one_suit(five)), five) for five in fives])
    else:
        strength, five = _best_of_ranks(order, table, own, shared)
    name, ranks = table.name(strength), _ranks_of(five, table, strength)
    straight = name in (HandName.STRAIGHT, HandName.STRAIGHT_FLUSH)
    ace_last = straight and "A" in ranks and "K" not in ranks
    return HandRank(strength, name, _as_read_out(five, ranks, "A" + RANKS[:-1] if ace_last else RANKS))


def _high_value(order: HandOrder, own: Sequence[str], shared: Sequence[str]) -> HandValue:
    table = _high_table(order)
    # Five of one suit are stronger than their ranks alone: all hands are judged by ranks, and few by their suits too.
    strength = max(_strengths(order, table, own, shared))
    by_parts = order.selection in _OWN_CARDS
    if _one_suit_may_be(shared, _FROM_BOARD) if by_parts else _one_suit_may_be((*own, *shared)):
        for suit in SUITS:
            mine, theirs = _of_suit(own, suit), _of_suit(shared, suit)
            if len(mine) + len(theirs) >= _HAND:
                fives = _fives(order, mine, theirs)
                strength = max([strength, *[table.strength(five, one_suit=True) for five in fives]])
    return HandValue(strength, table.name(strength))


@lru_cache(maxsize=64)
def _best_low(order: HandOrder, own: tuple[str, ...], shared: tuple[str, ...]) -> HandRank | None:
    table = _low_table(order)
    strength, five = _best_of_ranks(order, table, own, shared)
    name, ranks = table.name(strength), _ranks_of(five, table, strength)
    if order.winner is Winner.HIGH_LOW_EIGHT and not _is_eight_or_better(order, name, ranks):
        return None
    return HandRank(strength, name, _as_read_out(five, ranks, _low_ranks(order)))


def _best_of_ranks(order: HandOrder, table: HandTable, own: tuple[str, ...], shared: tuple[str, ...]) -> _Choice:
    """The best hand where suits do not count; only the best are made of cards."""
    strengths = _strengths(order, table, own, shared)
    most = max(strengths)
    places = [place for place, strength in enumerate(strengths) if strength == most]
    return most, _preferred(_choices_at(order, own, shared, places))


def _strengths(order: HandOrder, table: HandTable, own: Sequence[str], shared: Sequence[str]) -> list[int]:
    """The strength of each hand where suits do not count: codes of ranks are added up.

    They are in the order of `_fives` where the own cards and the board are each given with the highest first.
    """
    code_of, strength_of = table.codes, table.mixed
    codes_own, codes_shared = [code_of[card] for card in own], [code_of[card] for card in shared]
    if order.selection in _OWN_CARDS:
        threes = [a + b + c for a, b, c in combinations(codes_shared, _FROM_BOARD)]
        twos = [a + b for a, b in combinations(codes_own, _HAND - _FROM_BOARD)]
        return [strength_of[two + three] for two in twos for three in threes]
    codes = sorted(codes_own + codes_shared, reverse=True)
    # All together less what is left out, the last choice first: five of seven would be added up 21 times.
    together, left_out = sum(codes), len(codes) - _HAND
    if left_out == 0:
        return [strength_of[together]]
    if left_out == 1:
        return [strength_of[together - code] for code in reversed(codes)]
    return [strength_of[together - a - b] for a, b in combinations(codes, 2)][::-1]


def _choices_at(
    order: HandOrder, own: tuple[str, ...], shared: tuple[str, ...], places: list[int]
) -> list[tuple[str, ...]]:
    """The hands at these places of `_fives`."""
    if order.selection not in _OWN_CARDS:
        fives = list(combinations(_high_first((*own, *shared)), _HAND))
        return [fives[place] for place in places]
    threes = list(combinations(shared, _FROM_BOARD))
    twos = list(combinations(own, _HAND - _FROM_BOARD))
    return [_high_first((*twos[place // len(threes)], *threes[place % len(threes)])) for place in places]


def _best(choices: list[_Choice]) -> _Choice:
    """The best of the hands, and of equal ones the one that `HandOrder.best_high` promises."""
    most = max([strength for strength, _ in choices])
    return most, _preferred([five for strength, five in choices if strength == most])


def _preferred(equal: list[tuple[str, ...]]) -> tuple[str, ...]:
    return equal[0] if len(equal) == 1 else min(equal, key=_preference)


def _preference(five: tuple[str, ...]) -> tuple[bool, list[int]]:
    return JOKER in five, [_HIGH_FIRST[card] for card in five]


def _is_eight_or_better(order: HandOrder, name: HandName, ranks: Collection[str]) -> bool:
    allowed = _EIGHT_OR_LESS | {"A"} if order.ace is Ace.HIGH_LOW else _EIGHT_OR_LESS
    return name is HandName.HIGH_CARD and allowed.issuperset(ranks)


def _one_suit(five: tuple[str, ...]) -> bool:
    """Whether all but the joker are of one suit."""
    return len({card[1] for card in five if card != JOKER}) == 1


def _of_suit(cards: Sequence[str], suit: str) -> tuple[str, ...]:
    """The cards of one suit, and the joker."""
    return tuple([card for card in cards if card == JOKER or card[1] == suit])


def _one_suit_may_be(cards: Sequence[str], alike: int = _HAND) -> bool:
    """Whether so many of the cards are of one suit, the joker counting as any.

    A cheap test that excludes nearly every hand.
    """
    # A digit that counts so many, or more, is eight or more with what is lacking of eight: its highest bit tells.
    counted = sum(map(_OF_SUITS.__getitem__, cards)) + (_EIGHT - alike) * _ONE_OF_EACH
    return bool(counted & _EIGHT * _ONE_OF_EACH)


def _fives(order: HandOrder, own: tuple[str, ...], shared: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if order.selection not in _OWN_CARDS:
        return combinations(_high_first((*own, *shared)), _HAND)
    threes = list(combinations(shared, _FROM_BOARD))
    return (_high_first((*two, *three)) for two in combinations(own, _HAND - _FROM_BOARD) for three in threes)


def _ranks_of(five: tuple[str, ...], table: HandTable, strength: int) -> list[str]:
    """The rank that each card counts as."""
    if JOKER not in five:
        return [card[0] for card in five]
    joker_as = table.joker_as(five, strength)
    return [joker_as if card == JOKER else card[0] for card in five]


def _as_read_out(five: tuple[str, ...], ranks: list[str], lowest_first: str) -> tuple[str, ...]:
    """Fours before pairs before kickers, each from the highest down."""
    count = Counter(ranks)
    places = sorted(range(_HAND), key=lambda i: (-count[ranks[i]], -lowest_first.index(ranks[i])))
    return tuple(five[i] for i in places)


def _high_first(cards: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(cards, key=_HIGH_FIRST.__getitem__))


def _ranks(order: HandOrder) -> str:
    return RANKS[-order.deck // len(SUITS) :]


def _low_ranks(order: HandOrder) -> str:
    ranks = _ranks(order)
    return ranks[-1] + ranks[:-1] if order.ace is Ace.HIGH_LOW else ranks


@lru_cache(maxsize=16)  # as `hand_order`
def _high_table(order: HandOrder) -> HandTable:
    return high_table(*order.high_words)


@lru_cache(maxsize=16)
def _low_table(order: HandOrder) -> HandTable:
    return low_table(*order.low_words)
