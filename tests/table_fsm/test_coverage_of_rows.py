"""Every row of every book that a table may open with is shown by at least one drill."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from feltd.drill import find_drills, run_drill
from table_fsm.events import Event
from table_fsm.outputs import Kind, Output
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.model import Row
from table_fsm.table import Table
from tests.table_fsm.streams import books

DRILLS = Path(__file__).parent.parent / "drills"

CANNOT_COME = {("act-2019-uth", "button_wrong"): "the game has no button"}
"""Rows of a shared base for something that a game does not have."""

Shown = tuple[str, str, str]
"""Irregularity, clause and text of a ruling."""


class Listener:
    """A table that notes under which book each ruling was given."""

    def __init__(self, rulebooks: Mapping[str, Any], heard: set[tuple[str, Shown]]) -> None:
        self._table = Table(rulebooks)
        self._heard = heard

    def apply(self, event: Event) -> list[Output]:
        outputs = self._table.apply(event)
        for output in outputs:
            if output.kind is Kind.RULING:
                ruling = output.value
                self._heard.add((ruling["rulebook"], (ruling["irregularity"], ruling["rule"], ruling["text"])))
        return outputs


@cache
def heard_in_drills() -> frozenset[tuple[str, Shown]]:
    heard: set[tuple[str, Shown]] = set()
    for path in find_drills([DRILLS]):
        run_drill(path, books(), lambda rulebooks: Listener(rulebooks, heard))
    return frozenset(heard)


def is_shown(row: Row, shown: set[Shown]) -> bool:
    if row.irregularity == "*":
        return any((rule, text) == (row.rule, row.text) for _, rule, text in shown)
    return (str(row.irregularity), row.rule, row.text) in shown


def conditions(row: Row) -> str:
    return ", ".join(f"{fact}={'|'.join(values)}" for fact, values in row.when.items())


@pytest.mark.parametrize("book", [pytest.param(book, id=name) for name, book in sorted(books().items())])
def test_every_row_of_the_book_is_shown_by_a_drill(book: Rulebook) -> None:
    own = {ruling for name, ruling in heard_in_drills() if name == book.id}
    anywhere = {ruling for _, ruling in heard_in_drills()}  # a row that stands once in a base is shown once
    missing = [
        f"{row.rule} {row.irregularity} {conditions(row)}"
        for row, source in zip(book.rulings, book.row_sources, strict=True)
        if (book.id, str(row.irregularity)) not in CANNOT_COME
        and not is_shown(row, own if source == book.id else anywhere)
    ]
    assert missing == [], f"{len(missing)} rows of {book.id} that no drill shows:\n" + "\n".join(missing)


def test_rows_of_a_book_differ_in_what_a_ruling_tells_of_them() -> None:
    for book in books().values():
        told = [(row.irregularity, row.rule, row.text) for row in book.rulings]
        assert len(set(told)) == len(told), sorted({row for row in told if told.count(row) > 1})
