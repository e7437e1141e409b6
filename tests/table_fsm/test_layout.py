"""The places on the felt, and the order in which cards go round."""

import pytest

from table_fsm.layout import BOARD, BOARD2, BOARD_ZONES, RACES, SEAT_OF, SEAT_ZONE, SEATS, ZONES, clockwise


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
