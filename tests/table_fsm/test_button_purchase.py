"""Buying the button in a cash game."""

import pytest

from table_fsm.core.standing import SeatRecord
from tests.table_fsm.streams import Play
from tests.table_fsm.test_dead_button import fold_round


def waiting(book: str = "onyx-cash") -> Play:
    """A round played with the button at 6; seat 2 has sat down behind the button's next place, seat 1."""
    play = Play(book)
    play.open((1, 3, 4, 6), button=6, blinds=[100, 200])
    play.shuffle(cut=False)
    play.post(100, 200)
    play.hands()
    fold_round(play)
    play.end()
    play.send("seat.in", seat=2)
    play.shuffle(cut=False)
    return play


def test_both_blinds_buy_it_and_the_small_one_is_dead() -> None:
    play = waiting()
    play.acts("2 post 100", "2 post 200")
    assert play.prompt == {"deal": "seat:2", "face": "down"}
    play.to(2, 3, 4, 6, 1, 2, 3, 4, 6, 1)
    betting = play.core.round.betting
    assert betting is not None
    assert (betting.dead, betting.level, betting.players[2].total) == (100, 200, 200)
    assert betting.to_act() == 3


@pytest.mark.parametrize("posts", [("2 post 200",), ("2 post 100",), ()])
def test_less_than_both_buys_nothing(posts: tuple[str, ...]) -> None:
    play = waiting()
    play.acts(*posts)
    assert play.core.standing.seats[2].waits


def test_in_a_tournament_nothing_is_bought() -> None:
    play = waiting("onyx-tournament")
    play.acts("2 post 100", "2 post 200")
    assert play.core.standing.seats[2].waits


def test_after_a_misdeal_it_is_to_be_bought_again() -> None:
    play = waiting()
    play.acts("2 post 100", "2 post 200")
    assert play.to(4).told == ["dealt_wrong_first_seat: misdeal"]
    assert play.core.standing.seats[2].waits


def test_one_player_buys_it() -> None:
    play = waiting()
    play.core.standing.seats[5] = SeatRecord(waits=True)
    play.acts("2 post 300")
    assert "bought by seat 2" in play.send("action", seat=5, action="post", cents=300).refusal
