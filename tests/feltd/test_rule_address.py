"""Each row of a rulebook has an address of its own on the book's page, and a ruling leads to the row that gave it."""

import re

import pytest

from feltd.books.html import SERVED, RulePages, clause_lists
from feltd.text.rule_address import row_address, row_addresses
from tests.table_fsm.streams import books


@pytest.mark.parametrize("book", sorted(books()))
def test_every_row_has_an_address_and_only_rows_that_say_the_same_share_that_of_their_rulings(book: str) -> None:
    rows = books()[book].rulings
    addresses = row_addresses((row.rule, row.text) for row in rows)
    assert len(set(addresses)) == len(rows)
    for row, address in zip(rows, addresses, strict=True):
        ruled = addresses.index(row_address(row.rule, row.text))
        assert (rows[ruled].rule, rows[ruled].text) == (row.rule, row.text)
        assert address.startswith(addresses[ruled])


def test_the_page_of_a_book_has_the_address_at_the_row() -> None:
    page = RulePages(books(), clause_lists(), SERVED).book("tas-2018-holdem")
    assert page is not None
    told = dict(re.findall(r'<tr id="(row-[0-9a-f]{8})">(.*?)</tr>', page, re.DOTALL))
    rows = books()["tas-2018-holdem"].rulings
    assert told.keys() == {row_address(row.rule, row.text) for row in rows}
    for row in rows:
        assert f">{row.rule}<" in told[row_address(row.rule, row.text)]
