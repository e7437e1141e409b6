"""The numbered hands: single hands as pokerkit places them, and when a table makes what its showdown needs."""

import random

import pytest
from pokerkit.lookups import Lookup, RegularLookup, ShortDeckHoldemLookup, Standard2Lookup, StandardLookup

from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.simulated.games import options_for
from table_fsm.events import TableOpen
from table_fsm.felt import JOKER, full_deck
from table_fsm.library import load_library
from table_fsm.poker.hands import order as orders
from table_fsm.poker.hands.order import Ace, HandOrder, hand_order
from table_fsm.poker.hands.tables import CODES, HandTable, Strengths, high_table, low_table
from table_fsm.poker.hands.values import HandName
from table_fsm.table import Table

HIGH_RANKS, LOW_RANKS = "23456789TJQKA", "A23456789TJQK"
PAIRS = 1_000


def placed(order: HandOrder, hand: list[str]) -> int:
    rank = order.best_high(hand, ()) if order.high_wins else order.best_low(hand, ())
    assert rank is not None
    return rank.strength


@pytest.mark.parametrize(
    ("order", "lookup", "sign"),
    [
        pytest.param(HandOrder(), StandardLookup(), 1, id="ordinary"),
        pytest.param(HandOrder(ace=Ace.HIGH), Standard2Lookup(), 1, id="ace high"),
        pytest.param(hand_order(deck=36), ShortDeckHoldemLookup(), 1, id="36 cards"),
        pytest.param(hand_order(winner="low"), RegularLookup(), -1, id="low"),
    ],
)
def test_any_two_hands_compare_as_pokerkit_compares_them_ties_too(order: HandOrder, lookup: Lookup, sign: int) -> None:
    """Single hands, in any suits and any order; that all values are in place is in the tests of every pattern."""
    rnd = random.Random(f"{order}")
    cards, next_suit = sorted(full_deck(order.deck)), str.maketrans("shdc", "hdcs")
    ties = 0
    for _ in range(PAIRS):
        one, other = rnd.sample(cards, 5), rnd.sample(cards, 5)
        for left, right in ((one, other), (one, [card.translate(next_suit) for card in reversed(one)])):
            theirs = [sign * lookup.get_entry("".join(hand)).index for hand in (left, right)]
            ours = [placed(order, hand) for hand in (left, right)]
            assert (ours[0] < ours[1], ours[0] == ours[1]) == (theirs[0] < theirs[1], theirs[0] == theirs[1])
            ties += ours[0] == ours[1]
    assert ties >= PAIRS


def made(strengths: Strengths) -> dict[int, int]:
    assert isinstance(strengths, dict), "a table that was made"
    return strengths


@pytest.mark.parametrize("joker", [False, True])
def test_a_code_names_one_pattern_and_each_has_a_strength(joker: bool) -> None:
    five_of_13 = 6188 - 13  # multisets of five ranks, but five alike
    four_of_13 = 1820
    table = high_table(HandOrder(joker=joker).kinds, HIGH_RANKS, ace_low=True)
    mixed, suited = made(table.mixed), made(table.suited)
    assert len(mixed) == five_of_13 + joker * (13 + four_of_13)
    assert len(suited) == 1287 + joker * 715
    assert {*mixed.values(), *suited.values()} == set(range(7462 + 13 * joker))
    low = made(low_table(LOW_RANKS, joker).mixed)
    assert len(low) == five_of_13 + joker * four_of_13
    assert set(low.values()) == set(range(five_of_13))
    assert not low_table(LOW_RANKS, joker).suited


@pytest.mark.parametrize(
    "order",
    [
        HandOrder(),
        HandOrder(joker=True),
        hand_order(deck=36),
        hand_order(deck=32, reduced="tas_32"),
        hand_order(deck=32, joker=True),
    ],
)
def test_five_of_one_suit_are_stronger_than_their_ranks_alone(order: HandOrder) -> None:
    table = orders._high_table(order)
    assert all(strength > table.mixed[code] for code, strength in made(table.suited).items())


def test_the_kinds_begin_where_the_one_below_ends() -> None:
    table = high_table(HandOrder(joker=True).kinds, HIGH_RANKS, ace_low=True)
    first_and_last = [
        (table.name(start), table.name(end - 1))
        for start, end in zip(table.starts, [*table.starts[1:], 7475], strict=True)
    ]
    assert first_and_last == [(kind, kind) for kind in HandOrder(joker=True).kinds]
    assert table.name(7474) is HandName.ROYAL_FLUSH


def test_a_table_shows_no_values() -> None:
    table = high_table(HandOrder().kinds, HIGH_RANKS, ace_low=True)
    assert isinstance(table, HandTable)
    assert len(repr(table)) < 1000
    assert CODES[JOKER] == 0


@pytest.mark.parametrize(
    ("book", "winner", "high", "low"),
    [
        ("tas-2018-holdem", None, 1, 0),
        ("act-2001-omaha", "high_low_eight", 1, 1),
        ("act-2019-uth", None, 1, 0),
    ],
)
def test_a_table_that_opens_makes_what_its_showdown_needs(book: str, winner: str | None, high: int, low: int) -> None:
    rulebooks = load_library(rulebook_sources(), structure_sources())
    options = {**options_for(rulebooks[book]), **({"winner": winner} if winner else {})}
    for kept in (high_table, low_table, orders._high_table, orders._low_table):
        kept.cache_clear()
    opening = TableOpen(t=0.0, rulebook=book, options=options, seats=[1, 2, 3], button=1)
    outputs = Table(rulebooks).apply(opening)
    assert "error" not in [key for output in outputs for key in output.to_dict()]
    assert (high_table.cache_info().currsize, low_table.cache_info().currsize) == (high, low)


@pytest.mark.parametrize(
    "order",
    [
        hand_order(selection="two_of_four", joker=True),
        hand_order(selection="two_of_three", deck=32),
        hand_order(joker=True),
    ],
)
def test_a_hand_is_worth_what_its_best_five_cards_are(order: HandOrder) -> None:
    """Two suits make five of one suit as likely as none."""
    rnd = random.Random(f"{order}")
    own = {"two_of_four": 4, "two_of_three": 3}.get(order.selection, 2)
    deck = sorted(full_deck(order.deck, order.joker))
    few = [card for card in deck if card == JOKER or card[1] in "sh"]
    for cards in (deck, few):
        for _ in range(300):
            dealt = rnd.sample(cards, own + 5)
            best = order.best_high(dealt[:own], dealt[own:])
            value = order.high_value(dealt[:own], dealt[own:])
            assert (value.strength, value.name) == (best.strength, best.name)
