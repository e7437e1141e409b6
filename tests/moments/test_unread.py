"""A table whose readers name no card that lies face down or leaves: what is put right brings no further ruling.

There the table must tell by itself which card was taken back. Where it takes another for it, a whole hand counts as one
with a card too many at the showdown.
"""

from dataclasses import replace

import pytest

from feltd.books.moments.faults.all_faults import BY_KEY
from feltd.books.moments.matrix import Matrix, matrix
from feltd.books.moments.setting import Setting
from table_fsm.rulebook import Rulebook
from tests.table_fsm.streams import books

PUT_RIGHT = tuple(
    BY_KEY[key]
    for key in (
        "hole_exposed.dealt",
        "dealt_out_of_turn",
        "dealt_out_of_turn.up",
        "boxed_card.dealt",
        "boxed_card",
        "boxed_card.betting",
        "burn_exposed.dealt",
    )
)
"""Faults by which a card that all have seen is taken back, moved, shuffled in, used, or waits in the dealer's hand."""


def _played(book: Rulebook, *, names: bool, shoe_names: bool = False) -> Matrix:
    usual = replace(Setting(book), names=names, shoe_names=shoe_names)
    return matrix(book, books(), PUT_RIGHT, among=lambda name: "/" not in name, usual=usual)


@pytest.mark.slow
@pytest.mark.parametrize(
    "book", ["act-2001-draw", "act-2001-stud7", "onyx-tournament", "tas-2018-holdem", "tas-2018-stud5"]
)
def test_the_same_comes_later_where_no_reader_names_a_card(book: str) -> None:
    read, unread = (_played(books()[book], names=names) for names in (True, False))
    later = {(cell.fault, cell.moment): cell.later for cell in read.ruled}
    assert len(later) > 20
    assert {(cell.fault, cell.moment): cell.later for cell in unread.ruled} == later


@pytest.mark.slow
@pytest.mark.parametrize("book", ["onyx-tournament", "tas-2018-stud5"])
def test_the_same_comes_later_where_the_shoe_alone_names_the_cards(book: str) -> None:
    read, named = (_played(books()[book], names=not shoe, shoe_names=shoe) for shoe in (False, True))
    later = {(cell.fault, cell.moment): cell.later for cell in read.ruled}
    assert {(cell.fault, cell.moment): cell.later for cell in named.ruled} == later
