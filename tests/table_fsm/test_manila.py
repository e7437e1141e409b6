"""Three Card Manila (ACT 2001, appendix A): the first card opens the betting, cards too soon cap it and stay."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_fsm.poker.betting.acting import Finding, act
from table_fsm.poker.betting.bet_caps import BetCap, highest
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.betting.terms import Terms
from tests.table_fsm.legal_rounds import BLIND, LegalRound
from tests.table_fsm.streams import Play

MANILA = "act-2001-manila"
UNHURRIED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def manila(seats: tuple[int, ...] = (1, 2, 3, 4), buck: int = 1, **options: Any) -> Play:
    """A round of Manila, shuffled and cut, the blind posted."""
    play = Play(MANILA)
    options.setdefault("blinds", [BLIND])
    play.open(seats, button=buck, **options)
    at = seats.index(buck)
    play.order = [*seats[at:], *seats[:at]]
    play.shuffle()
    play.post(BLIND)
    return play


def dealt(play: Play) -> Play:
    """Two cards together and a third to each, and the first communal card."""
    play.to(*(seat for seat in play.order for _ in "12"), *play.order)
    board(play, 1)
    return play


def board(play: Play, number: int) -> list[str]:
    return play.card(f"board:{number}", face="up").told


def first_round(play: Play) -> Play:
    """Everybody calls the blind; the second card."""
    dealt(play).acts("2 call 2500", "3 call 2500", "4 call 2500", "1 check")
    play.close()
    board(play, 2)
    return play


# -- any legal round


@UNHURRIED
@given(seed=st.integers(0, 2**32), count=st.integers(2, 9), keypad=st.booleans())
def test_a_legal_round_has_nothing_to_rule_on(seed: int, count: int, keypad: bool) -> None:
    chance, seats = Random(seed), tuple(range(1, count + 1))
    play = manila(seats, chance.choice(seats))
    told = LegalRound(chance, play, keypad=keypad).run()
    assert told == []
    assert play.view["round"] == 1


# -- the first card


def test_betting_opens_with_the_first_communal_card_and_not_with_the_last_hole_card() -> None:
    play = manila()
    play.to(*(seat for seat in play.order for _ in "12"), *play.order)
    assert play.phase == "dealing"
    assert play.prompt == {"deal": "board:1", "face": "up"}
    assert board(play, 1) == []
    assert play.phase == "betting.1"
    assert play.prompt == {"act": 2, "owes": BLIND}


def test_actions_are_taken_where_no_reader_saw_the_first_card_and_it_is_good_when_it_is_seen_late() -> None:
    play = manila()
    play.to(*(seat for seat in play.order for _ in "12"), *play.order)
    assert play.acts("2 call 2500").told == []
    assert board(play, 1) == []
    assert play.phase == "betting.1"


def test_nobody_acts_while_hole_cards_are_still_to_come() -> None:
    play = manila()
    play.to(1, 1, 2, 2)
    assert "still being dealt" in play.acts("2 call 2500").refusal


def test_the_missing_card_opens_the_betting_on_the_card_that_lies_there() -> None:
    play = manila()
    play.to(1, 1, 2, 2, 3, 3, 4, 4, 1, 2, 3)
    assert board(play, 1) == ["player_missed: reconstruct"]
    assert play.phase == "dealing"
    assert play.prompt == {"deal": "seat:4", "face": "down"}
    play.to(4)
    assert play.phase == "betting.1"


def test_two_communal_cards_with_a_hole_card_missing_cap_the_first_round_when_it_opens() -> None:
    play = manila()
    play.to(1, 1, 2, 2, 3, 3, 4, 4, 1, 2, 3)
    board(play, 1)
    assert board(play, 2) == ["board_premature: cap_bets_at_largest"]
    play.to(4)
    assert play.acts("2 raise 5000").told == ["bet_over_limit: return_excess"]


# -- cards too soon


@pytest.mark.parametrize("acted", [False, True])
def test_the_second_card_is_premature_whether_betting_has_begun_or_not(acted: bool) -> None:
    play = dealt(manila())
    play.acts(*["2 call 2500"] * acted)
    assert board(play, 2) == ["board_premature: cap_bets_at_largest"]


@pytest.mark.parametrize("number", [3, 4, 5])
@pytest.mark.parametrize(
    ("acted", "told"),
    [(False, "board_early: cap_bets_at_minimum"), (True, "board_premature: cap_bets_at_largest")],
)
def test_a_later_card_asks_whether_betting_on_the_one_before_has_begun(number: int, acted: bool, told: str) -> None:
    play = first_round(manila())
    for following in range(3, number):
        play.acts("1 check", "2 check", "3 check", "4 check")
        play.close()
        board(play, following)
    play.acts(*["1 check"] * acted)
    assert board(play, number) == [told]
    play.close()
    assert play.phase == f"betting.{number}"


def test_a_card_seen_again_is_ruled_on_once() -> None:
    play = first_round(manila())
    assert len(board(play, 3)) == 1
    assert play.send("card.turned", zone="board:3", card=None, face="up").told == []


def test_the_cap_is_over_with_its_round() -> None:
    play = first_round(manila())
    board(play, 3)
    assert play.core.round.betting is not None
    assert play.core.round.betting.cap is BetCap.MINIMUM
    play.close()
    assert play.core.round.betting.cap is None


def test_overruled_the_cap_is_lifted() -> None:
    play = first_round(manila())
    ruling = play.card("board:3", face="up").ruling
    play.decide("overrule", ruling=ruling["id"], outcome="play_on")
    assert play.acts("1 bet 5000").told == []


def test_without_keypad_the_director_is_called_and_the_card_stays() -> None:
    play = dealt(manila())
    play.close()
    board(play, 2)
    assert board(play, 3) == ["board_early: call_floor"]
    play.decide("resume")
    play.close()
    assert play.phase == "betting.3"


# -- the cap itself


@pytest.mark.parametrize(
    ("cap", "level", "bet_made", "least", "top"),
    [
        (BetCap.LARGEST, 0, False, 2500, 0),
        (BetCap.LARGEST, 5000, True, 2500, 5000),
        (BetCap.LARGEST, None, True, 2500, None),
        (BetCap.MINIMUM, 0, False, 2500, 2500),
        (BetCap.MINIMUM, 1000, True, 2500, 2500),
        (BetCap.MINIMUM, 5000, True, 2500, 5000),
        (BetCap.MINIMUM, None, True, 2500, 2500),
        (BetCap.MINIMUM, 0, False, None, None),
        (BetCap.MINIMUM, 5000, True, None, 5000),
    ],
)
def test_up_to_what_a_bet_may_be_brought(
    cap: BetCap, level: int | None, bet_made: bool, least: int | None, top: int | None
) -> None:
    assert highest(cap, level, bet_made=bet_made, least=least) == top


def betting(cap: BetCap, *, least: int | None = BLIND) -> Betting:
    made = Betting([1, 2, 3], Terms(least_bet=least))
    made.open_street("2", capped=True)
    made.cap = cap
    return made


def test_with_no_bet_made_a_bet_goes_back_whole_and_counts_as_a_check() -> None:
    made = betting(BetCap.LARGEST)
    assert act(made, 1, "bet", 2500) == [Finding.OVER_LIMIT]
    assert (made.level, made.players[1].total, made.to_act()) == (0, 0, 2)
    assert act(made, 2, "check", None) == []


def test_a_bet_above_the_minimum_is_brought_down_to_it() -> None:
    made = betting(BetCap.MINIMUM)
    assert act(made, 1, "bet", 5000) == [Finding.OVER_LIMIT]
    assert (made.level, made.players[1].total, made.to_act()) == (2500, 2500, 2)
    assert act(made, 2, "raise", 5000) == [Finding.OVER_LIMIT]
    assert made.players[2].total == 2500
    assert act(made, 3, "call", 2500) == []
    assert made.to_act() is None


def test_all_in_above_the_cap_leaves_chips_behind() -> None:
    made = betting(BetCap.MINIMUM)
    assert act(made, 1, "all_in", 4000) == [Finding.OVER_LIMIT]
    assert not made.players[1].all_in
    assert act(made, 2, "all_in", 2500) == []
    assert made.players[2].all_in


def test_an_all_in_below_the_minimum_may_be_raised_to_it() -> None:
    made = betting(BetCap.MINIMUM)
    act(made, 1, "all_in", 1000)
    assert act(made, 2, "raise", 5000) == [Finding.OVER_LIMIT]
    assert made.level == 2500


def test_an_opening_bet_of_no_known_amount_is_not_judged_by_the_minimum() -> None:
    made = betting(BetCap.MINIMUM, least=None)
    assert act(made, 1, "bet", None) == []
    assert act(made, 2, "raise", None) == [Finding.OVER_LIMIT]
