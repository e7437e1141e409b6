"""docs/rules.md shows the order of gravity of two books as `feltd rules BOOK --precedence` prints it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from feltd.books.print.printed_precedence import print_precedence
from tests.table_fsm.streams import books

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
_PLACE = re.compile(r"\| (\d+) +\| (.*?) +\| (.*) \|$", re.M)
_CLAUSE = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)$")


def in_short(book: str) -> Iterator[str]:
    """A line for each outcome: its place, its words, and the clauses of the rows that have it."""
    for place, outcome, faults in _PLACE.findall(print_precedence(books()[book])):
        clauses = [found[1] for fault in faults.split("; ") if (found := _CLAUSE.search(fault))]
        yield f"| {place} | {outcome} | {', '.join(dict.fromkeys(clauses))} |"


@pytest.mark.parametrize("book", ["tas-2018-holdem", "onyx-cash"])
def test_the_page_has_the_order_of_gravity_that_the_book_prints(book: str) -> None:
    lines = list(in_short(book))
    assert len(lines) > 10
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8"), "\n".join(lines)
