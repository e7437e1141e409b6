"""A raise that nobody has called goes back with a mucked hand (The Star 7.43)."""

from table_fsm.poker.betting.state import Betting
from tests.table_fsm.test_betting import acts, betting


def mucked(made: Betting, seat: int) -> bool:
    went = made.take_back_raise(seat)
    made.fold(seat)
    return went


def test_the_bet_before_it_stands_again_and_who_had_met_it_has_met_it() -> None:
    made = betting()
    acts(made, "3 call 200", "4 call 200", "1 raise 900")
    assert mucked(made, 1)
    assert (made.level, made.step, made.raises, made.aggressor) == (200, 200, 0, 2)
    assert made.players[1].total == 200  # the call in it stays
    assert made.went_back == (1, 800)
    assert made.to_act() == 2
    acts(made, "2 check")
    assert made.to_act() is None
    assert made.went_back is None


def test_of_two_raises_the_last_goes_back_and_the_first_is_the_least_again() -> None:
    made = betting()
    acts(made, "3 raise 600", "4 raise 2000")
    assert mucked(made, 4)
    assert (made.level, made.step, made.raises) == (600, 400, 1)
    assert (made.to_act(), made.owed(1)) == (1, 500)
    assert not mucked(made, 3)  # what it was before is no longer known: it stays


def test_a_raise_that_was_called_or_an_opening_bet_stays() -> None:
    made = betting()
    acts(made, "3 raise 600", "4 call 600")
    assert not mucked(made, 3)
    assert made.level == 600
    made = betting(blinds=())
    acts(made, "1 bet 300")
    assert not mucked(made, 1)
    assert (made.level, made.players[1].total) == (300, 300)


def test_an_all_in_for_less_is_a_call_of_the_raise() -> None:
    made = betting()
    acts(made, "3 raise 600", "4 all_in 300")
    assert not mucked(made, 3)


def test_only_the_raiser_s_own_hand_counts_and_only_on_that_street() -> None:
    made = betting()
    acts(made, "3 raise 600")
    assert not mucked(made, 4)
    made.close_street()
    made.open_street("flop", capped=False)
    assert not mucked(made, 3)


def test_a_raise_without_an_amount_goes_back_too() -> None:
    made = betting()
    acts(made, "3 raise")
    assert mucked(made, 3)
    assert (made.level, made.owed(4)) == (200, 200)
    assert made.went_back == (3, None)
