"""Penalties, time banks and absence that go with a player, and ways to leave."""

from functools import partial

import pytest

from floor_fsm.errors import Reason
from floor_fsm.law.matters import Leaves
from floor_fsm.play.people import (
    Conduct,
    Leaving,
    Missed,
    Penalty,
    leaving,
    provisionally_out,
    stake_back,
)
from tests.floor_fsm import books
from tests.floor_fsm.refusing import refused

STAR_PENALTIES, ONYX_PENALTIES = books.row(books.STAR.penalties), books.row(books.ONYX.penalties)
UTH_PENALTIES, ROWS = books.row(books.UTH.penalties), books.STAR.leaving


def test_an_orbit_is_a_hand_for_each_player_and_goes_along() -> None:
    """The Star 5, Orbit, and 7.39."""
    conduct = Conduct(time_banks=3).penalised(STAR_PENALTIES, Penalty.ROUNDS, 2, players=8)
    assert (conduct.hands_left, conduct.away, conduct.time_banks) == (16, True, 3)
    conduct = conduct.penalised(STAR_PENALTIES, Penalty.HANDS, 3, players=8)
    assert conduct.hands_left == 19
    assert conduct.told(left=0, in_rounds=False).away is False
    assert refused(lambda: conduct.told(left=20, in_rounds=False)) == (Reason.DOES_NOT_ADD_UP, None)


def test_at_onyx_one_round_of_the_button_or_two() -> None:
    """Onyx, Penalties 3."""
    conduct = Conduct().penalised(ONYX_PENALTIES, Penalty.ROUNDS, 2, players=8)
    assert (conduct.rounds_left, conduct.hands_left, conduct.away) == (2, 0, True)
    assert conduct.told(left=1, in_rounds=True).rounds_left == 1
    for penalty, number in ((Penalty.ROUNDS, 3), (Penalty.HANDS, 1), (Penalty.ROUNDS, 0)):
        again = partial(Conduct().penalised, ONYX_PENALTIES, penalty, number, 8)
        assert refused(again) == (Reason.NOT_ALLOWED, "Penalties 3")


def test_a_repeated_warning_is_a_round_or_the_end() -> None:
    """Onyx, Verbal warnings; The Star 7.39 says no such thing."""
    warned = Conduct().penalised(ONYX_PENALTIES, Penalty.WARNING, 1, 8)
    assert warned.warnings == 1
    assert refused(lambda: warned.penalised(ONYX_PENALTIES, Penalty.WARNING, 1, 8)) == (
        Reason.NOT_ALLOWED,
        "Penalties 3",
    )
    assert warned.penalised(STAR_PENALTIES, Penalty.WARNING, 1, 8).warnings == 2


def test_five_orbits_are_too_many_and_a_book_may_have_none() -> None:
    assert refused(lambda: Conduct().penalised(STAR_PENALTIES, Penalty.ROUNDS, 5, 8)) == (Reason.NOT_ALLOWED, "7.39")
    one_hand = Conduct().penalised(UTH_PENALTIES, Penalty.HANDS, 1, 6)  # UTH 12.3: excluded from a round of play
    assert one_hand.hands_left == 1
    assert refused(lambda: Conduct().penalised(UTH_PENALTIES, Penalty.HANDS, 2, 6)) == (Reason.NOT_ALLOWED, "12.3")
    assert refused(lambda: Conduct().penalised(None, Penalty.HANDS, 1, 8)) == (Reason.NOT_IN_THE_BOOK, None)


def test_time_banks_are_what_the_table_tells() -> None:
    """The Star 7.46(e) and (f)."""
    assert Conduct().with_time_banks(4).time_banks == 4
    assert refused(lambda: Conduct().with_time_banks(-1)) == (Reason.DOES_NOT_ADD_UP, None)


def test_who_leaves_loses_what_the_book_says() -> None:
    """The Star 6.14: eliminated, chips out, no refund, no further event."""
    assert leaving(ROWS, Leaves.HARM) == Leaving(refund=False, prize=True, barred=True, in_pool=True, clause="6.14")
    before = leaving(ROWS, Leaves.BARRED_BEFORE)
    assert (before.refund, before.in_pool) == (True, False)


def test_where_the_director_is_to_say_the_director_must() -> None:
    """The Star 7.15.2: no refund, except on the approval of the director."""
    assert refused(lambda: leaving(ROWS, Leaves.ABSENT)) == (Reason.NOT_DECIDED, "7.15.2")
    assert leaving(ROWS, Leaves.ABSENT, refund=True).refund is True
    assert refused(lambda: leaving(ROWS, Leaves.HARM, refund=True)) == (Reason.NOT_ALLOWED, "6.14")
    assert leaving(ROWS, Leaves.HARM, refund=False).refund is False
    assert refused(lambda: leaving(ROWS, Leaves.BROKE_RULES)) == (Reason.NOT_IN_THE_BOOK, None)


def test_who_never_came_may_be_taken_out_after_level_four() -> None:
    """The Star 7.12."""
    rules = books.row(books.STAR.no_shows)
    provisionally_out(rules, 5)
    assert refused(lambda: provisionally_out(rules, 4)) == (Reason.WRONG_STATE, "7.12")
    assert refused(lambda: provisionally_out(None, 5)) == (Reason.NOT_IN_THE_BOOK, None)


def test_who_comes_after_all_gets_the_stake_less_blinds_and_antes() -> None:
    """The Star 7.12: level 5 is 300, 500 and an ante of 500 of the big blind; level 6 is 300, 600 and 600."""
    assert stake_back(books.TWO_BULLET, 28_000, [Missed(5, 2, 16), Missed(6, 1, 9)]) == 28_000 - 2 * 1300 - 1500
    assert stake_back(books.TWO_BULLET, 1_000, [Missed(5, 1, 8)]) == 0
    assert stake_back(books.STUD, 10_000, [Missed(1, 1, 8)]) == 10_000 - 8 * 500  # every player's ante, at each hand


@pytest.mark.parametrize("missed", [Missed(5, -1, 0), Missed(5, 0, -1), Missed(0, 0, 0)])
def test_numbers_that_cannot_be_missed_are_refused(missed: Missed) -> None:
    assert refused(lambda: stake_back(books.TWO_BULLET, 1000, [missed])) == (Reason.DOES_NOT_ADD_UP, None)
