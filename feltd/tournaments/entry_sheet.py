"""Entries from a sheet: a CSV, a line for each entry. A sheet with faults gives none, and names each fault's line."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from floor_fsm.core.event import By
from floor_fsm.messages.entries import EntryTaken
from floor_fsm.state.entries import card_of
from toml_text.faults import Problem
from toml_text.words import did_you_mean

COLUMNS: Final = ("entry", "person", "name", "paid")
"""`paid` in cents."""
MOST_BYTES: Final = 2_000_000
"""A sheet of 10,000 entries has a third of it."""
_WORDS: Final[Mapping[str, str]] = {
    "entry": "a number from 1",
    "person": "the person's number at the house: letters, digits and hyphens, 40 at most",
    "name": "1 to 80 characters in one line",
    "paid": "whole cents",
}


@dataclass(frozen=True, slots=True)
class EntrySheet:
    """A sheet that was read: its events, or its faults. Where there is a fault there is no event.

    `lines`: the line of each event.
    """

    events: tuple[EntryTaken, ...]
    problems: tuple[Problem, ...]
    lines: tuple[int, ...] = ()


def read_entries(content: bytes, file: str, t: float, by: By) -> EntrySheet:
    """Read a CSV with commas or semicolons, as its first line has them.

    `file`: its name in messages. `t`: seconds of the tournament's clock; `by`: who imports it. A line without a cell
    that says something is passed over.
    """
    try:
        lines = _lines(content)
    except _UnreadError as fault:
        return EntrySheet((), (Problem(file, fault.line, "", str(fault)),))
    (first, columns), *rest = lines
    problems = [Problem(file, first, "", text) for text in _column_faults(columns)]
    events: list[EntryTaken] = []
    if problems:
        return EntrySheet((), tuple(problems))
    for line, cells in rest:
        if len(cells) != len(columns):
            few = "a comma in a name needs quotes around the cell" if len(cells) > len(columns) else "add the others"
            problems.append(Problem(file, line, "", f"{len(cells)} cells for {len(columns)} columns: {few}"))
            continue
        found = _event(dict(zip(columns, cells, strict=True)), t, by)
        if isinstance(found, EntryTaken):
            events.append(found)
        else:
            problems += [Problem(file, line, column, text) for column, text in found]
    problems += _twice(file, [line for line, _ in rest], events) if not problems else []
    if not rest:
        problems.append(Problem(file, None, "", "no entry: each line after the first is one"))
    if problems:
        return EntrySheet((), tuple(problems))
    return EntrySheet(tuple(events), (), tuple(line for line, _ in rest))


class _UnreadError(Exception):
    """A file that is no sheet. `line`: where, from 1; None for the whole."""

    def __init__(self, line: int | None, text: str) -> None:
        super().__init__(text)
        self.line = line


def _lines(content: bytes) -> list[tuple[int, list[str]]]:
    """The lines that say something, each with its number."""
    if len(content) > MOST_BYTES:
        raise _UnreadError(None, f"more than {MOST_BYTES} bytes: this is no sheet of entries")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise _UnreadError(line, "this is not UTF-8: save the file as CSV UTF-8") from None
    if "\0" in text:
        raise _UnreadError(text.count("\n", 0, text.index("\0")) + 1, "a byte 0: this is no CSV")
    first = text.partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",", strict=True
    )
    lines: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for cells in reader:
            lines.append((begins, [cell.strip() for cell in cells]))
            begins = reader.line_num + 1
    except csv.Error as fault:
        raise _UnreadError(begins, f"this is no CSV: {fault}; a quote within quotes is written twice") from None
    lines = [(line, cells) for line, cells in lines if any(cells)]
    if not lines:
        raise _UnreadError(None, f"it is empty: the first line names the columns: {', '.join(COLUMNS)}")
    return lines


def _column_faults(columns: list[str]) -> Iterator[str]:
    for at, column in enumerate(columns):
        if column not in COLUMNS:
            yield f"no such column: {column!r}{did_you_mean(column, COLUMNS)} (there are: {', '.join(COLUMNS)})"
        elif column in columns[:at]:
            yield f'the column "{column}" is there twice'
    yield from (f'the column "{column}" is missing' for column in COLUMNS if column not in columns)


def _event(cells: Mapping[str, str], t: float, by: By) -> EntryTaken | list[tuple[str, str]]:
    """The event of a line, or the faults of its cells by column."""
    wrong = [column for column in ("entry", "paid") if not (cells[column].isascii() and cells[column].isdigit())]
    if not wrong:
        try:
            return EntryTaken(
                t=t,
                by=by,
                entry=int(cells["entry"]),
                person=cells["person"],
                name=cells["name"],
                paid=int(cells["paid"]),
            )
        except ValidationError as error:
            wrong = [str(one["loc"][0]) for one in error.errors()]
    return [(column, f"{cells[column]!r} is not {_WORDS[column]}") for column in wrong]


def _twice(file: str, lines: list[int], events: list[EntryTaken]) -> Iterator[Problem]:
    """A number or a person that is in the sheet twice: the second line is named, and the first beside it."""
    for column in ("entry", "person"):
        seen: dict[object, int] = {}
        for line, event in zip(lines, events, strict=True):
            value = card_of(event.person) if column == "person" else event.entry
            if value in seen:
                yield Problem(file, line, column, f"{getattr(event, column)} is in line {seen[value]} too")
            seen.setdefault(value, line)
