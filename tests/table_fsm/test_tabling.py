"""All in and nothing left to bet: hands lie open before the next card of the board (The Star 7.28, 7.29)."""

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Play

STAR = "star-2025-holdem"


def table(*actions: str, book: str = STAR) -> Play:
    """Blinds 100 and 200, hands dealt; seat 3 acts first."""
    play = Play(book)
    play.open(blinds=[100, 200])
    play.shuffle(cut=book != STAR)
    play.hands()
    play.acts(*actions)
    return play


def all_in(book: str = STAR) -> Play:
    return table("3 all_in 5000", "4 fold", "5 call 5000", "1 fold", "2 fold", book=book)


def test_the_dealer_is_asked_for_the_hands_that_lie_down() -> None:
    play = all_in()
    assert play.prompt == {"show": [3, 5]}
    play.turn("seat:3")
    assert play.prompt == {"show": [5]}
    play.turn("seat:5")
    assert play.prompt == {"burn": 1}


def test_the_first_card_after_the_call_is_told_and_that_is_its_burn() -> None:
    play = all_in()
    play.close()
    assert play.burn().told == ["not_tabled: warn"]
    cards = [play.card(f"board:{place}", face="up") for place in (1, 2, 3)]
    assert play.all([*cards, play.street(4)]).told == []


def test_a_card_that_comes_face_down_counts_when_it_shows() -> None:
    play = all_in()
    play.close()
    assert play.card("board:1").told == []
    assert play.turn("board:1").told == ["not_tabled: warn", "burn_missing: call_floor"]


def test_another_fault_of_the_same_card_is_told_beside_the_hands() -> None:
    play = all_in()
    play.close()
    assert play.card("board:1", face="up").told == ["not_tabled: warn", "burn_missing: call_floor"]
    assert play.card("board:2", face="up").told == []


def test_while_two_can_bet_nothing_is_asked() -> None:
    play = table("3 all_in 500", "4 call 500", "5 call 500", "1 fold", "2 fold")
    play.close()
    assert play.flop().told == []


def test_a_book_that_shows_at_the_end_asks_for_nothing() -> None:
    play = all_in(book="tas-2018-holdem")
    play.close()
    assert play.prompt == {"burn": 1}
    assert play.flop().told == []


def test_hand_for_hand_the_hands_stay_down() -> None:
    play = all_in()
    play.core.standing.tournament.hand_for_hand = True
    play.close()
    assert "not_tabled: warn" not in play.flop().told


@pytest.mark.parametrize("how", ["fold", "muck"])
def test_a_hand_dealt_to_one_player_alone_and_given_up_at_the_showdown_is_theirs(how: str) -> None:
    play = Play("onyx-cash")
    play.open((1, 2), button=2, blinds=[100, 200])
    play.send("seat.away", seat=2)
    play.shuffle()
    play.to(1)
    play.decide("play_on")
    play.to(1)
    play.to_showdown()
    answer = play.acts("1 fold") if how == "fold" else play.all([play.fetch("seat:1"), play.place("muck", None)])
    assert answer.errors == []
    assert [one["winners"] for one in answer.of(Kind.SHOWDOWN)] == [[1]]
    assert play.prompt == {"collect": True}
    assert play.end().errors == []
