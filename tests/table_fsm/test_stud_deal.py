"""Cards to the players on every street: in order, out of order, seen, missing, and too few of them."""

from collections.abc import Sequence
from typing import Any

import pytest

from table_fsm.table import Table
from tests.table_fsm.streams import Answer, Play, books
from tests.table_fsm.stud_streams import Dealer, street, stud7, third

DOORS = ("9s", "4d", "Kh", "5c")


def on_fourth() -> Play:
    play = stud7()
    third(play, *DOORS)
    play.acts("2 bet 500", "3 call 500", "4 call 500", "1 call 500")
    play.close()
    return play


def on_seventh(seats: Sequence[int] = (1, 2, 3, 4), **options: Any) -> Play:
    """Nothing is keyed: each round closed by the dealer."""
    play = stud7(seats, **options)
    third(play)
    play.close()
    for _ in range(3):
        street(play, play.order)
        play.close()
    assert play.phase == "dealing.seventh"
    return play


def test_the_prompt_says_to_whom_and_how() -> None:
    play = stud7(button=3)
    asked = [play.to(seat).prompt or {} for seat in (3, 4, 1, 2) * 2]
    assert [f"{p['deal']} {p['face']}" for p in asked] == [
        f"seat:{seat} {face}" for seat, face in zip((4, 1, 2, 3, 4, 1, 2, 3), ["down"] * 7 + ["up"], strict=True)
    ]


def test_a_first_card_shown_turns_the_player_s_faces_round() -> None:
    play = stud7()
    play.to(1)
    assert play.card("seat:2", "2c", "up").told == ["first_card_up: next_cards_down"]
    play.to(3, 4, 1, 2, 3, 4)
    assert play.prompt == {"deal": "seat:1", "face": "up"}
    assert play.card("seat:1", "9s", "up").prompt == {"deal": "seat:2", "face": "down"}
    assert play.card("seat:2").prompt == {"deal": "seat:3", "face": "up"}


def test_overruled_the_faces_are_as_ever() -> None:
    play = stud7()
    play.to(1)
    play.card("seat:2", "2c", "up")
    play.decide("overrule", ruling=1, outcome="play_on")
    play.to(3, 4, 1, 2, 3, 4)
    play.card("seat:1", "9s", "up")
    assert play.prompt == {"deal": "seat:2", "face": "up"}


def test_a_card_to_a_seat_outside_the_round_is_one_fault_however_it_lies() -> None:
    play = on_fourth()
    assert play.card("seat:7", "2h", "up").told == ["extra_hand: reconstruct"]
    assert play.card("seat:7", "3h", "up").told == []


def test_a_fold_in_the_deal_is_passed_over() -> None:
    play = on_fourth()
    street(play, [1])
    assert play.acts("2 fold").told == []
    assert play.prompt == {"deal": "seat:3", "face": "up"}
    assert street(play, [3, 4]).told == []
    assert play.phase == "betting.fourth"


def test_the_last_one_due_folds_and_the_betting_opens() -> None:
    play = on_fourth()
    street(play, [1, 2, 3])
    assert play.acts("4 fold").phase == "betting.fourth"


def test_all_others_fold_in_the_deal() -> None:
    play = on_fourth()
    street(play, [1])
    assert play.acts("2 fold", "3 fold", "4 fold").told == []
    assert play.phase == "settling"


def test_a_player_who_leaves_in_the_deal_gets_no_card() -> None:
    play = on_fourth()
    street(play, [1, 2])
    assert play.send("seat.out", seat=3).told == []
    assert street(play, [4]).phase == "betting.fourth"


def test_bets_wait_for_the_cards() -> None:
    play = on_fourth()
    street(play, [1])
    assert "still being dealt" in play.acts("1 check").refusal
    assert "still being dealt" in play.close().refusal


def test_a_seat_whose_cards_are_gone_may_be_passed_over_or_not() -> None:
    play = on_fourth()
    for _ in range(3):
        play.fetch("seat:3")
    passed = stud7()
    third(passed, *DOORS)
    for _ in range(3):
        passed.fetch("seat:3")
    passed.close()
    assert street(passed, [1, 2, 4]).told == []
    assert passed.phase == "betting.fourth"
    betting = passed.core.round.betting
    assert betting is not None
    assert betting.live == [1, 2, 4]


def test_the_missing_card_may_come_late() -> None:
    play = on_fourth()
    street(play, [1, 2, 3])
    assert play.acts("1 check").told == ["player_missed: reconstruct"]
    assert street(play, [4]).told == []
    assert play.acts("2 check").told == []


def test_cards_too_soon_are_those_of_the_next_street() -> None:
    play = stud7()
    third(play, *DOORS)
    play.acts("2 bet 500", "3 call 500", "4 call 500")
    assert street(play, [1]).told == ["board_premature: call_floor"]
    assert street(play, [2]).told == []
    play.decide("play_on")
    play.acts("1 call 500")
    assert play.close().prompt == {"deal": "seat:3", "face": "up"}


def test_the_last_hole_card_seen_is_told_once() -> None:
    play = on_seventh()
    play.to(1, 2, 3)
    assert play.expose("seat:3").told == ["final_hole_exposed: open_final_round"]
    assert play.expose("seat:3").told == []
    play.to(4)
    assert play.prompt == {"act": 3, "owes": 0}


def test_the_floor_may_say_that_it_opens_nothing() -> None:
    play = on_seventh()
    play.to(1, 2, 3)
    play.expose("seat:3")
    play.to(4)
    before = play.prompt
    play.decide("overrule", ruling=1, outcome="play_on")
    assert before == {"act": 3, "owes": 0}
    assert play.prompt != before


def test_two_players_and_the_opener_taps_out() -> None:
    play = on_seventh([1, 2])
    play.card("seat:1", face="up")
    play.to(2)
    assert play.acts("1 check").prompt == {"close": "betting"}
    assert play.acts("2 check").told == []
    assert play.close().phase == "showdown"


def test_who_has_tapped_out_acts_no_more_and_keeps_a_place() -> None:
    play = on_seventh(tournament=True)
    play.card("seat:1", face="up")  # not the first of this deal to come face up in the pack: the dealer's doing
    play.to(2, 3, 4)
    play.acts("1 check", "2 bet 500", "3 fold", "4 call 500")
    assert "acts no more" in play.acts("1 call 500").refusal


@pytest.mark.parametrize("players", [7, 8])
def test_the_cards_suffice_for_seven(players: int) -> None:
    play = stud7(range(1, players + 1))
    third(play)
    play.close()
    for _ in range(2):
        street(play, play.order)
        play.close()
    street(play, play.order)
    told = ["insufficient_cards: final_card_communal"] if players == 8 else []
    assert play.close().told == told
    assert play.prompt == ({"deal": "board:1", "face": "up"} if told else {"deal": "seat:1", "face": "down"})


def short_of_cards() -> Play:
    play = stud7(range(1, 9))
    dealer = Dealer(play, 3)
    while play.phase != "dealing.seventh":
        dealer.round(lambda seat, owed: f"call {owed}" if owed else "bet 500", most=1)
    return play


def test_a_centre_card_laid_face_down_opens_the_betting_when_turned() -> None:
    play = short_of_cards()
    play.card("board:1", None)
    assert play.phase == "dealing.seventh"
    assert play.send("card.turned", zone="board:1", card=None, face="up").phase == "betting.seventh"


def test_a_centre_card_that_no_reader_saw() -> None:
    play = short_of_cards()
    assert play.close().errors == []
    assert play.phase == "showdown"


def test_the_floor_may_have_the_last_cards_dealt_all_the_same() -> None:
    play = short_of_cards()
    play.decide("overrule", ruling=1, outcome="play_on")
    assert play.prompt == {"deal": "seat:1", "face": "down"}
    assert play.card("seat:1", None).told == []


def test_open_cards_stand_in_the_view_and_hole_cards_do_not() -> None:
    play = on_fourth()
    street(play, [1], "2h")
    first = play.view["seats"][0]
    assert first["cards"] == 4
    assert first["tabled"] == ["9s", "2h"]


def test_a_table_restored_between_two_rounds_deals_the_next() -> None:
    play = stud7()
    third(play, *DOORS)
    play.acts("2 fold", "3 fold", "4 fold")
    play.end()
    play.table = Table.restore(books(), play.table.snapshot())
    play.shuffle()
    assert play.prompt is not None
    assert third_again(play).phase == "betting.third"


def third_again(play: Play) -> Answer:
    play.order = [2, 3, 4, 1]  # the buck has passed on
    return third(play, *DOORS)
