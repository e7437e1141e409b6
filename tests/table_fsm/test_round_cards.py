"""A table opens, and is joined, only where the deck has cards for a full round."""

import pytest

from table_fsm.rulebook.round_cards import cards_needed
from tests.table_fsm.streams import Play, books


@pytest.mark.parametrize(
    ("book", "players", "burns", "cards"),
    [
        ("tas-2018-holdem", 10, 2, 31),
        ("act-2001-omaha", 10, 0, 45),
        ("act-2001-manila", 9, 1, 32),  # nothing is burnt
        ("act-2001-draw", 8, 1, 40),  # the draw has a rule of its own, B 2.6
        ("act-2001-stud7", 8, 1, 56),
        ("act-2019-uth", 6, 1, 19),
    ],
)
def test_the_cards_of_a_round_that_nobody_leaves(book: str, players: int, burns: int, cards: int) -> None:
    assert cards_needed(books()[book].book, players, burns) == cards


@pytest.mark.parametrize(
    ("book", "deck", "players", "burn"),
    [
        ("act-2001-omaha", 48, 10, 1),  # 48 cards
        ("act-2001-omaha", 44, 9, 1),
        ("act-2001-manila", 32, 9, None),
        ("act-2001-draw", 40, 8, None),
        ("act-2001-stud7", 32, 8, None),  # D 4.4 says what happens when they do not suffice
    ],
)
def test_a_deck_that_suffices_is_taken(book: str, deck: int, players: int, burn: int | None) -> None:
    play = Play(book)
    options = {} if burn is None else {"burn": burn}
    seats = list(range(1, players + 1))
    assert play.send("table.open", rulebook=book, options={"deck": deck, **options}, seats=seats, button=1).errors == []


def test_one_player_or_one_card_more_is_refused_and_the_joker_counts() -> None:
    def opens(deck: int, players: int, **options: object) -> bool:
        seats = list(range(1, players + 1))
        given = {"deck": deck, **options}
        opened = Play("act-2001-omaha").send(
            "table.open", rulebook="act-2001-omaha", options=given, seats=seats, button=1
        )
        return not opened.errors

    assert not opens(44, 10)
    assert not opens(44, 10, burn=0)  # 45 cards
    assert opens(44, 10, burn=0, joker=True)


def test_a_seat_is_not_taken_where_the_deck_has_no_cards_for_it() -> None:
    play = Play("act-2001-draw")
    seats = [1, 2, 3, 4, 5, 6, 7]
    play.send("table.open", rulebook="act-2001-draw", options={"deck": 36}, seats=seats, button=1)
    assert "8 players take 40 cards" in play.send("seat.in", seat=8).refusal
    play.send("seat.out", seat=1)
    assert play.send("seat.in", seat=8).errors == []
