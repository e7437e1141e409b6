"""Cards that went from one hand to another, and go back as a person decides."""

import pytest

from tests.table_fsm.streams import Play, holdem, uth, uth_dealt

MIXED = ["cards_mixed: call_floor"]


def moves(play: Play, card: str | None, before: str, here: str) -> list[str]:
    return play.all([play.fetch(before, card), play.place(here, card)]).told


def betting() -> Play:
    play = holdem((1, 2, 3))
    play.hands()
    play.acts("1 bet 1000", "2 call 1000")
    return play


def names(play: Play, *seats: int) -> list[str | None]:
    return [play.core.round.tracker.names(f"seat:{seat}")[0] for seat in seats]


@pytest.mark.parametrize("read", [True, False])
def test_a_card_goes_back_after_the_decision_and_the_next_one_mixed_is_told(read: bool) -> None:
    play = betting()
    card = names(play, 1)[0] if read else None
    assert moves(play, card, "seat:1", "seat:2") == MIXED
    play.decide("play_on", ruling=1)
    assert moves(play, card, "seat:2", "seat:1") == []
    assert moves(play, card, "seat:1", "seat:2") == MIXED


@pytest.mark.parametrize("read", [True, False])
def test_two_cards_exchanged_go_back_after_the_decision(read: bool) -> None:
    play = betting()
    one, two = names(play, 1, 2) if read else (None, None)
    assert moves(play, one, "seat:1", "seat:2") == MIXED
    assert moves(play, two, "seat:2", "seat:1") == []
    play.decide("confirm", ruling=1)
    assert moves(play, one, "seat:2", "seat:1") == []
    assert moves(play, two, "seat:1", "seat:2") == []


def test_a_card_that_went_on_to_a_third_hand_goes_back_to_its_own() -> None:
    play = betting()
    card = names(play, 1)[0]
    assert moves(play, card, "seat:1", "seat:2") == MIXED
    play.decide("play_on", ruling=1)
    assert moves(play, card, "seat:2", "seat:3") == MIXED
    play.decide("play_on", ruling=2)
    assert moves(play, card, "seat:3", "seat:1") == []


def test_another_card_of_the_same_two_hands_is_told() -> None:
    play = betting()
    one, two = names(play, 1, 2)
    assert moves(play, one, "seat:1", "seat:2") == MIXED
    play.decide("play_on", ruling=1)
    assert moves(play, two, "seat:2", "seat:1") == MIXED


def test_a_card_laid_on_the_board_goes_back_to_its_hand() -> None:
    play = betting()
    card = names(play, 1)[0]
    assert moves(play, card, "seat:1", "board:1") == MIXED
    play.decide("play_on", ruling=1)
    assert moves(play, card, "board:1", "seat:1") == []


def test_in_the_houses_game_a_card_goes_back_after_the_decision() -> None:
    play = uth_dealt(uth((1, 2)))
    card = names(play, 1)[0]
    assert moves(play, card, "seat:1", "seat:2") == MIXED
    play.decide("play_on", ruling=1)
    assert moves(play, card, "seat:2", "seat:1") == []
    assert moves(play, card, "seat:1", "seat:2") == MIXED
