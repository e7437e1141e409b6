"""Places of players who go out in one round."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm import outputs
from table_fsm.poker.tournament.placings import placings


def places(amounts: dict[int, int | None], remaining: int, elsewhere: tuple[int, ...] = ()) -> dict[int, object]:
    found = [outputs.Placing(one.seat, one.first, one.last) for one in placings(amounts, remaining, elsewhere)]
    return {placing.seat: placing.to_json()["place"] for placing in found}


def test_who_put_in_or_held_more_places_higher() -> None:
    assert places({3: 500, 7: 800}, remaining=4) == {7: 5, 3: 6}


def test_equal_amounts_share_their_places() -> None:
    assert places({1: 500, 2: 500, 3: 900}, remaining=1) == {3: 2, 1: [3, 4], 2: [3, 4]}


def test_one_alone_needs_no_count() -> None:
    assert places({4: None}, remaining=6) == {4: 7}


def test_an_unknown_amount_among_several_gives_no_places() -> None:
    assert places({4: None, 5: 100}, remaining=6) == {}


def test_players_of_different_tables_share() -> None:
    """The Star 7.18(a); Onyx, Hand for Hand 4."""
    assert places({2: 300}, remaining=9, elsewhere=(1,)) == {2: [10, 11]}
    assert places({2: None}, remaining=9, elsewhere=(1, 1)) == {2: [10, 12]}


def test_of_two_at_this_table_only_the_larger_stack_shares_the_best_places() -> None:
    """Onyx, Hand for Hand 5: one player a table can cash."""
    assert places({2: 300, 5: 900}, remaining=9, elsewhere=(1,)) == {5: [10, 11], 2: 12}
    assert places({2: 300, 5: 900}, remaining=9, elsewhere=(2,)) == {5: [10, 11], 2: [12, 13]}


def test_nobody_out_no_places() -> None:
    assert placings({}, remaining=5) == ()


def test_negative_numbers_of_players_are_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        placings({1: 1}, remaining=-1)
    with pytest.raises(ValueError, match="0 or more"):
        placings({1: 1}, remaining=1, elsewhere=(-1,))


@given(st.dictionaries(st.integers(1, 10), st.integers(0, 5), min_size=1), st.integers(0, 190))
def test_places_follow_each_other_without_gaps(amounts: dict[int, int], remaining: int) -> None:
    found = placings(dict(amounts), remaining)
    blocks = sorted({(placing.first, placing.last) for placing in found})
    assert [n for first, last in blocks for n in range(first, last + 1)] == [
        remaining + n for n in range(1, len(amounts) + 1)
    ]
    assert {placing.seat for placing in found} == set(amounts)
