"""Sufficient action, counted by itself and at the table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.poker.betting.tally import ActionTally
from tests.table_fsm.streams import holdem


def tally(*chips: bool) -> ActionTally:
    counted = ActionTally()
    for one in chips:
        counted.note(chips=one)
    return counted


@pytest.mark.parametrize(
    ("chips", "enough"),
    [
        ((), False),
        ((True,), False),
        ((False, False), False),
        ((False, True), True),
        ((True, False), True),
        ((True, True), True),
        ((False, False, False), True),
    ],
)
def test_three_checks_or_folds_or_two_actions_with_chips(chips: tuple[bool, ...], enough: bool) -> None:
    assert tally(*chips).sufficient is enough


@given(st.lists(st.booleans(), max_size=8))
def test_three_actions_of_any_kind_are_enough_and_more_never_less(chips: list[bool]) -> None:
    counted = tally(*chips)
    assert counted.sufficient is (len(chips) >= 3 or (len(chips) == 2 and any(chips)))


def test_only_what_came_after_the_mark_counts() -> None:
    counted = tally(True, True)
    mark = counted.mark()
    counted.note(chips=True)
    assert counted.sufficient
    assert counted.since(mark).sufficient_fact == "no"
    counted.note(chips=False)
    assert counted.since(mark).sufficient_fact == "yes"


def test_a_closed_round_is_action_enough() -> None:
    counted = ActionTally()
    counted.close_round()
    assert counted.sufficient_fact == "yes"


def test_posts_and_actions_out_of_turn_do_not_count() -> None:
    play = holdem(blinds=[100, 200])
    play.hands()
    assert play.core.round.actions.sufficient_fact == "no"
    play.acts("5 fold")  # seat 3 is to act
    assert play.core.round.actions.taken == 0
    play.acts("3 call 200")
    assert play.core.round.actions.sufficient_fact == "no"
    play.acts("4 fold")
    assert play.core.round.actions.sufficient_fact == "yes"


def test_what_was_refused_or_must_be_made_up_does_not_count() -> None:
    play = holdem(blinds=[100, 200])
    play.hands()
    play.acts("3 check", "3 call 150")
    assert play.core.round.actions.taken == 0
    play.acts("3 call 50")
    assert play.core.round.actions == ActionTally(taken=1, with_chips=1)


def test_without_a_keypad_the_closed_round_tells() -> None:
    play = holdem()
    play.hands()
    assert play.core.round.actions.sufficient_fact == "no"
    play.close()
    assert play.core.round.actions.sufficient_fact == "yes"


def test_nobody_could_bet_so_nobody_acted() -> None:
    play = holdem((1, 2), blinds=[100, 200])
    play.hands()
    play.acts("1 all_in 900", "2 all_in 800")
    play.close()
    mark = play.core.round.actions.mark()
    play.flop()
    play.close()
    assert play.core.round.actions.since(mark) == ActionTally()
