"""The player who is called: whose bet another has met, in the last betting round that was held (ACT 2001, 12.1)."""

from table_fsm.poker.betting.state import Betting
from tests.table_fsm.test_betting import acts, betting


def called(*actions: str) -> int | None:
    """Who was called after a first round without a raise and these actions on the flop."""
    made = betting(aggressive=False)
    acts(made, "3 call 200", "4 call 200", "1 call 100", "2 check")
    return on_next_street(made, *actions)


def on_next_street(made: Betting, *actions: str) -> int | None:
    made.close_street()
    made.open_street("flop", capped=True)
    acts(made, *actions)
    made.begun = bool(actions)  # as the table notes an action
    made.close_street()
    return made.called.in_final_round


def test_a_bet_that_is_met_is_called_and_a_blind_is_no_bet() -> None:
    assert called("1 bet 400", "2 call 400", "3 fold", "4 fold") == 1
    assert called("1 check", "2 check", "3 check", "4 check") is None
    made = betting(aggressive=False)
    acts(made, "3 call 200", "4 fold", "1 fold", "2 check")
    assert made.called.on_street is None


def test_a_raise_meets_the_bet_before_it() -> None:
    assert called("1 bet 400", "2 raise 800", "3 fold", "4 fold", "1 call 400") == 2
    assert called("1 bet 400", "2 raise 800", "3 fold", "4 fold", "1 fold") == 1


def test_a_bet_that_everybody_folds_to_is_not_called() -> None:
    assert called("1 bet 400", "2 fold", "3 fold", "4 fold") is None


def test_all_in_with_less_meets_the_bet_and_with_more_is_one() -> None:
    assert called("1 bet 400", "2 all_in 300", "3 fold", "4 fold") == 1
    assert called("1 bet 400", "2 all_in 500", "3 call 500", "4 fold", "1 call 100") == 2


def test_an_all_in_of_unknown_size_leaves_open_who_was_called() -> None:
    assert called("1 bet 400", "2 call 400", "3 all_in") is None


def test_a_street_on_which_nobody_can_bet_is_no_round_of_betting() -> None:
    made = betting(aggressive=False)
    acts(made, "3 raise 600", "4 call 600", "1 fold", "2 fold")
    made.begun = True
    assert on_next_street(made) == 3
