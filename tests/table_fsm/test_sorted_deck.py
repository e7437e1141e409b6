"""A deck that comes out as no shuffle would leave it."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.felt import DECK_SIZES, RANKS, full_deck
from table_fsm.poker.cards.sorted_deck import (
    FALSE_ALARMS,
    Sign,
    _in_place,
    _orders,
    _rising,
    in_place_odds,
    judge,
    limits_for,
    orders_known,
    rising_odds,
)
from tests.table_fsm.simulate_odds import (
    DECK,
    OUT,
    by_ranks,
    cards_until_caught,
    cut,
    maker_deck,
    new_deck,
    patterns,
    riffle,
    showdown,
    sorted_alarms,
)

SORTED = {
    "by suits": new_deck(),
    "by suits, other suits first": new_deck("cdhs"),
    "by suits, ace high": new_deck("hscd", RANKS),
    "by suits, reversed": new_deck()[::-1],
    "as the maker packs it": maker_deck(),
    "by ranks": by_ranks(),
    "by ranks, reversed": by_ranks("dchs")[::-1],
    "by ranks, ace low": cut(by_ranks(), 48),
}


@pytest.mark.parametrize("name", SORTED)
@pytest.mark.parametrize("depth", [0, 1, 2, 13, 26, 33, 50])
def test_a_sorted_deck_cut_anywhere_is_caught_at_the_seventh_card(name: str, depth: int) -> None:
    """In the first hand, while the hole cards are dealt."""
    assert cards_until_caught(cut(SORTED[name], depth)) == 7


@pytest.mark.parametrize("name", SORTED)
def test_with_eyes_only_it_is_caught_at_the_showdown(name: str) -> None:
    cards = cut(SORTED[name], 21)
    assert judge(showdown(cards, []), DECK) is None  # five cards can be chance
    found = judge(showdown(cards, [2, 7]), DECK)
    assert found is not None
    assert (found.sign, found.count, found.seen) == (Sign.IN_PLACE, 9, 9)
    assert found.odds < FALSE_ALARMS


@pytest.mark.parametrize("name", SORTED)
def test_sorted_but_for_one_cut_the_order_alone_tells_once_21_cards_are_named(name: str) -> None:
    """Whatever places the cards came from: all the others unread, so that no distance holds."""
    rng = Random(7)
    cards = cut(SORTED[name], 30)
    places = sorted(rng.sample(range(52), 21))
    order: list[str | None] = []
    for place in places:
        order += [cards[place], *[None] * rng.randrange(3)]
    found = judge(order, DECK)
    assert found is not None
    assert found.sign is Sign.RISING_SEQUENCES
    assert found.count <= 3


def test_a_riffle_doubles_the_rising_sequences_and_takes_more_cards_to_tell() -> None:
    rng = Random(5)
    once = riffle(new_deck(), rng)
    assert cards_until_caught(once) == 17
    assert judge(once[:9], DECK) is None
    found = judge(once, DECK)
    assert found is not None
    assert found.count == 2
    twice = riffle(once, rng)
    assert cards_until_caught(twice) == 25


def test_seven_riffles_are_a_shuffle() -> None:
    rng = Random(11)
    for _ in range(20):
        named = dict(patterns(rng))
        assert cards_until_caught(named["by suits, seven riffles"]) is None


@pytest.mark.parametrize("size", DECK_SIZES)
@pytest.mark.parametrize("joker", [False, True])
def test_reduced_decks_and_the_joker(size: int, joker: bool) -> None:
    deck = full_deck(size, joker)
    whole = [card for card in new_deck() if card in deck] + ["Jo"] * joker
    caught = next(n for n in range(size + 1) if judge(cut(whole, size // 3)[:n], deck) is not None)
    assert caught <= 8
    rng = Random(size)
    for _ in range(200):
        rng.shuffle(whole)
        assert judge(whole, deck) is None


def test_what_is_not_of_the_deck_or_comes_twice_is_passed_over() -> None:
    cards = cut(SORTED["by suits"], 5)
    with_others: list[str | None] = [*cards[:3], "Jo", cards[0], *cards[5:9]]
    found = judge(with_others, DECK)
    assert found is not None
    assert found.seen == 7


def test_nothing_seen_says_nothing() -> None:
    assert judge([], DECK) is None
    assert judge([None] * 52, DECK) is None


def test_the_finding_names_no_card() -> None:
    found = judge(new_deck(), DECK)
    assert found is not None
    assert not any(card in repr(found) for card in DECK)


# -- the odds


@pytest.mark.parametrize("size", range(1, 8))
def test_rising_odds_are_those_of_all_orders_counted(size: int) -> None:
    orders = list(permutations(range(size)))
    runs = Counter(1 + sum(order.index(n + 1) < order.index(n) for n in range(size - 1)) for order in orders)
    for most in range(1, size + 1):
        count = sum(times for found, times in runs.items() if found <= most)
        assert rising_odds(size, most) == Fraction(count, len(orders))


@pytest.mark.parametrize(("seen", "matched"), [(4, 2), (4, 3), (5, 5), (6, 4)])
def test_in_place_odds_bound_those_of_all_orders_counted(seen: int, matched: int) -> None:
    size = 7
    orders = list(permutations(range(size)))
    hits = sum(
        max(Counter((place - order[place]) % size for place in range(seen)).values()) >= matched for order in orders
    )
    assert Fraction(hits, len(orders)) <= in_place_odds(size, seen, matched)


@pytest.mark.parametrize("size", DECK_SIZES)
@pytest.mark.parametrize("joker", [False, True])
def test_all_limits_together_stay_below_one_in_a_million(size: int, joker: bool) -> None:
    deck = full_deck(size, joker)
    limits = limits_for(deck)
    first_seen = {most: seen for seen, most in reversed(list(enumerate(limits.rising))) if most}
    last_seen = {fewest: seen for seen, fewest in enumerate(limits.in_place) if fewest <= seen}
    rising = sum(rising_odds(seen, most) for most, seen in first_seen.items())
    in_place = sum(in_place_odds(len(deck), seen, fewest) for fewest, seen in last_seen.items())
    assert 0 < (rising + in_place) * orders_known(deck) <= FALSE_ALARMS
    assert list(limits.rising) == sorted(limits.rising)


@pytest.mark.parametrize("seed", range(60))
def test_what_each_suit_shows_alone_never_clears_a_deck_that_an_order_betrays(seed: int) -> None:
    rng = Random(seed)
    cards = cut(rng.choice(list(SORTED.values())), rng.randrange(52))
    for _ in range(rng.randrange(5)):
        cards = riffle(cards, rng)
    order = [card if rng.random() < 0.7 else None for card in cards[: rng.randrange(7, 53)]]
    seen = {card: place for place, card in enumerate(order) if card is not None}
    orders, limits = _orders(DECK), limits_for(DECK)
    every = orders.by_suits + orders.by_ranks
    betrayed = min(_rising(seen, whole) for whole in every) <= limits.rising[len(seen)] or (
        max(_in_place(seen, whole) for whole in every) >= limits.in_place[len(seen)]
    )
    assert (judge(order, DECK) is not None) is betrayed


def test_a_few_thousand_shuffled_rounds_raise_nothing() -> None:
    assert set(sorted_alarms(3_000, seed=20).values()) == {0}


def test_with_loose_odds_alarms_come_and_stay_below_the_bound() -> None:
    alarms = sorted_alarms(300, seed=21, odds=Fraction(1, 2))
    assert sum(alarms.values()) > 0
    assert all(count <= 300 / 2 for count in alarms.values())


@given(st.permutations(sorted(DECK)), st.integers(0, OUT), st.data())
def test_any_cards_in_any_order_are_judged_without_error(cards: list[str], seen: int, data: st.DataObject) -> None:
    hidden = data.draw(st.sets(st.integers(0, 51), max_size=40))
    order = [None if place in hidden else card for place, card in enumerate(cards[:seen])]
    found = judge(order, DECK)
    assert found is None or 0 <= found.odds < FALSE_ALARMS
