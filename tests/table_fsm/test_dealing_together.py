"""Cards dealt together (ACT 2001, A 2.1: two to each, then a third): who is due, what a pair dealt apart is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.poker.dealing import Deal, DealFault

OUT_OF_TURN = DealFault.OUT_OF_TURN
MISSED = DealFault.PLAYER_MISSED


def deal(*cards: int, ring: tuple[int, ...] = (1, 2, 3), optional: tuple[int, ...] = ()) -> Deal:
    """A deal of two together and then one, after these cards."""
    made = Deal(list(ring), 3, set(optional), passes=(2, 1))
    for seat in cards:
        made.take(seat)
    return made


def faults(made: Deal, *cards: int) -> list[tuple[DealFault, int]]:
    return [fault for seat in cards if (fault := made.take(seat)) is not None]


@given(
    ring=st.lists(st.integers(1, 10), min_size=1, max_size=10, unique=True),
    passes=st.lists(st.integers(1, 3), min_size=1, max_size=4),
)
def test_an_orderly_deal_in_any_passes_is_due_as_it_goes_and_never_faults(ring: list[int], passes: list[int]) -> None:
    made = Deal(list(ring), sum(passes), passes=tuple(passes))
    for number in passes:
        for seat in ring:
            for _ in range(number):
                assert made.in_order
                assert made.due() == seat
                assert made.take(seat) is None
    assert made.complete
    assert made.in_order
    assert made.due() is None


def test_two_in_a_row_to_one_seat_are_in_turn_and_a_third_is_not() -> None:
    made = deal()
    assert faults(made, 1, 1) == []
    assert made.due() == 2
    assert made.take(1) == (OUT_OF_TURN, 1)


def test_a_pair_broken_off_is_out_of_turn() -> None:
    made = deal(1, 1, 2)
    assert made.take(3) == (OUT_OF_TURN, 3)
    assert made.due() == 3


def test_each_card_is_out_of_turn_while_another_lacks_the_second_of_two() -> None:
    made = deal()
    assert faults(made, 1, 2, 3, 1, 2, 3) == [(OUT_OF_TURN, 2), (OUT_OF_TURN, 3)]
    assert faults(made, 1, 2, 3) == []
    assert made.complete


def test_the_third_card_dealt_together_with_the_pair_is_a_fault_each_time() -> None:
    assert faults(deal(), 1, 1, 1, 2, 2, 2) == [(OUT_OF_TURN, 1), (OUT_OF_TURN, 2)]


def test_a_seat_passed_over_is_missed_when_the_third_cards_begin() -> None:
    made = deal(1, 1, 2, 2)
    assert made.take(1) == (MISSED, 3)
    assert made.take(2) is None
    assert made.short == [3]


def test_a_third_card_too_many_is_an_excess() -> None:
    assert deal(*(1, 1, 2, 2, 3, 3), *(1, 2, 3)).take(2) == (DealFault.EXCESS_CARD, 2)


def test_a_broken_pair_is_put_right() -> None:
    made = deal(1, 2)
    lay = [made.in_order]
    made.give_back(2)
    lay.append(made.in_order)
    made.put(1)
    lay.append(made.in_order)
    assert lay == [False, True, True]
    assert made.due() == 2
    assert faults(made, 2, 2, 3, 3, 1, 2, 3) == []
    assert made.complete


@pytest.mark.parametrize(
    ("cards", "good"),
    [
        ((1,), True),
        ((1, 1), True),
        ((1, 1, 2), True),
        ((1, 1, 1), False),
        ((1, 2), False),
        ((2,), False),
        ((1, 1, 2, 2, 3, 3, 1), True),
    ],
)
def test_what_lies_in_order_is_what_an_orderly_deal_gives(cards: tuple[int, ...], good: bool) -> None:
    made = deal()
    for seat in cards:
        made.dealt[seat] += 1
    assert made.in_order is good


def test_an_optional_seat_is_dealt_in_or_passed_over() -> None:
    assert faults(deal(optional=(2,)), 1, 1, 3, 3, 1, 3) == []
    made = deal(optional=(2,))
    assert faults(made, 1, 1, 2, 2, 3, 3, 1, 2, 3) == []
    assert made.complete
