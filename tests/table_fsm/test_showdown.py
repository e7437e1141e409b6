"""Pots, their winners and what does not divide: TAS 2018 C 15, 16.1 and 19.15."""

from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.poker.commission import commission_due
from table_fsm.poker.hands.evaluation import HandRank, rank_hand
from table_fsm.poker.pots import (
    Pot,
    PotResult,
    Uncalled,
    build_pots,
    decide,
    shares,
    showdown,
    uncalled,
)

BOARD = ["Ks", "9h", "7d", "5c", "2h"]


def hand(cards: str) -> HandRank:
    return rank_hand(cards.split(), BOARD)


ACES, KINGS, NINES, QUEEN_HIGH = hand("As Ah"), hand("Kh Qd"), hand("9s 8s"), hand("Qs Jd")
NINES_TOO = hand("9d 8c")


# ---- pots


def test_equal_contributions_make_one_pot() -> None:
    assert build_pots({1: 500, 2: 500, 3: 500}, live={1, 3}) == [Pot(1, 1500, (1, 3))]


def test_an_all_in_parts_the_pot() -> None:  # C 16.1
    assert build_pots({1: 300, 2: 1000, 3: 1000}, live={1, 2, 3}) == [Pot(1, 900, (1, 2, 3)), Pot(2, 1400, (2, 3))]


def test_two_all_ins_make_two_side_pots() -> None:  # C 16.1: "or pots if two players tap out during the same hand"
    assert build_pots({4: 100, 2: 300, 1: 700, 3: 700}, live={1, 2, 3, 4}) == [
        Pot(1, 400, (1, 2, 3, 4)),
        Pot(2, 600, (1, 2, 3)),
        Pot(3, 800, (1, 3)),
    ]


def test_two_all_ins_of_the_same_amount_make_one_side_pot() -> None:
    assert build_pots({1: 300, 2: 300, 3: 900, 4: 900}, live={1, 2, 3, 4}) == [
        Pot(1, 1200, (1, 2, 3, 4)),
        Pot(2, 1200, (3, 4)),
    ]


def test_folded_chips_count_in_the_pots_they_reached() -> None:
    # Seat 4 folded after 500: 300 of it lie in the main pot, 200 in the side pot.
    assert build_pots({1: 300, 2: 1000, 3: 1000, 4: 500}, live={1, 2, 3}) == [
        Pot(1, 1200, (1, 2, 3)),
        Pot(2, 1600, (2, 3)),
    ]


def test_a_folded_short_bet_parts_nothing() -> None:
    assert build_pots({1: 50, 2: 400, 3: 400}, live={2, 3}) == [Pot(1, 850, (2, 3))]


def test_what_nobody_matched_goes_back() -> None:
    contributions = {1: 100, 2: 300, 3: 900}
    assert uncalled(contributions, live={1, 2, 3}) == Uncalled(3, 600)
    assert build_pots(contributions, live={1, 2, 3}) == [Pot(1, 300, (1, 2, 3)), Pot(2, 400, (2, 3))]


def test_a_bet_that_all_fold_to_goes_back_as_far_as_unmatched() -> None:
    contributions = {1: 50, 2: 100, 3: 300}
    assert uncalled(contributions, live={3}) == Uncalled(3, 200)
    assert build_pots(contributions, live={3}) == [Pot(1, 250, (3,))]


def test_a_bet_that_a_folded_seat_called_is_called() -> None:
    contributions = {1: 300, 2: 300, 3: 100}
    assert uncalled(contributions, live={1, 3}) is None
    assert build_pots(contributions, live={1, 3}) == [Pot(1, 300, (1, 3)), Pot(2, 400, (1,))]


def test_the_bets_of_a_killed_hand_stay_however_high() -> None:  # C 19.15
    contributions = {1: 900, 2: 200, 3: 100}
    assert uncalled(contributions, live={2, 3}) is None
    assert build_pots(contributions, live={2, 3}) == [Pot(1, 300, (2, 3)), Pot(2, 900, (2,))]


def test_a_layer_of_folded_hands_stays_with_the_pot_beneath() -> None:
    assert build_pots({1: 100, 2: 100, 3: 500, 4: 500}, live={1, 2}) == [Pot(1, 1200, (1, 2))]


def test_dead_chips_belong_to_the_main_pot_and_match_nothing() -> None:  # C 19.10
    assert build_pots({1: 100, 2: 300, 3: 300}, live={1, 2, 3}, dead=40) == [
        Pot(1, 340, (1, 2, 3)),
        Pot(2, 400, (2, 3)),
    ]


def test_a_blind_alone_goes_back_and_the_dead_chips_are_its_pot() -> None:
    assert uncalled({2: 100}, live={2}) == Uncalled(2, 100)
    assert build_pots({2: 100}, live={2}) == []
    assert build_pots({2: 100}, live={2}, dead=30) == [Pot(1, 30, (2,))]


def test_a_seat_that_put_nothing_in_wins_what_the_others_left() -> None:
    # Both blinds leave the table before the button has acted.
    assert build_pots({1: 50, 2: 100}, live={3}) == [Pot(1, 150, (3,))]
    assert uncalled({1: 50, 2: 100}, live={3}) is None


def test_no_chips_no_pot() -> None:
    assert build_pots({}, live={1, 2}) == []
    assert build_pots({1: 0, 2: 0}, live={1, 2}) == []
    assert uncalled({}, live={1}) is None
    assert uncalled({1: 0, 2: 0}, live={1, 2}) is None


def test_pots_need_a_live_seat_and_amounts_that_can_be() -> None:
    with pytest.raises(ValueError, match="pots that nobody can win"):
        build_pots({1: 100}, live=())
    with pytest.raises(ValueError, match="a contribution below zero"):
        build_pots({1: 100, 2: -1}, live={1})
    with pytest.raises(ValueError, match="a contribution below zero"):
        build_pots({1: 100}, live={1}, dead=-1)


SEATS = st.integers(min_value=1, max_value=10)
CONTRIBUTIONS = st.dictionaries(SEATS, st.integers(min_value=0, max_value=20), max_size=10)


@given(CONTRIBUTIONS, st.sets(SEATS, min_size=1), st.integers(min_value=0, max_value=50))
def test_no_chip_is_lost_and_none_is_made(contributions: dict[int, int], live: set[int], dead: int) -> None:
    pots, back = build_pots(contributions, live, dead), uncalled(contributions, live)
    assert sum(pot.cents for pot in pots) + (back.cents if back else 0) == sum(contributions.values()) + dead
    assert all(pot.cents > 0 for pot in pots)
    assert [pot.number for pot in pots] == list(range(1, len(pots) + 1))


@given(CONTRIBUTIONS, st.sets(SEATS, min_size=1))
def test_each_side_pot_has_fewer_seats_than_the_one_before(contributions: dict[int, int], live: set[int]) -> None:
    pots = build_pots(contributions, live)
    assert all(pot.eligible and set(pot.eligible) <= live for pot in pots)
    assert all(set(above.eligible) < set(below.eligible) for below, above in pairwise(pots))


@given(CONTRIBUTIONS, st.sets(SEATS, min_size=1))
def test_nobody_wins_more_from_another_than_they_put_in_themselves(
    contributions: dict[int, int], live: set[int]
) -> None:
    """A live seat takes at most its own amount from each seat; only the highest gets what the dead left above it."""
    pots = build_pots(contributions, live)
    highest = max(contributions.get(seat, 0) for seat in live)
    for seat in live:
        own = contributions.get(seat, 0)
        if own == highest:
            continue
        most = sum(min(cents, own) for cents in contributions.values())
        assert sum(pot.cents for pot in pots if seat in pot.eligible) == most


# ---- winners


def test_the_best_hand_takes_the_pot() -> None:
    hands = {1: NINES, 2: ACES, 3: KINGS}
    assert decide({1, 2, 3}, hands, order_from=1) == PotResult(1, (2,), ACES.name, None)


def test_a_better_hand_outside_the_pot_does_not_count() -> None:  # C 16.1
    hands = {1: ACES, 2: NINES, 3: KINGS}
    assert decide({2, 3}, hands, order_from=1, pot=2) == PotResult(2, (3,), KINGS.name, None)


def test_one_seat_takes_it_without_a_hand() -> None:  # C 12.3(a), 14.4(a)
    assert decide([7], {}, order_from=1) == PotResult(1, (7,), None, None)


def test_one_seat_alone_in_a_side_pot_takes_it_with_the_hand_it_showed() -> None:
    assert decide([7], {7: NINES, 1: ACES}, order_from=1, pot=2) == PotResult(2, (7,), NINES.name, None)


@pytest.mark.parametrize(
    ("order_from", "odd_to"), [(1, 3), (2, 3), (3, 3), (4, 8), (7, 8), (8, 8), (9, 3), (10, 3)], ids=str
)
def test_the_odd_amount_goes_clockwise_from_the_small_blind(order_from: int, odd_to: int) -> None:  # C 15.3
    hands = {8: NINES, 3: NINES_TOO, 5: QUEEN_HIGH}
    assert decide({8, 3, 5}, hands, order_from) == PotResult(1, (3, 8), NINES.name, odd_to)


@pytest.mark.parametrize(
    ("cents", "unit", "odd_to"),
    [
        (1000, 500, None),
        (1500, 500, 3),
        (1001, 500, 3),
        (999, 500, 3),
        (2000, 500, None),
        (2500, None, 3),
        (None, 500, 3),
        (0, 500, None),
    ],
)
def test_nobody_is_named_where_the_pot_divides_in_units(
    cents: int | None, unit: int | None, odd_to: int | None
) -> None:
    decided = decide({3, 8}, {3: NINES, 8: NINES_TOO}, order_from=1, cents=cents, unit=unit)
    assert (decided.winners, decided.odd_to) == ((3, 8), odd_to)


def test_a_pot_cannot_be_decided_without_seats_hands_or_units() -> None:
    with pytest.raises(ValueError, match="pot 2 has no eligible seat"):
        decide((), {}, order_from=1, pot=2)
    with pytest.raises(ValueError, match=r"pot 1: no hand shown by seats \[2, 5\]"):
        decide({5, 1, 2}, {1: ACES}, order_from=1)
    with pytest.raises(ValueError, match="a unit of 0 cents"):
        decide({1, 2}, {1: NINES, 2: NINES_TOO}, order_from=1, cents=100, unit=0)


# ---- shares


@pytest.mark.parametrize(
    ("cents", "unit", "winners", "expected"),
    [
        (4000, 500, (3, 8), {3: 2000, 8: 2000}),
        (4500, 500, (3, 8), {3: 2500, 8: 2000}),
        (4600, 500, (3, 8), {3: 2600, 8: 2000}),
        (7000, 500, (3, 5, 8), {3: 3000, 5: 2000, 8: 2000}),  # two units over: one amount, to one player
        (400, 500, (3, 8), {3: 400, 8: 0}),
        (4500, 500, (8,), {8: 4500}),
    ],
)
def test_equal_parts_in_units_and_the_rest_in_one_amount(
    cents: int, unit: int, winners: tuple[int, ...], expected: Mapping[int, int]
) -> None:  # C 15.3
    assert shares(PotResult(1, winners, NINES.name, 3 if len(winners) > 1 else None), cents, unit) == expected


def test_something_over_needs_somebody_to_take_it() -> None:
    with pytest.raises(ValueError, match="pot 1: 500 cents over and nobody to take them"):
        shares(PotResult(1, (3, 8), NINES.name, None), 4500, 500)


@given(
    st.integers(min_value=0, max_value=100_000),
    st.integers(min_value=1, max_value=5_000),
    st.sets(SEATS, min_size=1),
    SEATS,
)
def test_shares_add_up_and_differ_only_by_the_odd_amount(
    cents: int, unit: int, winners: set[int], order_from: int
) -> None:
    decided = decide(winners, dict.fromkeys(winners, NINES), order_from, cents=cents, unit=unit)
    divided = shares(decided, cents, unit)
    assert divided.keys() == winners
    assert sum(divided.values()) == cents
    parts = {part for seat, part in divided.items() if seat != decided.odd_to}
    assert len(parts) <= 1
    if decided.odd_to is not None:
        assert divided[decided.odd_to] >= max(parts)
        assert divided[decided.odd_to] - max(parts) < unit * len(winners)


# ---- the whole showdown


def test_a_short_stack_wins_the_main_pot_and_the_next_best_the_side_pot() -> None:
    hands = {1: ACES, 2: NINES, 3: KINGS}
    assert showdown({1: 300, 2: 1000, 3: 1000, 4: 200}, hands, [1, 2, 3], order_from=2, unit=100) == [
        PotResult(1, (1,), ACES.name, None),
        PotResult(2, (3,), KINGS.name, None),
    ]


def test_one_live_hand_left_shows_nothing() -> None:
    assert showdown({1: 300, 2: 100, 3: 300}, {1: ACES}, [1], order_from=2) == [PotResult(1, (1,), None, None)]


def test_unknown_amounts_make_one_pot() -> None:
    hands = {1: NINES, 2: NINES_TOO, 3: QUEEN_HIGH}
    assert showdown({}, hands, [1, 2, 3], order_from=2, unit=100) == [PotResult(1, (1, 2), NINES.name, 2)]


def test_the_commission_comes_out_before_the_pot_is_divided() -> None:  # C 15.2, then 15.3
    put_in, hands = {1: 2000, 2: 2000}, {1: NINES, 2: NINES_TOO}
    assert showdown(put_in, hands, [1, 2], order_from=2, unit=500)[0].odd_to is None
    charged = showdown(put_in, hands, [1, 2], order_from=2, unit=500, commission=lambda pot: commission_due("two", pot))
    assert charged == [PotResult(1, (1, 2), NINES.name, 2)]


def test_dead_chips_are_divided_too() -> None:
    put_in, hands = {1: 2000, 2: 2000}, {1: NINES, 2: NINES_TOO}
    assert showdown(put_in, hands, [1, 2], order_from=1, unit=500, dead=500)[0].odd_to == 1


def test_a_live_hand_that_is_not_shown_is_asked_for() -> None:
    with pytest.raises(ValueError, match=r"pot 1: no hand shown by seats \[2\]"):
        showdown({1: 100, 2: 100}, {1: NINES}, [1, 2], order_from=1)


def test_nobody_live_is_said_so() -> None:
    with pytest.raises(ValueError, match="pots that nobody can win"):
        showdown({1: 100}, {}, [], order_from=1)
    with pytest.raises(ValueError, match="pot 1 has no eligible seat"):
        showdown({}, {}, [], order_from=1)


def test_who_put_in_the_ante_alone_plays_for_the_antes_alone() -> None:
    pots = build_pots({1: 200, 2: 200, 3: 0}, {1, 2, 3}, dead=250)
    assert [(pot.number, pot.cents, pot.eligible) for pot in pots] == [(1, 250, (1, 2, 3)), (2, 400, (1, 2))]


def test_antes_of_players_with_bets_in_are_in_the_main_pot() -> None:
    pots = build_pots({1: 200, 2: 200, 3: 0}, {1, 2}, dead=250)
    assert [(pot.cents, pot.eligible) for pot in pots] == [(650, (1, 2))]
