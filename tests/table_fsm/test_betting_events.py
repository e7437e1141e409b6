"""Actions and betting rounds under a rulebook (TAS C 7, 12, 13, 16, 19.11 on): what is keyed, and what is ruled."""

from collections.abc import Callable

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Answer, Play, holdem


def table(seats: tuple[int, ...] = (1, 2, 3, 4), **options: object) -> Play:
    """Blinds 100 and 200, hands dealt; seat 3 acts first."""
    play = holdem(seats, **{"blinds": [100, 200], **options})
    play.hands()
    return play


def cap(play: Play, seat: int) -> int | None:
    betting = play.core.round.betting
    assert betting is not None
    return betting.players[seat].total


# -- each finding its ruling


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        (("3 check",), "action_illegal: call_floor"),
        (("3 call 300",), "bet_between: treat_as_call"),
        (("3 raise 300",), "bet_between: treat_as_call"),
        (("3 call 100",), "bet_short: add_or_fold"),
        (("3 raise 600", "4 all_in 700", "1 fold", "2 fold", "3 raise 600"), "action_illegal: treat_as_call"),
    ],
)
def test_what_is_wrong_with_an_action(actions: tuple[str, ...], told: str) -> None:
    assert table().acts(*actions).told == [told]


@pytest.mark.parametrize(("betting", "told"), [("limit", ["raise_limit: treat_as_call"]), ("no_limit", [])])
def test_three_raises_in_a_limit_game(betting: str, told: list[str]) -> None:
    play = table(betting=betting)
    assert play.acts("3 raise 400", "4 raise 600", "1 raise 700", "2 raise 800").told == told


@pytest.mark.parametrize(
    ("betting", "actions", "rule", "held"),
    [
        ("limit", ("3 raise 400", "4 raise 600", "1 raise 700", "2 raise 800"), "7.1", 800),
        ("limit", ("3 raise 400", "4 all_in 500", "1 fold", "2 fold", "3 raise 300"), "16.2", 500),
        ("no_limit", ("3 raise 600", "4 all_in 700", "1 fold", "2 fold", "3 raise 600"), "16.3", 700),
        ("no_limit", ("4 call 200", "3 call 200", "4 raise 800"), "19.11", 200),
        ("no_limit", ("4 call 200", "3 raise 600", "4 raise 1400"), "19.12", 600),
        ("no_limit", ("4 call 200", "3 raise 600", "4 all_in 5000"), "19.12", 600),
        ("no_limit", ("3 raise 600", "4 raise 700"), "19.13", 600),
    ],
)
def test_of_a_raise_that_is_a_call_the_table_holds_the_call_and_returns_the_rest(
    betting: str, actions: tuple[str, ...], rule: str, held: int
) -> None:
    play = table(betting=betting)
    ruling = play.acts(*actions).rulings[-1]
    assert (ruling["rule"], ruling["outcome"], ruling["also"]) == (rule, "treat_as_call", ["return_excess"])
    chips = play.table.chips()[ruling["seat"]]
    assert (chips.total, chips.all_in) == (held, False)


def test_in_the_last_round_there_is_no_cap() -> None:
    play = table((1, 2, 3), betting="limit")
    play.acts("3 call 200", "1 call 100", "2 check")
    play.close()
    for cards in (play.flop, lambda: play.street(4)):
        cards()
        play.acts("1 check", "2 check", "3 check")
        play.close()
    play.street(5)
    assert play.acts("1 bet 200", "2 raise 400", "3 raise 600", "1 raise 600", "2 raise 600").told == []


# -- out of turn


def test_out_of_turn_is_ruled_when_the_turn_comes() -> None:
    play = table()
    assert play.acts("4 call 200").told == []
    ruling = play.acts("3 call 200").ruling
    assert (ruling["rule"], ruling["outcome"], ruling["seat"]) == ("19.11", "may_call_or_fold", 4)
    assert play.acts("4 raise 600").told == ["action_illegal: treat_as_call"]


def test_after_the_others_have_bet_more_the_bet_comes_back_on_a_fold() -> None:
    play = table()
    play.acts("4 call 200")
    ruling = play.acts("3 raise 600").ruling
    assert (ruling["rule"], ruling["also"]) == ("19.12", ["return_bet"])
    assert play.acts("4 fold").told == []


@pytest.mark.parametrize(
    ("then", "prompt"), [("1 call 100", {"close": "betting"}), ("1 raise 500", {"act": 3, "owes": 400})]
)
def test_a_check_out_of_turn_is_a_warning_and_stands_while_nobody_bets(then: str, prompt: dict[str, object]) -> None:
    play = table()
    play.acts("3 call 200", "4 call 200", "2 check")
    told = play.acts(then).told
    if "raise" in then:
        assert play.prompt == {"act": 2, "owes": 400}
        play.acts("2 call 400")
    assert told == ["action_out_of_turn: warn"]
    assert play.prompt == prompt


def test_overruled_to_all_options_the_player_may_raise() -> None:
    play = table()
    play.acts("4 call 200", "3 call 200")
    assert play.decide("overrule", ruling=1, outcome="all_options").errors == []
    assert play.acts("4 raise 600").told == []


def test_the_turn_that_comes_by_a_fold_is_one_too() -> None:
    play = table()
    play.acts("4 call 200")
    assert play.acts("3 fold").told == ["action_out_of_turn: may_call_or_fold"]


# -- closing


def test_closed_with_somebody_to_act_is_a_warning_and_closes_all_the_same() -> None:
    play = table()
    play.acts("3 call 200")
    ruling = play.close().ruling
    assert (ruling["irregularity"], ruling["outcome"], ruling["seat"]) == ("betting_incomplete", "warn", 4)
    assert play.phase == "board.flop"


def test_closed_with_nothing_keyed_there_is_no_keypad() -> None:
    assert table().close().told == []


def test_the_fold_that_leaves_one_player_has_ended_the_round_already() -> None:
    play = table((1, 2, 3))
    play.acts("3 fold", "1 fold")
    assert play.close().outputs == ()


def test_without_a_cut_the_first_bet_is_a_misdeal() -> None:
    play = holdem((1, 2, 3))
    play.core.round.cut.done = False
    play.hands()
    assert play.acts("3 fold").told == []
    assert play.acts("1 call").told == ["cut_missing: misdeal"]


def test_and_so_it_is_with_no_keypad_when_betting_closes() -> None:
    play = Play()
    play.open((1, 2, 3))
    play.shuffle(cut=False)
    assert play.hands().told == ["cut_missing: warn"]
    assert play.close().told == ["cut_missing: misdeal"]


def test_posts_do_not_begin_the_betting() -> None:
    play = Play()
    play.open((1, 2, 3), blinds=[100, 200])
    play.shuffle(cut=False)
    play.post(100, 200)
    play.hands()
    assert play.send("cut", depth=20).errors == []
    assert play.acts("3 call 200").told == []


@pytest.mark.parametrize("depth", [0, 1])
def test_a_cut_too_near_the_end_is_told_at_the_first_card(depth: int) -> None:
    play = Play()
    play.open((1, 2, 3))
    play.shuffle(cut=False)
    assert play.send("cut", depth=depth).told == []
    assert play.to(1).told == ["cut_too_thin: warn"]


def test_a_card_shown_in_the_cut_is_a_misdeal() -> None:
    play = Play()
    play.open((1, 2, 3))
    play.shuffle(cut=False)
    assert play.send("cut", depth=20, exposed=1).told == ["cut_exposed: misdeal"]


def test_an_offer_to_cut_is_no_cut() -> None:
    play = Play()
    play.open((1, 2, 3))
    play.shuffle(cut=False)
    assert play.send("cut.offered", to="seat:1").errors == []
    assert play.to(1).told == ["cut_missing: warn"]


# -- posts, antes, early folds


def test_a_fold_while_the_cards_are_dealt_counts_when_the_deal_is_complete() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.to(1, 2, 3)
    assert play.acts("3 fold").errors == []
    play.to(4, 1, 2, 3, 4)
    assert play.view["seats"][2]["folded"]
    assert play.prompt == {"act": 4, "owes": 200}


def test_a_post_after_the_deal_and_before_betting_still_counts() -> None:
    play = Play("onyx-cash")
    play.open((1, 2, 3, 4), button=4, blinds=[100, 200])
    play.shuffle()
    play.post(100, 200)
    play.hands()
    assert play.acts("4 post 200").errors == []
    assert play.acts("3 call 200").told == []
    assert play.prompt == {"act": 4, "owes": 0}


def test_in_a_game_on_antes_nobody_owes_before_the_first_bet() -> None:
    play = holdem((1, 2, 3), ante=100)
    play.acts("1 ante 100", "2 ante 100", "3 ante 100")
    play.hands()
    assert play.prompt == {"act": 1, "owes": 0, "check": False}
    play.acts("1 bet 300", "2 call 300")
    assert play.prompt == {"act": 3, "owes": 300}
    assert cap(play, 2) == 400  # the ante too


@pytest.mark.parametrize("cents", [150, 250])
def test_a_blind_posted_with_another_amount_leaves_the_bet_to_meet_as_it_is_due(cents: int) -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.acts("1 post 100", f"2 post {cents}")
    play.hands()
    assert play.prompt == {"act": 3, "owes": 200}


@pytest.mark.parametrize("how", ["action", "close", "burn", "board"])
def test_a_player_missed_and_somebody_s_look_end_the_round_as_soon_as_it_shows(how: str) -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.to(1, 2, 3, 4, 1, 2, 3)
    play.look(1)
    answers: dict[str, Callable[[], Answer]] = {
        "action": lambda: play.acts("3 call 200"),
        "close": play.close,
        "burn": play.burn,
        "board": lambda: play.card("board:1", face="up"),
    }
    assert answers[how]().told == ["player_missed: misdeal"]
    assert play.phase == "misdeal"


def test_where_all_hands_are_wrong_as_betting_begins_the_last_to_fold_wins() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.to(1, 2, 3)
    play.acts("3 fold")
    play.to(1, 3, 1)  # seat 2 is passed over, seat 1 gets a third card
    play.burn()
    answer = play.acts("1 call 100")
    assert answer.told == ["wrong_card_count: fold_hand"] * 2
    assert answer.of(Kind.SHOWDOWN)[0]["winners"] == [3]


# -- the button


def test_a_button_at_the_wrong_seat_is_told_at_the_first_card_and_the_deal_goes_by_it() -> None:
    play = holdem((1, 2, 3, 4))
    play.send("marker.placed", marker="button", seat=1)
    assert play.to(2).told == ["button_wrong: warn"]
    assert play.to(3, 4, 1, 2, 3, 4, 1).told == []


def test_or_by_the_right_one_if_the_first_card_says_so() -> None:
    play = holdem((1, 2, 3, 4))
    play.send("marker.placed", marker="buck", seat=1)
    assert play.to(1).told == ["button_wrong: warn"]
    assert play.to(2, 3, 4, 1, 2, 3, 4).told == []


# -- starting


def test_faults_of_different_matters_at_the_start_are_told_together_and_once() -> None:
    play = Play()
    play.open((1, 2), checked=False)
    stops = ["deck_unchecked: stop_table", "not_shuffled: stop_table", "too_few_players: stop_table"]
    assert play.send("deal.start").told == stops
    assert play.send("deal.start").told == []
    assert play.to(1).told == ["cut_missing: warn"]


def test_the_same_deck_dealt_again_without_a_shuffle() -> None:
    play = table((1, 2, 3))
    play.end()
    assert play.send("deal.start").told == ["not_shuffled: stop_table"]
    play.shuffle()
    assert play.pending == []
