"""Cards that belong face up and come face down: when it is a fault, of whom, and until when."""

import pytest

from tests.table_fsm.streams import Answer, Play
from tests.table_fsm.stud5_streams import FIRST_UP, HOLES, stud
from tests.table_fsm.stud_streams import street, stud7, third

DOORS = ("9s", "4d", "Kh", "5c")
RECONSTRUCT = "open_card_down: reconstruct"
FLOOR = "open_card_down: call_floor"


def at_third_cards() -> Play:
    """Seven Card Stud, two hole cards dealt to each."""
    play = stud7()
    for seat in play.order * 2:
        play.card(f"seat:{seat}", None)
    return play


def turn(play: Play, zone: str, card: str) -> Answer:
    return play.send("card.turned", zone=zone, card=card, face="up")


def on_fourth() -> Play:
    play = stud7()
    third(play, *DOORS)
    play.acts("2 bet 500", "3 call 500", "4 call 500", "1 call 500")
    play.close()
    return play


def test_it_is_told_as_the_next_card_comes() -> None:
    play = at_third_cards()
    assert play.card("seat:1", "9s").told == []
    assert play.card("seat:2", "4d", "up").told == [RECONSTRUCT]
    assert play.card("seat:3", "Kh", "up").told == []


def test_turned_at_once_it_is_none() -> None:
    play = at_third_cards()
    play.card("seat:1", "9s")
    assert turn(play, "seat:1", "9s").told == []
    assert play.card("seat:2", "4d", "up").told == []


def test_the_last_one_is_told_as_the_opener_acts() -> None:
    play = at_third_cards()
    street(play, [1, 2, 3], "9s", "4d", "Kh")
    assert play.card("seat:4", "5c").prompt == {"open": "low_card"}
    assert play.acts("2 bet 500").told == [FLOOR]
    assert turn(play, "seat:4", "5c").told == []


def test_told_in_the_deal_it_is_told_once_more_as_the_betting_begins() -> None:
    play = on_fourth()
    play.card("seat:1", "2h")
    assert street(play, [2, 3, 4]).told == [RECONSTRUCT]
    assert play.acts("1 check").told == [FLOOR]
    assert play.acts("2 check").told == []


def test_decided_on_it_is_not_told_on_the_next_street() -> None:
    play = on_fourth()
    street(play, [1, 2, 3])
    play.card("seat:4", "5s")
    play.acts("1 check", "2 check", "3 check", "4 check")
    play.decide("play_on")
    play.close()
    assert street(play, [1, 2, 3, 4]).told == []


def test_closed_without_a_key_it_is_told_as_the_dealer_closes() -> None:
    play = stud7()
    third(play, *DOORS)
    play.close()
    street(play, [1, 2, 3])
    play.card("seat:4", "5s")
    assert play.close().told == [FLOOR]


def test_turned_before_anybody_acts_the_cards_say_who_opens() -> None:
    play = at_third_cards()
    street(play, [1], "9s")
    play.card("seat:2", "2d")
    street(play, [3, 4], "Kh", "5c")
    assert turn(play, "seat:2", "2d").prompt == {"act": 2, "owes": 0, "check": False}


def test_a_hole_card_turned_in_its_place_is_an_exposed_one() -> None:
    play = stud7()
    for seat, card in zip(play.order * 2, ("Ah", "4h", "Jh", "7d", "Jd", "6c", "Tc", "3h"), strict=True):
        play.card(f"seat:{seat}", card)
    play.card("seat:1", "9s")
    assert turn(play, "seat:1", "Ah").told == ["hole_exposed: call_floor"]
    assert play.card("seat:2", "4d", "up").told == [RECONSTRUCT]


@pytest.mark.parametrize("by", ["dealer", "player"])
def test_seen_it_shows_what_everybody_may_see(by: str) -> None:
    play = at_third_cards()
    play.card("seat:1", "9s")
    assert play.send("card.exposed", zone="seat:1", card="9s", by=by).told == []
    assert turn(play, "seat:1", "9s").told == []


def test_a_look_at_it_does_no_harm() -> None:
    play = at_third_cards()
    play.card("seat:1", "9s")
    play.card("seat:2", "4d", "up")
    assert play.send("hand.looked", seat=1).told == []


def test_a_player_who_folds_has_no_card_to_turn() -> None:
    play = on_fourth()
    play.card("seat:1", "2h")
    assert play.acts("1 fold").told == []
    assert street(play, [2, 3, 4]).told == []


def test_out_of_turn_it_is_turned_where_it_belongs() -> None:
    play = on_fourth()
    street(play, [1])
    assert play.card("seat:3", "2d").told == ["dealt_out_of_turn: reconstruct"]
    play.send("card.removed", zone="seat:3", card="2d")
    play.send("card.placed", zone="seat:2", card="2d", face="down", deck="blue")
    assert turn(play, "seat:2", "2d").told == []
    assert play.card("seat:3", "7s", "up").told == []


def test_a_card_that_came_too_soon_and_face_down_is_turned_up_too() -> None:
    play = on_fourth()
    street(play, [1, 2, 3, 4])
    assert play.card("seat:1", "2h").told == ["board_premature: call_floor"]
    play.decide("play_on")
    play.acts("1 check", "2 check", "3 check", "4 check")
    play.close()
    assert play.card("seat:2", "3h", "up").told == [RECONSTRUCT]


def test_five_card_stud_has_it_turned_up_too() -> None:
    play = stud()
    play.down(*HOLES)
    play.card("seat:1", FIRST_UP[0])
    assert play.up(*FIRST_UP[1:], seats=(2, 3, 4)).told == [RECONSTRUCT]
    assert turn(play, "seat:1", FIRST_UP[0]).prompt == {"act": 2, "owes": 0, "check": False}
    assert play.all_call().told == []


def test_after_a_first_card_that_came_open_the_second_belongs_face_down() -> None:
    play = stud()
    play.card("seat:1", HOLES[0], "up")
    play.down(*HOLES[1:], seats=(2, 3, 4))
    play.card("seat:1", FIRST_UP[0])
    assert play.up(*FIRST_UP[1:], seats=(2, 3, 4)).told == []
