"""A folded player's hole card that is passed wrongly: face up, to another player, or shown."""

import pytest

from tests.table_fsm.streams import holdem
from tests.table_fsm.stud5_streams import StudPlay, stud_dealt

SHOWN = ["fold_exposed: show_card"]


def folded() -> StudPlay:
    """Seat 3 has folded its jack under a queen."""
    play = stud_dealt()
    play.acts("2 bet 500", "3 fold")
    return play


def test_the_hole_card_comes_to_the_discards_face_up() -> None:
    play = folded()
    play.fetch("seat:3", "Jh")
    answer = play.place("muck", "Jh", "up")
    assert answer.told == SHOWN
    assert answer.ruling["seat"] == 3


def test_face_down_is_in_order_and_so_is_the_open_card_face_up() -> None:
    play = folded()
    play.fetch("seat:3", "Jh")
    play.fetch("seat:3", "Qc")
    assert play.place("muck", "Jh").told == []
    assert play.place("muck", "Qc", "up").told == []


def test_mucked_face_up_with_no_fold_keyed_it_is_a_fold_and_passed_wrongly() -> None:
    play = stud_dealt()
    play.acts("2 bet 500")
    play.fetch("seat:3", "Jh")
    assert play.place("muck", "Jh", "up").told == SHOWN
    assert play.view["seats"][2]["folded"]


def test_a_reader_that_tells_it_twice_says_nothing_new() -> None:
    play = folded()
    play.fetch("seat:3", "Jh")
    assert play.place("muck", "Jh", "up").told == SHOWN
    assert play.place("muck", "Jh", "up").told == []


def test_passed_to_another_player_and_taken_from_there() -> None:
    play = folded()
    play.fetch("seat:3", "Jh")
    assert play.place("seat:4", "Jh").told == SHOWN
    play.fetch("seat:4", "Jh")
    assert play.place("muck", "Jh").told == []
    assert not play.view["seats"][3]["folded"]


@pytest.mark.parametrize("by", ["dealer", "player"])
def test_seen_where_it_lies(by: str) -> None:
    assert folded().expose("seat:3", by=by, card="Jh").told == SHOWN


def test_the_open_card_is_no_secret() -> None:
    assert folded().expose("seat:3", by="player", card="Qc").told == []


def test_turned_up_by_the_player() -> None:
    assert folded().send("card.turned", zone="seat:3", card="Jh").told == SHOWN


def test_a_player_still_in_who_shows_a_card_is_another_matter() -> None:
    play = stud_dealt()
    play.acts("2 bet 500")
    assert play.expose("seat:3", by="player", card="Jh").told == ["player_exposed: penalty_floor"]


def test_a_folded_card_is_guarded_after_the_last_fold_too() -> None:
    """A player protects the identity of their cards at all times (TAS C 18.4)."""
    play = folded()
    play.acts("4 fold", "1 fold")
    assert play.send("card.turned", zone="seat:3", card="Jh").told == SHOWN


def test_who_won_by_the_last_fold_may_show_their_cards() -> None:
    play = folded()
    play.acts("4 fold", "1 fold")
    [held] = [card for card in play.table.cards_by_zone()["seat:2"][:1] if card is not None]
    assert play.send("card.turned", zone="seat:2", card=held).told == []


def test_in_a_book_without_that_row_its_player_has_shown_the_fold() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.hands()
    card = play.core.round.tracker.names("seat:3")[0]
    play.acts("3 fold")
    play.fetch("seat:3", card)
    assert play.place("muck", card, "up").told == ["player_exposed: penalty_floor"]
