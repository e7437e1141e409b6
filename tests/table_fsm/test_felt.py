"""Seats, zones, cards and decks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.felt import (
    BOARD,
    BOARD2,
    BOARD_ZONES,
    DECK_SIZES,
    JOKER,
    RACES,
    RANKS,
    SEAT_OF,
    SEAT_ZONE,
    SEATS,
    SUITS,
    ZONES,
    Worded,
    clockwise,
    full_deck,
    is_card_name,
)


def test_there_are_ten_seats_two_boards_and_the_places_of_the_pack() -> None:
    assert SEATS == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    assert BOARD == ("board:1", "board:2", "board:3", "board:4", "board:5")
    assert BOARD2[0] == "board2:1"
    assert {*BOARD, *BOARD2} == BOARD_ZONES
    assert RACES[-1] == "race:10"
    assert {"dealer", "burn", "muck", "shoe"} < ZONES
    assert len(ZONES) == 10 + 5 + 5 + 10 + 4


def test_seats_and_their_zones_name_each_other() -> None:
    assert {zone: seat for seat, zone in SEAT_ZONE.items()} == SEAT_OF
    assert SEAT_ZONE[10] == "seat:10"
    assert "dealer" not in SEAT_OF


@pytest.mark.parametrize(
    ("seats", "after", "order"),
    [
        ([1, 2, 3], 3, [1, 2, 3]),
        ([1, 2, 3], 1, [2, 3, 1]),
        ([7, 2, 9], 2, [7, 9, 2]),
        ([2, 7], 5, [7, 2]),  # the button's seat need hold nobody
        ([4], 4, [4]),
        ([], 4, []),
    ],
)
def test_clockwise_begins_behind_the_button_and_ends_with_it(seats: list[int], after: int, order: list[int]) -> None:
    assert clockwise(seats, after) == order


@pytest.mark.parametrize(
    ("size", "lowest"), [(52, "2"), (48, "3"), (44, "4"), (40, "5"), (36, "6"), (32, "7")], ids=str
)
def test_a_reduced_deck_loses_whole_ranks_from_the_two_up(size: int, lowest: str) -> None:
    deck = full_deck(size)
    assert len(deck) == size
    assert {card[0] for card in deck} == set(RANKS[RANKS.index(lowest) :])
    assert all(sum(1 for card in deck if card[1] == suit) == size // 4 for suit in SUITS)


@pytest.mark.parametrize("size", DECK_SIZES)
def test_the_joker_comes_on_top_of_the_size(size: int) -> None:
    assert full_deck(size, joker=True) == full_deck(size) | {JOKER}
    assert JOKER not in full_deck(size)


def test_the_thirty_two_run_from_seven_to_ace() -> None:
    assert {"7c", "Ts", "Ah"} <= full_deck(32)
    assert not {"2s", "6d"} & full_deck(32)


@pytest.mark.parametrize("size", [0, 31, 51, 53, 104])
def test_no_deck_of_another_size(size: int) -> None:
    with pytest.raises(ValueError, match=rf"deck of {size} cards: choose one of 52, 48, 44, 40, 36, 32"):
        full_deck(size)


def test_every_card_of_the_largest_deck_has_a_card_name() -> None:
    assert all(is_card_name(card) for card in full_deck(52, joker=True))


@pytest.mark.parametrize("text", ["", "A", "As ", "as", "AS", "sA", "10s", "1s", "Xx", "jo", "AsKs", "Joker", "null"])
def test_what_only_looks_like_a_card_is_none(text: str) -> None:
    assert not is_card_name(text)


@given(st.text(max_size=4))
def test_a_card_name_is_one_of_fifty_three(text: str) -> None:
    assert is_card_name(text) == (text in full_deck(52, joker=True))


def test_a_member_without_words_is_no_member() -> None:
    with pytest.raises(TypeError, match=r"^Light: red has no words$"):

        class Light(Worded):
            GREEN = "green", "go"
            RED = "red"
