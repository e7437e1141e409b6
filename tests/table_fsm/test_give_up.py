"""A street on which players give up cards: where a book may have one, and what is made of it."""

import pytest

from feltd.books.print.printer import print_book
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.checker import check_book
from table_fsm.rulebook.model import Book, DealStep, Street
from table_fsm.rulebook.round_cards import cards_needed
from tests.table_fsm.streams import books

GIVE_UP = DealStep(to="discards", cards=1)
OPEN = DealStep(to="discards", cards=1, face="up")
FLOP = DealStep(to="board", cards=3, face="up")
OWN = DealStep(to="seats", cards=1)


def holdem(holes: int, *, at: int = 1, deal: tuple[DealStep, ...] = (GIVE_UP, FLOP)) -> Book:
    """No Limit Hold'em with so many hole cards and this deal on the street of that index."""
    book = books()["act-2001-holdem-no-limit"].book
    streets = list(book.streets)
    for index, legs in ((0, (DealStep(to="seats", cards=holes),)), (at, deal)):
        old = streets[index]
        streets[index] = Street(name=old.name, burn=old.burn, opener=old.opener, deal=legs)
    return book.model_copy(update={"streets": tuple(streets)})


def faults(book: Book) -> list[str]:
    return [fault for fault in check_book(Rulebook(book)) if fault.startswith(("streets", "hands"))]


def test_of_three_hole_cards_one_is_given_up() -> None:
    book = holdem(3)
    assert faults(book) == []
    assert faults(holdem(4, deal=(DealStep(to="discards", cards=2), FLOP))) == []
    assert cards_needed(book, 10, 1) == 38
    assert "burn as many cards as the option `burn` says; each player gives up one of their cards, face down" in (
        print_book(Rulebook(book)).lower()
    )


def test_as_many_must_be_left_as_a_hand_is_made_of() -> None:
    for holes, deal in ((3, (FLOP,)), (4, (GIVE_UP, FLOP))):
        assert [fault.split(":")[0] for fault in faults(holdem(holes, deal=deal))] == ["hands.selection"]


@pytest.mark.parametrize(
    ("at", "deal"),
    [
        (0, (GIVE_UP, DealStep(to="seats", cards=3))),
        (1, (FLOP, GIVE_UP)),
        (1, (OPEN, FLOP)),
        (1, (GIVE_UP, OWN, FLOP)),
        (2, (GIVE_UP,)),
    ],
)
def test_only_as_the_first_leg_of_a_later_street_with_a_board(at: int, deal: tuple[DealStep, ...]) -> None:
    said = [fault for fault in faults(holdem(3, at=at, deal=deal)) if "discards" in fault or "give up" in fault]
    assert said
    assert all("players give up cards before the burn and the board of a later street" in fault for fault in said)
