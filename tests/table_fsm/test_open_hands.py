"""Who shows the most in stud: open cards by what is alike, then by rank."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.poker.hands.open_hands import low_open_hand, open_hand, suited_card
from table_fsm.poker.hands.order import hand_order


@pytest.mark.parametrize(
    "lowest_first",
    [
        ["2c", "9h", "Td", "Ks", "Ah"],  # TAS 2018 B 11.1(a), ACT 2001 D 1.2
        ["3c 2d", "Ah 2c", "Ah Kc", "2h 2s", "Ah As"],
        ["Ah Kh Qh", "2c 2d 3h", "2c 2d Kh", "3c 3d 2h", "2c 2d 2h"],  # three of a suit in a row are no more than cards
        ["Ah Kh Qh Jh", "2c 2d Ah Kh", "2c 2d 3h 3s", "2c 2h Ah Ad", "2c 2d 2h 3s", "3c 3d 3h 2s", "2c 2d 2h 2s"],
    ],
)
def test_the_highest_hand_showing(lowest_first: list[str]) -> None:  # TAS 2018 B 11.2(a)
    hands = [open_hand(cards.split()) for cards in lowest_first]
    assert hands == sorted(hands)
    assert len(set(hands)) == len(hands)


def test_equal_cards_are_equal_whatever_their_suits_and_order() -> None:
    assert open_hand(["As", "2h", "2d"]) == open_hand(["2c", "Ad", "2s"])


@pytest.mark.parametrize(
    ("with_joker", "same_as"),
    [
        ("Jo", "As"),
        ("Kd Jo", "Kd Ks"),
        ("9h Jo 8d", "9h 9s 8d"),
        ("8d 9h Jo 8c", "8d 8s 8c 9h"),
        ("9h 9s 9d Jo", "9h 9s 9d 9c"),
    ],
)
def test_the_joker_counts_with_the_best_of_the_others(with_joker: str, same_as: str) -> None:
    assert open_hand(with_joker.split()) == open_hand(same_as.split())


FOUR = st.lists(
    st.sampled_from([rank + suit for rank in "KQ98" for suit in "shdc"]), min_size=4, max_size=4, unique=True
)


@given(FOUR, FOUR)
def test_a_fifth_card_that_does_not_help_leaves_the_order_as_it_was(one: list[str], other: list[str]) -> None:
    """Kings, queens, nines and eights make no straight; the 2 is of another suit than the first card."""
    mine, theirs = open_hand(one), open_hand(other)
    first, second = (hand_order().best_high([*four, "2h" if four[0][1] == "s" else "2s"], ()) for four in (one, other))
    assert (mine < theirs) == (first < second)
    assert (mine == theirs) == (first == second)


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        ([], "an open hand of 0 cards"),
        (["As", "Ks", "Qs", "Js", "9s"], "an open hand of 5 cards"),
        (["As", "As"], "a card in it twice"),
        (["As", "Xx"], "no card"),
    ],
)
def test_what_is_no_open_hand_is_refused(cards: list[str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        open_hand(cards)


@pytest.mark.parametrize(
    "lowest_first",
    [
        ["Ah", "2c", "9h", "Td", "Ks"],
        ["Ah 2c", "2c 3d", "Ah Kc", "Qh Kc", "Ah As", "2h 2s"],
        ["5c 4d 2h", "6c 2d Ah", "6c 3d Ah", "Kh Qh Jh", "As Ac Kd", "2h 2s Ad", "As Ac Ad"],
    ],
)
def test_the_lowest_hand_showing_where_the_ace_is_low(lowest_first: list[str]) -> None:
    hands = [low_open_hand(cards.split()) for cards in lowest_first]
    assert hands == sorted(hands)
    assert len(set(hands)) == len(hands)


@pytest.mark.parametrize(("with_joker", "same_as"), [("Jo", "As"), ("Ah Jo", "Ah 2s"), ("Ah 2c 4d Jo", "Ah 2c 4d 3s")])
def test_the_joker_is_the_lowest_card_that_a_low_hand_lacks(with_joker: str, same_as: str) -> None:
    assert low_open_hand(with_joker.split()) == low_open_hand(same_as.split())


def test_single_cards_by_rank_with_the_ace_low_and_then_by_suit() -> None:
    lowest_first = ["Jo", "Ac", "Ad", "Ah", "As", "2c", "Ts", "Jc", "Kc", "Kd", "Kh", "Ks"]
    worths = [suited_card(card) for card in lowest_first]
    assert worths == sorted(worths)
    assert len(set(worths)) == len(worths)


@pytest.mark.parametrize("cards", [[], ["As"] * 2, ["1s"], ["As", "2s", "3s", "4s", "5s"]])
def test_what_is_no_low_open_hand(cards: list[str]) -> None:
    with pytest.raises(ValueError, match="open hand"):
        low_open_hand(cards)
