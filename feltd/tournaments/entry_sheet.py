"""Entries from a sheet: a CSV, a line for each entry. A sheet with faults gives none, and names each fault's line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from feltd.text.catalogue import say
from feltd.text.csv_lines import UnreadError, csv_lines, text_of
from feltd.tournaments.likeness import Known, Likeness
from floor_fsm.core.event import By, Cents, EntryNumber
from floor_fsm.messages.entries import EntryTaken, Person, PersonName
from floor_fsm.state.entering import Wish
from floor_fsm.state.entries import card_of
from toml_text.faults import Problem
from toml_text.words import did_you_mean

COLUMNS: Final = ("entry", "person", "name", "paid")
"""`paid` in cents."""
ANOTHER: Final = "another"
"""A column that may be left out: `yes` where somebody has seen that this is another person than the one who is like."""
MOST_ENTRIES: Final = 5_000
MOST_BYTES: Final = 2_000_000
"""5,000 entries whose names have 80 letters of four bytes have less."""
_DIGITS_MOST: Final = 18
_T = TypeVar("_T")
_NUMBER: Final = TypeAdapter[int](EntryNumber)
_PERSON: Final = TypeAdapter[str](Person)
_NAME: Final = TypeAdapter[str](PersonName)
_PAID: Final = TypeAdapter[int](Cents)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a sheet, as far as its cells can be read. `event`: None where one of them cannot.

    `another`: whether the sheet says that this is another person than the one who is like.
    """

    line: int
    wish: Wish
    event: EntryTaken | None
    another: bool = False


@dataclass(frozen=True, slots=True)
class EntrySheet:
    """A sheet that was read: its lines, and every fault that the sheet alone shows."""

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]

    @property
    def events(self) -> tuple[EntryTaken, ...]:
        """The entries; none where there is a fault."""
        return () if self.problems else tuple(row.event for row in self.rows if row.event is not None)


def read_entries(content: bytes, file: str, t: float, by: By) -> EntrySheet:
    """Read a CSV with commas or semicolons, as its first line has them; the faults are in the language that is spoken.

    `file`: its name in messages. `t`: seconds of the tournament's clock; `by`: who imports it. A line without a cell
    that says something is passed over. A sheet that is too large is not read.
    """
    try:
        lines = _lines(content)
    except UnreadError as fault:
        return EntrySheet((), tuple(Problem(file, line, "", str(fault)) for line in fault.lines))
    (first, columns), *rest = lines
    problems = [Problem(file, first, "", text) for text in _column_faults(columns)]
    if not rest:
        problems.append(Problem(file, None, "", say("no entry: each line after the first is one")))
    if len(rest) > MOST_ENTRIES:
        words = say("{count} entries: a sheet has {most} at most, take it in parts", count=len(rest), most=MOST_ENTRIES)
        problems.append(Problem(file, None, "", words))
    if problems:
        return EntrySheet((), tuple(problems))
    rows, seen = list[Row](), _Seen(file)
    for line, cells in rest:
        if len(cells) != len(columns):
            problems.append(Problem(file, line, "", _another_count(len(cells), len(columns))))
            continue
        row, wrong = _row(line, dict(zip(columns, cells, strict=True)), t, by)
        rows.append(row)
        problems += [Problem(file, line, column, text) for column, text in wrong]
        problems += seen.faults_of(row)
    return EntrySheet(tuple(rows), tuple(problems))


def _lines(content: bytes) -> list[tuple[int, list[str]]]:
    """The lines that say something, each with its number."""
    if len(content) > MOST_BYTES:
        raise UnreadError(say("more than {most} bytes: this is no sheet of entries", most=MOST_BYTES), None)
    text = text_of(content)
    if "\0" in text:
        where = [line for line, told in enumerate(text.split("\n"), 1) if "\0" in told]
        raise UnreadError(say("a byte 0: this is no CSV"), *where)
    stripped = [(line, [cell.strip() for cell in cells]) for line, cells in csv_lines(text)]
    found = [(line, cells) for line, cells in stripped if any(cells)]
    if not found:
        columns = ", ".join(COLUMNS)
        raise UnreadError(say("it is empty: the first line names the columns: {columns}", columns=columns), None)
    return found


def _column_faults(columns: list[str]) -> Iterator[str]:
    there_are = (*COLUMNS, ANOTHER)
    for at, column in enumerate(columns):
        if column not in there_are:
            near, known = did_you_mean(column, there_are), ", ".join(there_are)
            yield say(
                "no such column: {column}{near} (there are: {known})", column=f"{column!r}", near=near, known=known
            )
        elif column in columns[:at]:
            yield say('the column "{column}" is there twice', column=column)
    yield from (say('the column "{column}" is missing', column=column) for column in COLUMNS if column not in columns)


def _another_count(cells: int, columns: int) -> str:
    if cells > columns:
        text = say("{cells} cells for {columns} columns: a comma in a name needs quotes around the cell",
                   cells=cells, columns=columns)  # fmt: skip
    else:
        text = say("{cells} cells for {columns} columns: add the others", cells=cells, columns=columns)
    return text


def _row(line: int, cells: Mapping[str, str], t: float, by: By) -> tuple[Row, list[tuple[str, str]]]:
    """A line, and the faults of its cells by column."""
    entry, paid = _whole(_NUMBER, cells["entry"]), _whole(_PAID, cells["paid"])
    person = _read(_PERSON, "".join(cells["person"].split()))
    name, another = _read(_NAME, cells["name"]), _yes_or_no(cells.get(ANOTHER, ""))
    wrong = {
        "entry": None if entry is not None else say("{cell} is not a number from 1", cell=_cell(cells, "entry")),
        "person": None if person is not None else say(
            "{cell} is not the person's number at the house: letters, digits and hyphens, 40 at most",
            cell=_cell(cells, "person"),
        ),
        "name": None if name is not None else say(
            "{cell} is not 1 to 80 characters in one line", cell=_cell(cells, "name")
        ),
        "paid": None if paid is not None else say("{cell} is not whole cents", cell=_cell(cells, "paid")),
        ANOTHER: None if another is not None else say("{cell} is not yes or no", cell=_cell(cells, ANOTHER)),
    }  # fmt: skip
    faults = [(column, text) for column in cells if (text := wrong[column]) is not None]
    wish = Wish(entry, person, name or "", paid)
    if faults:
        return Row(line, wish, None, another or False), faults
    said = {"entry": entry, "person": person, "name": name, "paid": paid, ANOTHER: another}
    return Row(line, wish, EntryTaken.model_validate({"t": t, "by": by, **said}), another or False), []


def _cell(cells: Mapping[str, str], column: str) -> str:
    return f"{cells[column]!r}"


def _whole(kind: TypeAdapter[int], cell: str) -> int | None:
    return _read(kind, int(cell)) if cell.isascii() and cell.isdigit() and len(cell) <= _DIGITS_MOST else None


def _read(kind: TypeAdapter[_T], cell: _T) -> _T | None:
    """The cell; None where it is not of this kind."""
    try:
        return kind.validate_python(cell)
    except ValidationError:
        return None


def _yes_or_no(cell: str) -> bool | None:
    return {"": False, "no": False, "yes": True}.get(cell.lower())


class _Seen:
    """The lines of a sheet so far: a number, a card or a person that comes again is named with the first line."""

    def __init__(self, file: str) -> None:
        self._file: Final = file
        self._entries: Final[dict[int, int]] = {}
        self._cards: Final[dict[str, int]] = {}
        self._people: Final = Likeness()

    def faults_of(self, row: Row) -> Iterator[Problem]:
        """The faults of the next line beside the lines before it."""
        entry, person, name = row.wish.entry, row.wish.person, row.wish.name
        if entry is not None:
            yield from self._twice(row.line, "entry", entry, self._entries.setdefault(entry, row.line))
        if person is None:
            return
        first = self._cards.setdefault(card_of(person), row.line)
        yield from self._twice(row.line, "person", person, first)
        for like in self._people.of(person, name)[: 0 if row.another or first != row.line else 1]:
            place = say("line {line}", line=like.mark)
            yield Problem(self._file, row.line, "person", perhaps_the_same(like.name, like.person, place))
        if name:
            self._people.add(Known(person, name, f"{row.line}"))

    def _twice(self, line: int, column: str, value: object, first: int) -> Iterator[Problem]:
        if first != line:
            yield Problem(self._file, line, column, say("{value} is in line {first} too", value=value, first=first))


def perhaps_the_same(name: str, card: str, place: str) -> str:
    """Of a line whose person is like another one: `place` says where that one stands."""
    return say(
        'perhaps the same person as {name}, card {card}, in {place}: where it is another one, the column "another" '
        "says yes",
        name=name, card=card, place=place,
    )  # fmt: skip
