"""Clean rounds raise nothing in any reading; a round that is not clean does, so that the readings can fail."""

from random import Random

import pytest

from feltd.books.moments.setting import Setting
from tests.readings.random_rounds import session
from tests.readings.readings import READINGS, faceless, read, reordered, told_in
from tests.table_fsm.streams import HOLDEM, books

FEW, MANY = 10, 500
WAYS, LEAST = 2, 100
"""Each of the many rounds is read as it is and in so many other ways, in turn: so many rounds at least in each."""


def in_order(book: str) -> dict[str, dict[str, list[int]]]:
    """What the readings of a book tell where all is in order."""
    return {reading.name: {} for reading in READINGS if reading.fits(books()[book])}


@pytest.mark.parametrize("book", sorted(books()))
def test_a_few_clean_rounds_raise_nothing_in_any_reading(book: str) -> None:
    results = read(books()[book], books(), FEW)
    assert {name: result.told for name, result in results.items()} == in_order(book)
    assert all(result.rounds == FEW for result in results.values())


def test_the_ways_may_be_limited() -> None:
    results = read(books()[HOLDEM], books(), FEW, among=["no-keys"])
    assert {name: result.rounds for name, result in results.items()} == {"as-it-is": FEW, "no-keys": FEW}


@pytest.mark.slow
@pytest.mark.parametrize("book", sorted(books()))
def test_clean_rounds_raise_nothing_in_any_reading(book: str) -> None:
    results = read(books()[book], books(), MANY, first_seed=1000, ways=WAYS)
    assert {name: result.told for name, result in results.items()} == in_order(book)
    assert results[READINGS[0].name].rounds == MANY
    assert min(result.rounds for result in results.values()) >= LEAST


def test_a_round_that_is_not_clean_raises_something_in_every_reading() -> None:
    played = session(Setting(books()[HOLDEM], shoe_names=True), books(), Random(3), 2)
    cut = next(n for n, deed in enumerate(played.done) if deed["ev"] == "cut")
    del played.done[cut]
    for reading in READINGS:
        assert list(told_in(reading, played, books(), Random(3))), reading.name


def test_the_readings_differ_in_what_the_table_is_told() -> None:
    played = session(Setting(books()[HOLDEM], shoe_names=True), books(), Random(3), 2)
    seen = {reading.name: str(reading.sees(played.setting)) for reading in READINGS}
    assert len(set(seen.values())) == len(READINGS) - 2  # the last two are told all, otherwise
    assert "hand.shown" in {deed["ev"] for deed in faceless(list(played.done), Random(5))}
    again = reordered(list(played.done), Random(5))
    assert again != played.done
    assert sorted(map(str, again)) == sorted(map(str, played.done))


def test_random_rounds_go_every_way() -> None:
    actions = set()
    for seed in range(6):
        played = session(Setting(books()[HOLDEM], salt=str(seed)), books(), Random(seed), 3)
        actions |= {deed["action"] for deed in played.done if deed["ev"] == "action"}
    assert actions == {"post", "check", "call", "bet", "raise", "fold", "all_in"}


def test_where_the_cards_run_out_in_a_draw_others_discards_are_shuffled_in() -> None:
    """And none of the player who draws, or of one who replaces all five (ACT B 2.6)."""
    played = session(Setting(books()["act-2001-draw"], seats=tuple(range(1, 9))), books(), Random(34), 20)
    assert played.told == []
    assert "stub.shuffled" in {deed["ev"] for deed in played.done}
