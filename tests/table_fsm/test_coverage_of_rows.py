"""Every row of every book that a table may open with is shown by at least one drill."""

from functools import cache
from pathlib import Path

import pytest

from feltd.books.coverage import CannotCome, Heard, RowCoverage, coverage, shipped_exceptions
from feltd.books.drill import find_drills
from table_fsm.rulebook import Rulebook
from tests.table_fsm.streams import books

pytestmark = pytest.mark.slow  # the drills themselves: tests/test_drills.py

DRILLS = Path(__file__).parent.parent / "drills"


@cache
def heard_in_drills() -> Heard:
    heard = Heard()
    for path in find_drills([DRILLS]):
        heard.play(path, books())
    return heard


def in_words(covered: RowCoverage) -> str:
    row = covered.row
    conditions = ", ".join(f"{fact}={'|'.join(values)}" for fact, values in row.when.items())
    return f"{row.rule} {row.irregularity} {conditions}"


@pytest.mark.parametrize("book", [pytest.param(book, id=name) for name, book in sorted(books().items())])
def test_every_row_of_the_book_is_shown_by_a_drill(book: Rulebook) -> None:
    rows = list(coverage(book, heard_in_drills(), shipped_exceptions()))
    missing = [in_words(covered) for covered in rows if covered.missing]
    assert missing == [], f"{len(missing)} rows of {book.id} that no drill shows:\n" + "\n".join(missing)


def test_every_drill_from_which_this_is_known_passes() -> None:
    assert [str(result) for result in heard_in_drills().failed] == []


@pytest.mark.parametrize("exception", shipped_exceptions(), ids=lambda one: f"{one.book}-{one.irregularity}")
def test_what_is_said_not_to_come_is_a_row_and_does_not_come(exception: CannotCome) -> None:
    book = books()[exception.book]
    rows = [row for row in book.rulings if exception.covers(book.id, row)]
    assert rows
    assert [heard_in_drills().showing(row, book.id) for row in rows] == [()] * len(rows)


def test_rows_of_a_book_differ_in_what_a_ruling_tells_of_them() -> None:
    for book in books().values():
        told = [(row.irregularity, row.rule, row.text) for row in book.rulings]
        assert len(set(told)) == len(told), sorted({row for row in told if told.count(row) > 1})
