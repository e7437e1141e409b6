"""Card names and decks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.cards import DECK_SIZES, JOKER, RANKS, SUITS, full_deck, is_card_name


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
