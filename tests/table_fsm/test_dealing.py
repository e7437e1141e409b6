"""The deal's passes: who is due, what a card out of order is called, how it is put right, and that no card is lost."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from table_fsm.poker.dealing import Deal, DealFault

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine too
OUT_OF_TURN = DealFault.OUT_OF_TURN
MISSED = DealFault.PLAYER_MISSED


def deal(*cards: int, ring: tuple[int, ...] = (1, 2, 3), need: int = 2, optional: tuple[int, ...] = ()) -> Deal:
    """A deal after these cards."""
    made = Deal(list(ring), need, set(optional))
    for seat in cards:
        made.take(seat)
    return made


def faults(made: Deal, *cards: int) -> list[tuple[DealFault, int]]:
    return [fault for seat in cards if (fault := made.take(seat)) is not None]


# -- in order


def test_cards_come_one_at_a_time_in_the_order_of_the_ring() -> None:
    made = Deal([4, 5, 1], 2)
    due = []
    while (seat := made.due()) is not None:
        due.append(seat)
        assert made.take(seat) is None
    assert due == [4, 5, 1, 4, 5, 1]
    assert made.complete
    assert made.in_order
    assert made.seats == [4, 5, 1]


@pytest.mark.parametrize("given_so_far", range(6))
def test_a_deal_is_complete_with_its_last_card_and_not_before(given_so_far: int) -> None:
    made = deal(*[1, 2, 3, 1, 2, 3][:given_so_far])
    assert not made.complete
    assert made.in_order


@UNHURRIED
@given(ring=st.lists(st.integers(1, 10), min_size=1, max_size=10, unique=True), need=st.integers(1, 5))
def test_an_orderly_deal_never_faults(ring: list[int], need: int) -> None:
    made = Deal(list(ring), need)
    assert faults(made, *ring * need) == []
    assert made.complete
    assert made.due() is None


# -- out of turn


def test_the_first_card_to_another_seat_is_its_own_fault() -> None:
    assert deal().take(2) == (DealFault.WRONG_FIRST_SEAT, 2)


def test_a_whole_deal_begun_at_the_wrong_seat_is_one_fault() -> None:
    made = deal()
    assert faults(made, 2, 3, 1, 2, 3, 1) == [(DealFault.WRONG_FIRST_SEAT, 2)]
    assert made.complete


def test_a_deal_begun_elsewhere_misses_the_seats_that_its_next_pass_passes_over() -> None:
    made = deal(2, 3)
    assert made.due() == 1
    assert made.take(2) == (MISSED, 1)


def test_an_optional_seat_given_the_first_card_out_of_turn_is_in() -> None:
    made = deal(3, ring=(1, 2, 3), optional=(3,))
    assert made.seats == [1, 2, 3]
    assert faults(made, 1, 2, 3, 1, 2) == []
    assert made.complete


def test_a_seat_passed_over_makes_the_next_card_out_of_turn_and_dealing_goes_on_from_there() -> None:
    made = deal(1, ring=(1, 2, 3, 4))
    assert made.take(3) == (OUT_OF_TURN, 3)
    assert made.due() == 4


def test_the_same_seat_twice_in_a_row_is_out_of_turn() -> None:
    assert deal(1).take(1) == (OUT_OF_TURN, 1)
    assert deal(1, 2).take(2) == (OUT_OF_TURN, 2)


def test_the_first_seat_again_with_only_the_last_to_come_ends_the_pass() -> None:
    assert deal(1, 2, 3, ring=(1, 2, 3, 4)).take(1) == (MISSED, 4)


def test_a_pass_that_ends_with_a_seat_short_has_missed_it_once() -> None:
    made = deal(ring=(1, 2, 3, 4))
    assert faults(made, 1, 3, 4) == [(OUT_OF_TURN, 3)]
    assert made.due() == 2  # it may still get its card
    assert made.take(1) == (MISSED, 2)  # the next pass has begun
    assert faults(made, 2, 3, 4) == []  # still one card short, and that is known
    assert made.short == [2]
    assert made.due() == 2
    assert made.take(2) is None
    assert made.complete


def test_the_last_seat_passed_over_is_missed_when_the_next_pass_begins() -> None:
    made = deal(1, 2)
    assert made.take(1) == (MISSED, 3)
    assert made.due() == 2


def test_a_seat_passed_over_and_then_given_its_card_within_the_pass_is_put_right() -> None:
    made = deal(1, 3, ring=(1, 2, 3, 4))
    assert made.take(2) is None
    assert faults(made, 4, 1, 2, 3, 4) == []
    assert made.complete


# -- too many


def test_a_seat_not_in_the_deal_is_an_extra_hand_once() -> None:
    made = deal(1)
    assert made.take(9) == (DealFault.EXTRA_HAND, 9)
    assert made.take(9) is None
    assert made.extra == {9: 2}
    assert made.due() == 2
    assert not made.in_order


def test_the_first_card_to_a_seat_not_in_the_deal_leaves_the_next_one_no_first_card() -> None:
    made = deal(9)
    assert made.take(2) == (OUT_OF_TURN, 2)


def test_a_card_above_the_number_is_an_excess_each_time() -> None:
    made = deal(1, 2, 3, 1, 2, 3)
    assert faults(made, 2, 2) == [(DealFault.EXCESS_CARD, 2)] * 2
    assert not made.in_order
    assert made.complete  # nobody is short


# -- seats that may be passed over


def test_an_optional_seat_passed_over_stays_out() -> None:
    made = deal(1, ring=(1, 2, 3), optional=(2,))
    assert made.take(3) is None
    assert made.seats == [1, 3]
    assert made.take(2) == (DealFault.EXTRA_HAND, 2)


def test_an_optional_seat_given_a_card_in_its_turn_is_in() -> None:
    made = deal(1, 2, optional=(2,))
    assert made.optional == set()
    assert faults(made, 3, 1, 2, 3) == []
    assert made.complete


def test_optional_seats_behind_the_last_one_stay_out_when_the_next_pass_begins() -> None:
    made = deal(1, 2, ring=(1, 2, 3, 4), optional=(3, 4))
    assert made.take(1) is None
    assert made.ring == [1, 2]
    assert made.take(2) is None
    assert made.complete


def test_an_optional_first_seat_passed_over_is_no_wrong_first_seat() -> None:
    made = deal(optional=(1,))
    assert made.take(2) is None
    assert made.ring == [2, 3]
    assert faults(made, 3, 2, 3) == []


def test_who_is_due_when_only_seats_that_may_be_passed_over_are_left_in_the_pass() -> None:
    made = deal(1, 2, optional=(3,))
    assert made.due() == 1


def test_with_optional_seats_only_nobody_is_due_and_the_first_card_says_who_is_in() -> None:
    made = Deal([1, 2], 2, {1, 2})
    assert made.due() is None
    assert made.take(1) is None
    assert made.due() == 1


# -- the passes end


def test_going_on_to_something_else_names_the_first_seat_left_short() -> None:
    made = deal(1, 2, 3, 1)
    assert made.end_passes() == (MISSED, 2)
    assert made.short == [2, 3]
    assert made.end_passes() is None
    assert faults(made, 3, 2) == []
    assert made.complete


def test_ending_the_passes_leaves_optional_seats_out_and_names_nobody_twice() -> None:
    made = deal(1, 2, 1, ring=(1, 2, 3, 4), optional=(4,))  # seat 3 was missed in the first pass
    assert made.missed == {3}
    made.take(2)
    assert made.end_passes() is None
    assert made.ring == [1, 2, 3]
    assert made.short == [3]


def test_after_the_passes_a_card_too_many_is_still_an_excess() -> None:
    made = deal(1, 2, 3, 1)
    made.end_passes()
    assert made.take(1) == (DealFault.EXCESS_CARD, 1)
    assert made.take(9) == (DealFault.EXTRA_HAND, 9)


# -- putting it right


def test_the_card_out_of_turn_is_moved_to_the_seat_it_belongs_to() -> None:
    made = deal(1, 3)
    made.give_back(3)
    assert made.due() == 2
    made.put(2)
    assert made.in_order
    assert made.due() == 3
    assert faults(made, 3, 1, 2, 3) == []
    assert made.complete


def test_an_extra_card_moved_to_the_seat_that_was_due_puts_the_deal_in_order() -> None:
    made = deal(1, 9)
    made.give_back(9)
    made.put(2)
    assert made.in_order
    assert made.due() == 3


def test_an_excess_card_taken_back_puts_the_deal_in_order() -> None:
    made = deal(1, 2, 3, 1, 2, 3, 2)
    made.give_back(2)
    assert made.in_order
    assert made.complete


def test_a_missed_seat_made_good_can_be_missed_again() -> None:
    made = deal(1, 3, 4, 1, ring=(1, 2, 3, 4))
    assert made.missed == {2}
    made.put(2)
    assert made.missed == set()
    assert faults(made, 3, 4) == [(OUT_OF_TURN, 3)]
    assert made.end_passes() == (MISSED, 2)


def test_nothing_is_taken_back_from_a_seat_without_cards() -> None:
    made = deal(1)
    made.give_back(2)
    made.give_back(9)
    assert made.dealt == {1: 1, 2: 0, 3: 0}
    assert made.due() == 2


def test_a_card_put_at_a_seat_out_of_the_deal_is_over() -> None:
    made = deal(1)
    made.put(9)
    assert made.extra == {9: 1}
    assert not made.in_order


def test_a_deal_of_optional_seats_only_has_nothing_to_put_right() -> None:
    made = Deal([1, 2], 2, {1, 2})
    made.give_back(1)
    assert made.in_order
    assert made.pass_number == 1


@pytest.mark.parametrize(
    ("dealt", "orderly"),
    [({1: 1, 2: 1, 3: 0}, True), ({1: 1, 2: 0, 3: 1}, False), ({1: 2, 2: 0, 3: 0}, False), ({1: 3, 2: 2, 3: 2}, False)],
)
def test_in_order_means_nothing_over_and_nobody_passed_over(dealt: dict[int, int], orderly: bool) -> None:
    assert Deal([1, 2, 3], 2, dealt=dealt).in_order is orderly


# -- any deal


@UNHURRIED
@given(
    size=st.integers(1, 6),
    need=st.integers(1, 4),
    optional=st.sets(st.integers(1, 6)),
    cards=st.lists(st.integers(1, 7), max_size=30),
)
@example(size=6, need=2, optional={1}, cards=[3, 2, 1, 4, 4, 5, 3])  # a newcomer passed over and then dealt in
def test_whatever_is_dealt_every_card_is_counted_once(
    size: int, need: int, optional: set[int], cards: list[int]
) -> None:
    ring = list(range(1, size + 1))
    made = Deal(ring, need, optional & set(ring))
    for number, seat in enumerate(cards, 1):
        fault = made.take(seat)
        assert sum(made.dealt.values()) + sum(made.extra.values()) == number
        assert fault is None or fault[1] in {seat, *made.short}
        due = made.due()
        assert due is None or made.dealt[due] < need
    made.end_passes()
    assert sum(made.dealt.values()) + sum(made.extra.values()) == len(cards)
    assert made.complete == (not made.short)


@UNHURRIED
@given(need=st.integers(1, 3), cards=st.lists(st.integers(1, 4), max_size=16))
def test_a_deal_without_optional_seats_can_always_be_finished_from_who_is_due(need: int, cards: list[int]) -> None:
    made = Deal([1, 2, 3, 4], need)
    for seat in cards:
        made.take(seat)
    for _ in range(4 * need + 1):
        if (due := made.due()) is None:
            break
        made.take(due)
    assert made.short == []
    assert made.due() is None


@pytest.mark.parametrize("leaver", [1, 2, 3])
def test_who_folds_in_the_deal_is_due_no_card(leaver: int) -> None:
    made = Deal([1, 2, 3], 1)
    made.leave(leaver)
    for seat in (1, 2, 3):
        if seat != leaver:
            assert made.due() == seat
            assert made.take(seat) is None
    assert made.complete


def test_who_folds_with_the_card_of_this_deal_stays_in_it() -> None:
    made = Deal([1, 2, 3], 1)
    made.take(1)
    made.leave(1)
    assert made.seats == [1, 2, 3]
    assert made.due() == 2


def _seats_asked_back(deal: Deal) -> list[tuple[int, int | None]]:
    """Put the deal right as it is asked for: each seat that a card is taken from, and the one that it goes to."""
    moves: list[tuple[int, int | None]] = []
    while (seat := deal.misplaced()) is not None:
        deal.give_back(seat)
        due = deal.due()
        moves.append((seat, due))
        assert due is not None
        deal.put(due)
    return moves


@pytest.mark.parametrize(
    ("passes", "cards", "moves"),
    [
        ((1, 1), (1, 2, 3), []),
        ((1, 1), (1, 3), [(3, 2)]),
        ((1, 1), (2, 3), [(2, 1), (3, 2)]),
        ((1, 1), (1, 2, 3, 1), [(1, 4)]),
        ((1, 1), (1, 2, 3, 4, 2), [(2, 1)]),
        ((1, 1), (1, 3, 4, 1, 2, 3, 4), [(3, 2), (4, 3)]),
        ((2, 1), (1, 2), [(2, 1)]),
        ((2, 1), (1, 1, 1), [(1, 2)]),
    ],
)
def test_cards_that_came_too_far_on_go_back_first_ones_first(
    passes: tuple[int, ...], cards: tuple[int, ...], moves: list[tuple[int, int]]
) -> None:
    deal = Deal([1, 2, 3, 4], sum(passes), passes=passes)
    for seat in cards:
        deal.take(seat)
    assert _seats_asked_back(deal) == moves
    assert deal.in_order


def test_a_deal_that_has_gone_round_from_the_wrong_seat_is_taken_as_it_goes() -> None:
    deal = Deal([1, 2, 3, 4], 2)
    for seat in (2, 3, 4, 1, 2):
        deal.take(seat)
    assert deal.misplaced() is None


def test_who_may_be_passed_over_leaves_no_gap() -> None:
    deal = Deal([1, 2, 3], 2, optional={2})
    for seat in (1, 3):
        deal.take(seat)
    assert deal.misplaced() is None
