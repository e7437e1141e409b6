"""Which drills reach which rows of the rulebooks.

A ruling tells its row by irregularity, clause and text: within a book no two rows have all three alike. A row of the
book's own file is shown by a drill of that book; a row that stands once in a shared base, by a drill of any book that
stands on it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from feltd.books.drill import DrillResult, run_drill
from feltd.books.shipped import CANNOT_COME, exceptions_text
from feltd.text.errors import FeltdError
from table_fsm.events import Event
from table_fsm.outputs import Output, Ruling
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.table import Table
from toml_text.faults import Places
from toml_text.lines import locate
from toml_text.schema import schema_faults
from toml_text.syntax import TomlSyntaxError, read_toml

Shown: TypeAlias = tuple[str, str, str]
"""Irregularity, clause and text of a ruling."""


class CoverageError(FeltdError):
    """The list of rows that cannot come is not as it should be."""


class CannotCome(BaseModel):
    """A row that no drill can show, and why."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    book: str
    irregularity: Irregularity = Field(strict=False)
    rule: str | None = None
    """Its clause, where the irregularity has other rows too."""
    outcome: Outcome | None = Field(default=None, strict=False)
    """Its outcome, where the clause has other rows too."""
    text: str | None = None
    """Its text, where the outcome has other rows too."""
    reason: str = Field(min_length=5)

    def covers(self, book: str, row: Row) -> bool:
        """Whether the exception speaks of this row of this book."""
        of_row = self.rule in (None, row.rule) and self.outcome in (None, row.outcome)
        return (self.book, self.irregularity) == (book, row.irregularity) and of_row and self.text in (None, row.text)


class _Exceptions(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    row: list[CannotCome] = []


@dataclass(frozen=True, slots=True)
class RowCoverage:
    """A row and the drills that show it.

    `source`: the book whose file holds it; `cannot_come`: why no drill can show it.
    """

    book: str
    source: str
    row: Row
    drills: tuple[Path, ...]
    cannot_come: str | None

    @property
    def missing(self) -> bool:
        """Whether no drill shows the row and no exception covers it."""
        return not self.drills and self.cannot_come is None

    def as_json(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "book": self.book,
            "source": self.source,
            "rule": self.row.rule,
            "irregularity": str(self.row.irregularity),
            "when": {fact: list(values) for fact, values in self.row.when.items()},
            "outcome": str(self.row.outcome),
            "drills": [str(path) for path in self.drills],
            "cannot_come": self.cannot_come,
            "missing": self.missing,
        }


class Heard:
    """The rulings that drills brought about, by book, each with its drills."""

    def __init__(self) -> None:
        self._drills: dict[str, dict[Shown, list[Path]]] = defaultdict(dict)
        self.failed: list[DrillResult] = []
        """Drills that the table does not answer as they expect: what was ruled in them shows nothing."""

    def play(self, path: Path, rulebooks: Mapping[str, Any]) -> None:
        """Play a drill and note its rulings.

        Raises DrillSyntaxError.
        """
        rulings: dict[tuple[str, Shown], None] = {}
        result = run_drill(path, rulebooks, lambda books: _Listener(books, rulings))
        if not result.passed:
            self.failed.append(result)
            return
        for book, shown in rulings:
            self._drills[book].setdefault(shown, []).append(path)

    def showing(self, row: Row, book: str | None) -> tuple[Path, ...]:
        """The drills that show a row, in this book; None: in any."""
        books = list(self._drills.values()) if book is None else [self._drills.get(book, {})]
        found = [path for drills in books for shown, paths in drills.items() if _is_shown(row, shown) for path in paths]
        return tuple(dict.fromkeys(found))


class _Listener:
    """A table that notes under which book each ruling was given."""

    def __init__(self, rulebooks: Mapping[str, Any], rulings: dict[tuple[str, Shown], None]) -> None:
        self._table = Table(rulebooks)
        self._rulings = rulings

    def apply(self, event: Event) -> list[Output]:
        outputs = self._table.apply(event)
        for output in outputs:
            if isinstance(ruling := output.value, Ruling):
                self._rulings[ruling.rulebook, (ruling.irregularity, ruling.rule, ruling.text)] = None
        return outputs


def coverage(book: Rulebook, heard: Heard, exceptions: Sequence[CannotCome]) -> Iterator[RowCoverage]:
    """Each row of a book, in the book's order, with the drills that show it.

    The book's own drills come first.
    """
    for row, source in zip(book.rulings, book.row_sources, strict=True):
        reason = next((exception.reason for exception in exceptions if exception.covers(book.id, row)), None)
        own = heard.showing(row, book.id)
        anywhere = () if own or reason or source == book.id else heard.showing(row, None)
        yield RowCoverage(book.id, source, row, own or anywhere, reason)


def shipped_exceptions() -> list[CannotCome]:
    """The rows of the shipped books that cannot come. Raises CoverageError, ShippedFilesError."""
    return read_exceptions(exceptions_text(), CANNOT_COME)


def read_exceptions(text: str, file: str) -> list[CannotCome]:
    """Rows that cannot come, from TOML. Raises CoverageError, which names every fault."""
    try:
        document = read_toml(text)
    except TomlSyntaxError as fault:
        raise CoverageError(f"{file}:{fault.line}: {fault}") from None
    try:
        return _Exceptions.model_validate(document).row
    except ValidationError as error:
        places, faults = Places(file, locate(text)), schema_faults(_Exceptions, document, error)
        raise CoverageError("\n".join(str(places.problem(fault.path, fault.what)) for fault in faults)) from None


def _is_shown(row: Row, shown: Shown) -> bool:
    irregularity, rule, text = shown
    return (rule, text) == (row.rule, row.text) and row.irregularity in (irregularity, ANY_IRREGULARITY)
