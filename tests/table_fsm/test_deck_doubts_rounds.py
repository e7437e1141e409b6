"""Whole rounds of every book, dealt as its prompts ask: a shuffled deck raises nothing, a wrong one is told."""

from random import Random

import pytest

from tests.table_fsm.simulate_table import caught, in_order, rounds_until, rulings
from tests.table_fsm.streams import HOLDEM, books


@pytest.mark.parametrize("book", sorted(books()))
@pytest.mark.parametrize("reads_holes", [True, False])
def test_rounds_of_a_shuffled_deck_raise_nothing(book: str, reads_holes: bool) -> None:
    assert dict(rulings(book, 40, seed=1, reads_holes=reads_holes)) == {}


@pytest.mark.parametrize("book", sorted(books()))
def test_a_sorted_deck_is_told_in_the_first_round_of_every_book(book: str) -> None:
    rng = Random(2)
    told = [rounds_until(book, "not_shuffled", in_order(book, rng, riffles=0)) for _ in range(5)]
    assert told == [1] * 5


def test_each_incident_is_told_and_in_the_rounds_its_odds_need() -> None:
    took = caught(HOLDEM, 1, seed=3)
    assert took["sorted, cut"] == [1]
    assert took["sixteen cards missing"][0] in range(3, 8)
    assert took["one card missing"][0] in range(30, 46)
    assert None not in [rounds for found in took.values() for rounds in found]
