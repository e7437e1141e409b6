"""The number of undealt cards that the shoe counts as they are shuffled in the round."""

import pytest

from tests.table_fsm.streams import Play, holdem

SHORT = ["short_deck: stop_table"]
TOO_MANY = ["foreign_card: stop_table"]


def card_taken_back() -> Play:
    """Three hands of two cards; a card that came too soon has left the board again: 46 are undealt with it."""
    play = holdem((1, 2, 3))
    play.hands()
    play.card("board:1", face="up")
    play.fetch("board:1")
    return play


def stub(play: Play, count: int | None) -> list[str]:
    return play.send("stub.shuffled", count=count).told


@pytest.mark.parametrize(("count", "told"), [(45, SHORT), (46, []), (47, TOO_MANY), (None, [])])
def test_it_is_the_deck_but_for_the_cards_on_the_table(count: int | None, told: list[str]) -> None:
    assert stub(card_taken_back(), count) == told


@pytest.mark.parametrize(("count", "told"), [(44, SHORT), (45, []), (46, []), (47, TOO_MANY)])
def test_a_card_that_nobody_saw_leave_the_board_may_have_gone_in(count: int, told: list[str]) -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.card("board:1", face="up")
    assert stub(play, count) == told


@pytest.mark.parametrize(("count", "told"), [(45, SHORT), (46, []), (47, []), (48, TOO_MANY)])
def test_a_card_taken_up_from_a_live_hand_may_have_gone_in(count: int, told: list[str]) -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.fetch("seat:3")
    assert stub(play, count) == told


def test_the_cards_of_a_folded_hand_have_not_gone_in() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.acts("1 fold")
    for _ in range(2):
        play.fetch("seat:1")
    assert stub(play, 46) == []
    assert stub(play, 48) == TOO_MANY


def test_it_is_told_once_a_round() -> None:
    play = card_taken_back()
    assert stub(play, 40) == SHORT
    assert stub(play, 40) == []


@pytest.mark.parametrize("missed", ["a reader was away", "the shoe has a fault"])
def test_it_is_not_judged_where_a_card_may_have_been_missed(missed: str) -> None:
    play = card_taken_back()
    if missed == "a reader was away":
        play.send("device.state", device="reader", online=False)
    else:
        play.send("shoe.fault", kind="double_feed", deck="blue")
    assert stub(play, 40) == []


def test_it_is_not_judged_where_the_cards_are_in_doubt_already() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.send("shoe.card", card="Jo", deck="blue")
    assert play.place("board:1", "Jo", "up").told != []
    assert stub(play, 40) == []
