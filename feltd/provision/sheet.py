"""The sheet of tables, a CSV: its lines and cells, and what is wrong with it as a sheet."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toml_text.faults import Problem
from toml_text.words import did_you_mean

OPTION: Final = "option:"
"""How the column of a rulebook's option begins; the option's name follows."""
TABLE, NAME, RULEBOOK, SEATS, PAGE = FIXED = ("table", "name", "rulebook", "seats", "page")
"""The columns that each sheet has."""
MOST_BYTES: Final = 1_000_000
"""A sheet of a thousand tables has a third of it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the sheet that has a table: its cells by column, without blanks at their ends.

    `line`: where it begins, counted from 1.
    """

    line: int
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet that was read. `columns`: in their order. `problems`: of the sheet's form.

    A line whose cells are more or fewer than the columns is among the problems and not among the rows.
    """

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]

    def problem(self, line: int | None, column: str, text: str) -> Problem:
        """A fault in a cell, with the column's name and its letter in a spreadsheet; `column` may be empty."""
        return Problem(self.file, line, _place(self.columns, column), text)


def read_sheet(content: bytes, file: str, devices: Sequence[str]) -> Sheet:
    """Read a CSV with commas or semicolons, as its first line has them.

    `file`: its name in messages. `devices`: the names that may be columns, beside the fixed ones and options. A line
    without a cell that says something is passed over.
    """
    try:
        text = content[:MOST_BYTES].decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        return _unread(file, line, "this is not UTF-8: save the file as CSV UTF-8")
    if len(content) > MOST_BYTES:
        return _unread(file, None, f"more than {MOST_BYTES} bytes: this is no sheet of tables")
    if "\0" in text:
        return _unread(file, text.count("\n", 0, text.index("\0")) + 1, "a byte 0: this is no CSV")
    first = text.partition("\n")[0]
    semicolons = first.count(";") > first.count(",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if semicolons else ",", strict=True)
    lines: list[tuple[int, list[str]]] = []
    try:
        begins = 1
        for cells in reader:
            lines.append((begins, [cell.strip() for cell in cells]))
            begins = reader.line_num + 1
    except csv.Error as fault:
        return _unread(file, begins, f"this is no CSV: {fault}; a quote within quotes is written twice")
    lines = [(line, cells) for line, cells in lines if any(cells)]
    if not lines:
        return _unread(file, None, f"it is empty: the first line names the columns: {', '.join((*FIXED, *devices))}")
    return _sheet(file, lines, devices)


def _sheet(file: str, lines: list[tuple[int, list[str]]], devices: Sequence[str]) -> Sheet:
    (heading, columns), *rest = lines
    while columns and not columns[-1]:
        columns.pop()
    problems = [Problem(file, heading, _place(columns, key), text) for key, text in _of_columns(columns, devices)]
    rows = []
    for line, cells in rest:
        while len(cells) > len(columns) and not cells[-1]:
            cells.pop()
        if len(cells) != len(columns):
            few = "a comma in a cell needs quotes around the cell" if len(cells) > len(columns) else "add the others"
            problems.append(Problem(file, line, "", f"{len(cells)} cells for {len(columns)} columns: {few}"))
        else:
            rows.append(Row(line, dict(zip(columns, cells, strict=True))))
    if not rest:
        problems.append(Problem(file, None, "", "no table: each line after the first is one"))
    return Sheet(file, tuple(columns), tuple(rows), tuple(problems))


def _of_columns(columns: Sequence[str], devices: Sequence[str]) -> Iterator[tuple[str, str]]:
    known = (*FIXED, *devices)
    for at, column in enumerate(columns):
        if not column:
            yield "", f"column {_letters(at)} has no name"
        elif column in columns[:at]:
            yield column, "this column is there twice"
        elif column not in known and not (column.startswith(OPTION) and column != OPTION):
            words = f"no such column{did_you_mean(column, known)} (there are: {', '.join(known)}, {OPTION}NAME)"
            yield column, words
    yield from (("", f'the column "{column}" is missing') for column in FIXED if column not in columns)


def _unread(file: str, line: int | None, text: str) -> Sheet:
    return Sheet(file, (), (), (Problem(file, line, "", text),))


def _place(columns: Sequence[str], column: str) -> str:
    return f"{column} (column {_letters(columns.index(column))})" if column and column in columns else column


def _letters(at: int) -> str:
    """The letters of a column as spreadsheets have them, `at` counted from 0."""
    letters = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
