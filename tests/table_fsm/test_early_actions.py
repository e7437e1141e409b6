"""Actions out of turn that stand because too much has followed; folds whose turn comes (The Star 7.35, 7.36)."""

import pytest

from table_fsm.poker.betting import early as betting_early
from table_fsm.poker.betting.acting import stand
from table_fsm.poker.betting.state import Betting
from tests.table_fsm.streams import Play
from tests.table_fsm.test_betting import acts


def flop() -> Betting:
    """Five players on the flop, nobody has bet; seat 1 is to act."""
    made = Betting([1, 2, 3, 4, 5])
    made.open_street("flop", capped=False)
    return made


def fold(made: Betting, seat: int) -> None:
    """A fold as a book that rules on folds out of turn has it."""
    early = betting_early.fold_out_of_turn(made, seat)
    made.fold(seat)
    if early is not None:
        made.out_of_turn.hold(seat, early)


@pytest.mark.parametrize(
    ("actions", "run"),
    [
        (("2 bet 100",), []),
        (("2 check", "3 check"), []),
        (("2 bet 100", "3 call 100"), [2, 3]),
        (("2 check", "3 bet 100"), [2, 3]),
        (("2 check", "3 check", "4 check"), [2, 3, 4]),
        (("2 bet 100", "4 call 100"), []),  # seat 3 is between the two
        (("2 check", "4 bet 100", "5 call 100"), [4, 5]),
        (("1 check", "3 bet 100", "4 all_in 50"), [3, 4]),
        (("1 bet 100", "2 call 100", "3 call 100"), []),  # in turn
    ],
)
def test_what_is_sufficient_action_out_of_turn(actions: tuple[str, ...], run: list[int]) -> None:
    made = flop()
    acts(made, *actions)
    assert betting_early.sufficient_run(made) == run


def test_folds_count_and_who_has_folded_before_is_not_between() -> None:
    made = flop()
    fold(made, 2)
    fold(made, 3)
    assert betting_early.sufficient_run(made) == []
    fold(made, 4)
    assert betting_early.sufficient_run(made) == [2, 3, 4]


def test_who_was_skipped_acts_before_play_goes_on_and_pays_what_is_owed() -> None:
    made = flop()
    acts(made, "3 bet 100", "4 call 100")
    betting_early.bind(made, [3, 4])
    assert (made.out_of_turn.skipped, made.to_act(), made.owed(1)) == ([1, 2], 1, 100)
    acts(made, "1 call 100")
    assert made.to_act() == 2
    acts(made, "2 fold")
    assert (made.out_of_turn.skipped, made.to_act()) == ([], 5)
    acts(made, "5 call 100")
    assert made.to_act() is None
    assert [made.players[seat].total for seat in (1, 2, 3, 4, 5)] == [100, 0, 100, 100, 100]


def test_a_short_bet_of_the_skipped_player_leaves_the_action_there() -> None:
    made = flop()
    acts(made, "2 bet 100", "3 call 100")
    betting_early.bind(made, [2, 3])
    acts(made, "1 call 40")
    assert (made.to_act(), made.owed(1)) == (1, 60)
    acts(made, "1 call 60")
    assert made.to_act() == 4


def test_a_raise_of_the_skipped_player_is_behind_everybody_again() -> None:
    made = flop()
    acts(made, "2 bet 100", "3 call 100")
    betting_early.bind(made, [2, 3])
    acts(made, "1 raise 300")
    assert [made.to_act(), made.owed(2), made.aggressor] == [2, 200, 1]


def test_nobody_is_skipped_into_the_next_street() -> None:
    made = flop()
    acts(made, "2 bet 100", "3 call 100")
    betting_early.bind(made, [2, 3])
    made.close_street()
    assert not made.trusted
    made.open_street("turn", capped=False)
    assert (made.out_of_turn.skipped, made.to_act()) == ([], 1)


def test_what_answers_a_bet_out_of_turn_is_not_changed_when_that_bet_stands() -> None:
    made = flop()
    acts(made, "2 bet 100", "4 call 100", "1 check")
    seat, early = betting_early.at_turn(made) or (0, None)
    assert seat == 2
    assert early is not None
    stand(made, seat, early.action, early.cents)
    assert not made.out_of_turn.held[4].raised_since
    acts(made, "3 raise 300")
    assert made.out_of_turn.held[4].raised_since


def test_a_fold_is_told_when_the_turn_has_gone_past() -> None:
    made = flop()
    fold(made, 3)
    assert betting_early.fold_at_turn(made) is None
    acts(made, "1 check")
    assert betting_early.fold_at_turn(made) is None
    acts(made, "2 bet 100")
    found = betting_early.fold_at_turn(made)
    assert found is not None
    assert (found[0], found[1].raised_since) == (3, True)
    assert betting_early.fold_at_turn(made) is None


def test_a_fold_in_turn_is_not_held() -> None:
    assert betting_early.fold_out_of_turn(flop(), 1) is None


def test_other_books_say_nothing_of_folds_out_of_turn_and_let_no_run_stand() -> None:
    play = Play("act-2001-holdem-no-limit")
    play.open(blinds=[100, 200])
    play.shuffle()
    play.hands()
    assert play.acts("4 raise 600", "5 call 600", "1 fold").told == []
    assert play.acts("3 call 200").told == ["action_out_of_turn: binding", "action_out_of_turn: binding"]


def test_a_person_must_decide_where_the_floor_is_called_beside_the_outcome() -> None:
    play = Play("star-2025-holdem")
    play.open(blinds=[100, 200])
    play.shuffle(cut=False)
    play.hands()
    answer = play.acts("4 raise 600", "5 call 600")
    assert answer.ruling["pending"]
    assert answer.prompt == {"wait": "floor"}
    assert play.core.standing.pending[0].outcome == "call_floor"
    assert play.decide("play_on").prompt == {"act": 3, "owes": 600}


def tas() -> Play:
    """TAS Hold'em, four players, dealt: seat 3 is to act."""
    play = Play()
    play.open((1, 2, 3, 4), button=4, table_min=200, blinds=[100, 200])
    play.shuffle()
    play.post(100, 200)
    play.hands()
    return play


def test_who_is_all_in_out_of_turn_with_just_the_call_is_not_asked() -> None:
    """TAS C 16.1, 19.11: who has tapped out takes no further part in the betting."""
    play = tas()
    play.acts("4 all_in 600")
    met = play.acts("3 raise 600")
    assert (met.told, met.prompt) == (["action_out_of_turn: may_call_or_fold"], {"act": 1, "owes": 500})
    play.acts("1 call 500", "2 call 400")
    play.close()
    play.flop()
    assert play.acts("1 check", "2 check", "3 check").prompt == {"close": "betting"}


def test_who_is_all_in_out_of_turn_with_more_has_the_rest_back_and_plays_on() -> None:
    play = tas()
    play.acts("4 all_in 600")
    assert play.acts("3 call 200").prompt == {"act": 4, "owes": 0}
    play.acts("4 call", "1 call 100", "2 check")
    play.close()
    play.flop()
    assert play.acts("1 check", "2 check", "3 check").prompt == {"act": 4, "owes": 0}


@pytest.mark.parametrize("stays", ["4 call", "4 all_in"])
def test_who_is_all_in_out_of_turn_with_less_stays_in_with_it_or_folds(stays: str) -> None:
    """TAS C 16.1, 19.12."""
    play = tas()
    play.acts("4 all_in 400")
    assert play.acts("3 raise 600").prompt == {"act": 4, "owes": 200}
    assert play.acts(stays).told == []
    play.acts("1 call 500", "2 call 400")
    betting = play.core.round.betting
    assert betting is not None
    assert (betting.players[4].all_in, betting.players[4].total) == (True, 400)


def test_chips_above_the_call_lie_there_no_more_once_play_has_gone_on() -> None:
    """TAS C 19.11: the bet out of turn has become a call, and does not count towards a later bet."""
    play = tas()
    play.acts("4 bet 600", "3 call 200")
    assert play.acts("1 raise 500").prompt == {"act": 2, "owes": 400}
    assert play.acts("2 fold", "3 fold").prompt == {"act": 4, "owes": 400}
