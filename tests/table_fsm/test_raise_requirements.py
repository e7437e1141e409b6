"""Onyx's raises: half of one is made a full one, the cap of limit games, and who is the river's last aggressor."""

import pytest

from table_fsm.poker.betting.acting import Finding, act
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.betting.terms import Terms


def betting(*, half: bool = True, cap: int | None = None) -> Betting:
    """Four seats, blinds 100 and 200 of seats 1 and 2; seat 3 to act."""
    round_ = Betting([1, 2, 3, 4], Terms(half_completes=half, raise_cap=cap, cap_lifted_heads_up=False))
    round_.open_street("pre_flop", capped=cap is not None)
    round_.post_blinds({1: 100, 2: 200}, 2, aggressive=False)
    return round_


@pytest.mark.parametrize(
    ("cents", "finding", "level"),
    [(201, Finding.BETWEEN, 200), (299, Finding.BETWEEN, 200), (300, Finding.HALF_RAISE, 400), (400, None, 400)],
)
def test_from_half_a_raise_on_it_is_made_a_full_one(cents: int, finding: Finding | None, level: int) -> None:
    round_ = betting()
    assert act(round_, 3, "raise", cents) == ([finding] if finding else [])
    assert round_.level == level


def test_where_the_book_makes_it_a_call_half_a_raise_is_one() -> None:
    round_ = betting(half=False)
    assert act(round_, 3, "raise", 300) == [Finding.HALF_RAISE]
    assert round_.level == 200


def test_what_is_keyed_as_a_call_is_one() -> None:
    round_ = betting()
    assert act(round_, 3, "call", 350) == [Finding.CALL_ABOVE]
    assert round_.level == 200
    assert round_.players[3].total == 200


def test_half_a_raise_reopens_nothing_that_is_closed() -> None:
    round_ = betting()
    act(round_, 3, "raise", 600)
    act(round_, 4, "all_in", 800)
    round_.fold(1)
    round_.fold(2)
    act(round_, 3, "raise", 500)
    assert round_.level == 800


def test_half_a_raise_above_the_cap_is_a_call() -> None:
    round_ = betting(cap=1)
    act(round_, 3, "raise", 400)
    act(round_, 4, "raise", 500)
    assert round_.level == 400


def test_the_streets_aggressor_is_forgotten_on_the_next() -> None:
    round_ = betting()
    act(round_, 3, "raise", 600)
    assert (round_.aggressor, round_.street_aggressor) == (3, 3)
    round_.open_street("flop", capped=False)
    assert (round_.aggressor, round_.street_aggressor) == (3, None)
