"""A league: points by place over the results of several tournaments. A player is a card number, never a name."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from feltd.text.catalogue import say
from feltd.text.csv_lines import UnreadError, csv_lines, text_of
from feltd.tournaments.results import FORMULA, Result, as_cell
from floor_fsm.state.entries import ALIVE, Standing, card_of
from toml_text.faults import Problem

COLUMNS: Final = tuple(Result.__dataclass_fields__)
MOST_BYTES: Final = 2_000_000
_Cells: TypeAlias = tuple[tuple[str, ...], ...]
_PLAYING: Final = frozenset(standing.value for standing in ALIVE)


@dataclass(frozen=True, slots=True)
class Finish:
    """Where a person ended in a tournament: the places `first` to `last`, shared where they differ."""

    person: str
    name: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A tournament's results: a finish for each person, the best one of who entered again."""

    finishes: tuple[Finish, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A person in the league. `tournaments`: with a place; `counted`: of these, how many the points are of."""

    first: int
    last: int
    person: str
    name: str
    points: Fraction
    tournaments: int
    counted: int


def _read(content: bytes, file: str) -> tuple[Sheet, _Cells]:
    """Read a CSV that `feltd tournament results` wrote, and its cells. `file`: its name in messages.

    A place that may still change is a fault. Who withdrew, or never came, has no finish.
    """
    try:
        lines = _lines(content)
    except UnreadError as fault:
        return Sheet((), (Problem(file, fault.lines[0], "", str(fault)),)), ()
    best: dict[str, Finish] = {}
    problems: list[Problem] = []
    for line, row in lines:
        fault_at = next(_faults_of(row), None)
        if fault_at is not None:
            problems.append(Problem(file, line, *fault_at))
        elif row["first"]:
            found = Finish(as_text(row["person"]), as_text(row["name"]), int(row["first"]), int(row["last"]))
            known = best.setdefault(card_of(found.person), found)
            if (found.first, found.last) < (known.first, known.last):
                best[card_of(found.person)] = found
    if not problems and not best:
        problems.append(Problem(file, None, "", say("nobody has a place in these results")))
    sheet = Sheet(() if problems else tuple(best.values()), tuple(problems))
    return sheet, tuple(tuple(row.values()) for _, row in lines)


def read_sheets(files: Sequence[tuple[bytes, str]]) -> list[Sheet]:
    """Read several results, with their names; a file that says the same as one before it would count twice.

    A spreadsheet may have saved one of the two with other line ends, quotes or delimiters.
    """
    sheets: list[Sheet] = []
    before: dict[_Cells, str] = {}
    for content, file in files:
        sheet, cells = _read(content, file)
        if not sheet.problems and cells in before:
            words = say("the same results as {other}: they would count twice, leave one out", other=before[cells])
            sheet = Sheet((), (Problem(file, None, "", words),))
        before.setdefault(cells, file)
        sheets.append(sheet)
    return sheets


def league(tournaments: Sequence[Sequence[Finish]], points: Sequence[int], best: int | None = None) -> list[Ranked]:
    """Everybody who has a place, the most points first; who has as many shares the place.

    `points`: for the places from 1; the places after them have none. Who share places share the points of these, to a
    fraction. `best`: how many of a person's tournaments count at most, those with the most points. A name is written
    as in the last of the tournaments.
    """
    scores: dict[str, list[Fraction]] = {}
    named: dict[str, Finish] = {}
    for finishes in tournaments:
        for finish in finishes:
            card = card_of(finish.person)
            scores.setdefault(card, []).append(points_of(finish, points))
            named[card] = finish
    sums = {card: sum(sorted(of, reverse=True)[:best], Fraction(0)) for card, of in scores.items()}
    ranked: list[Ranked] = []
    for card in sorted(sums, key=lambda card: (-sums[card], card)):
        first = 1 + sum(other > sums[card] for other in sums.values())
        last = sum(other >= sums[card] for other in sums.values())
        played = len(scores[card])
        counted = played if best is None else min(best, played)
        ranked.append(Ranked(first, last, named[card].person, named[card].name, sums[card], played, counted))
    return ranked


def points_of(finish: Finish, points: Sequence[int]) -> Fraction:
    """What a finish brings: the mean of the points of its places."""
    places = finish.last - finish.first + 1
    return Fraction(sum(points[finish.first - 1 : finish.last]), places)


def to_csv(found: Sequence[Ranked]) -> str:
    """The league as CSV; points with two decimals where they are not whole."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Ranked.__dataclass_fields__)
    for row in to_rows(found):
        writer.writerow([as_cell(value) for value in row.values()])
    return text.getvalue()


def to_rows(found: Sequence[Ranked]) -> list[dict[str, Any]]:
    """The league as JSON has it. Points are rounded here alone: the places are of the fractions."""
    return [
        {
            "first": one.first, "last": one.last, "person": one.person, "name": one.name, "points": _shown(one.points),
            "tournaments": one.tournaments, "counted": one.counted,
        }
        for one in found
    ]  # fmt: skip


def as_text(cell: str) -> str:
    """A cell's text without the apostrophe that kept a spreadsheet from taking it for a formula (`as_cell`)."""
    told = cell[1:]
    return told if cell.startswith("'") and told.lstrip().startswith(FORMULA) else cell


def _shown(points: Fraction) -> int | float:
    return points.numerator if points.denominator == 1 else round(float(points), 2)


def _lines(content: bytes) -> list[tuple[int, dict[str, str]]]:
    """The lines after the first, each with its number."""
    if len(content) > MOST_BYTES:
        raise UnreadError(say("more than {most} bytes: these are no results", most=MOST_BYTES), None)
    lines = csv_lines(text_of(content))
    if tuple(next(lines, (1, []))[1]) != COLUMNS:
        raise UnreadError(_not_results(), 1)
    return [(line, _by_column(cells, line)) for line, cells in lines if any(cells)]


def _not_results() -> str:
    return say(
        "these are no results: the first line is {columns}, as `feltd tournament results` writes it without --json",
        columns=",".join(COLUMNS),
    )


def _by_column(cells: list[str], line: int) -> dict[str, str]:
    if len(cells) != len(COLUMNS):
        words = say("{cells} cells for {columns} columns: write the results again", cells=len(cells),
                    columns=len(COLUMNS))  # fmt: skip
        raise UnreadError(words, line)
    return dict(zip(COLUMNS, cells, strict=True))


def _faults_of(row: dict[str, str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a line, by column."""
    first, last, standing = row["first"], row["last"], row["standing"]
    if standing not in list(Standing):
        yield "standing", say("{cell} is no standing of an entry: write the results again", cell=f"{standing!r}")
    if not card_of(row["person"]):
        yield "person", say("nobody's number: write the results again")
    if standing in _PLAYING and not first:
        yield "first", say("this entry has no place yet: take the results once the tournament is over")
    if first and row["provisional"] != "no":
        yield "provisional", say("this place may still change: take the results once the tournament is over")
    if (first or last) and not (_is_place(first) and _is_place(last) and int(first) <= int(last)):
        yield "first", say("{first} to {last} is no place: write the results again", first=f"{first!r}",
                           last=f"{last!r}")  # fmt: skip


def _is_place(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and len(cell) <= 5 and int(cell) > 0
