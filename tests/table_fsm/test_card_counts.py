"""Who is left to win where a hand holds the wrong number of cards, by the book's own word."""

import pytest

from table_fsm.play.deal import counts
from table_fsm.poker.betting.state import Betting
from tests.table_fsm.streams import Play


@pytest.mark.parametrize(
    ("book", "left"),
    [
        ("tas-2018-holdem", "last_fold"),  # 19.15
        ("act-2001-omaha", "last_fold"),  # 17.8
        ("tas-2018-stud5", "nobody"),  # 17.3 does not say
        ("star-2025-holdem", "nobody"),
        ("onyx-cash", "nobody"),
    ],
)
def test_the_last_to_fold_wins_where_the_book_says_so(book: str, left: str) -> None:
    play = Play(book)
    play.open((1, 2, 3))
    play.core.round.betting = betting = Betting([1, 2, 3])
    betting.fold(3)
    assert counts.left_to_win(play.core, [1]) == "others"
    assert counts.left_to_win(play.core, [1, 2]) == left


def test_where_nobody_has_folded_nobody_is_left() -> None:
    play = Play("tas-2018-holdem")
    play.open((1, 2, 3))
    play.core.round.betting = Betting([1, 2, 3])
    assert counts.left_to_win(play.core, [1, 2, 3]) == "nobody"
