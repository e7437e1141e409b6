"""The sheet of tables, a CSV: its lines and cells, and what is wrong with it as a sheet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from feltd.text.csv_lines import lines_and_faults, lines_no_utf8, no_utf8
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

    `line`: where it begins, counted from 1. `cut`: the columns that a line which is too short has no cell for.
    """

    line: int
    cells: dict[str, str]
    cut: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet that was read. `columns`: in their order. `problems`: of the sheet's form.

    A line with fewer cells than columns is among both: its cells are taken for the first ones. One with more is a row
    where its cells can be told apart all the same.
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
    if len(content) > MOST_BYTES:
        return _unread(file, None, f"more than {MOST_BYTES} bytes: this is no sheet of tables")
    text, problems = _decoded(content, file)
    if "\0" in text:
        words = "a byte 0: this is no CSV"
        return (
            _unread(file, text.count("\n", 0, text.index("\0")) + 1, words) if not problems else _only(file, problems)
        )
    lines, unread = _lines(text, file)
    if unread and (not lines or (unread[0].line or 0) < lines[0][0]):  # the columns' names are not known
        return _only(file, [*problems, *unread])
    if not lines:
        words = f"it is empty: the first line names the columns: {', '.join((*FIXED, *devices))}"
        return _unread(file, None, words)
    return _sheet(file, lines, devices, [*problems, *unread])


def _decoded(content: bytes, file: str) -> tuple[str, list[Problem]]:
    """The text, with a mark for each byte that is no UTF-8, and a problem for each line that has one."""
    problems = [Problem(file, line, "", no_utf8()) for line in lines_no_utf8(content)]
    return content.decode("utf-8-sig", errors="replace"), problems


def _lines(text: str, file: str) -> tuple[list[tuple[int, list[str]]], list[Problem]]:
    """The lines that say something, each with where it begins; a line that is no CSV is a problem, and left out."""
    lines, problems = list[tuple[int, list[str]]](), list[Problem]()
    for line, cells in lines_and_faults(text):
        if isinstance(cells, str):
            problems.append(Problem(file, line, "", cells))
        elif any(stripped := [cell.strip() for cell in cells]):
            lines.append((line, stripped))
    return lines, problems


def _sheet(file: str, lines: list[tuple[int, list[str]]], devices: Sequence[str], unread: Sequence[Problem]) -> Sheet:
    """`unread`: what is wrong with lines that cannot be read, or not well."""
    (heading, columns), *rest = lines
    while columns and not columns[-1]:
        columns.pop()
    problems = [*unread]
    problems += [Problem(file, heading, _place(columns, key), text) for key, text in _of_columns(columns, devices)]
    rows = []
    for line, cells in rest:
        while len(cells) > len(columns) and not cells[-1]:
            cells.pop()
        if len(cells) != len(columns):
            few = "a comma in a cell needs quotes around the cell" if len(cells) > len(columns) else "add the others"
            problems.append(Problem(file, line, "", f"{len(cells)} cells for {len(columns)} columns: {few}"))
        told = _list_in_one_cell(cells) if len(cells) > len(columns) else cells
        if len(told) == len(columns) or len(cells) < len(columns):
            rows.append(Row(line, dict(zip(columns, told, strict=False)), frozenset(columns[len(told) :])))
    if not rest and not unread:
        problems.append(Problem(file, None, "", "no table: each line after the first is one"))
    return Sheet(file, tuple(columns), tuple(rows), tuple(problems))


def _list_in_one_cell(cells: Sequence[str]) -> list[str]:
    """The cells, each list in brackets as one: without quotes its commas have parted it.

    >>> _list_in_one_cell(["7", "[100", "200]", "S1"])
    ['7', '[100, 200]', 'S1']
    """
    whole: list[str] = []
    for cell in cells:
        if whole and whole[-1].startswith("[") and "]" not in whole[-1]:
            whole[-1] += f", {cell}"
        else:
            whole.append(cell)
    return whole


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
    return _only(file, [Problem(file, line, "", text)])


def _only(file: str, problems: Sequence[Problem]) -> Sheet:
    """A sheet of which nothing can be read but what is wrong with it."""
    return Sheet(file, (), (), tuple(problems))


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
