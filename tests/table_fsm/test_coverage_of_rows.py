"""Every row of every book that a table may open with is shown by at least one drill."""

from pathlib import Path

import pytest

from feltd.books.coverage import CannotCome, Heard, RowCoverage, coverage, shipped_exceptions
from feltd.books.drill import find_drills
from table_fsm.rulebook.model import Row
from tests.table_fsm.streams import books

pytestmark = pytest.mark.slow  # the drills themselves: tests/test_drills.py

DRILLS = Path(__file__).parent.parent / "drills"


def of(exception: CannotCome) -> list[Row]:
    """The rows of which it speaks."""
    return [row for row in books()[exception.book].rulings if exception.covers(exception.book, row)]


def in_words(covered: RowCoverage) -> str:
    row = covered.row
    conditions = ", ".join(f"{fact}={'|'.join(values)}" for fact, values in row.when.items())
    return f"{row.rule} {row.irregularity} {conditions}"


def test_every_row_of_every_book_is_shown_by_a_drill_or_said_not_to_come_and_does_not() -> None:
    """One test: each process of pytest-xdist that had a part of it would play all drills for its part."""
    heard = Heard()
    for path in find_drills([DRILLS]):
        heard.play(path, books())
    assert [str(result) for result in heard.failed] == []
    exceptions = shipped_exceptions()
    missing = [
        f"{name}: {in_words(covered)}"
        for name, book in sorted(books().items())
        for covered in coverage(book, heard, exceptions)
        if covered.missing
    ]
    assert missing == [], f"{len(missing)} rows that no drill shows:\n" + "\n".join(missing)
    came = [
        f"{one.book} {one.irregularity}" for one in exceptions if any(heard.showing(row, one.book) for row in of(one))
    ]
    assert came == [], "said not to come, and shown by a drill"


@pytest.mark.parametrize("exception", shipped_exceptions(), ids=lambda one: f"{one.book}-{one.irregularity}")
def test_what_is_said_not_to_come_is_a_row(exception: CannotCome) -> None:
    assert of(exception)


def test_rows_of_a_book_differ_in_what_a_ruling_tells_of_them() -> None:
    for book in books().values():
        told = [(row.irregularity, row.rule, row.text) for row in book.rulings]
        assert len(set(told)) == len(told), sorted({row for row in told if told.count(row) > 1})
