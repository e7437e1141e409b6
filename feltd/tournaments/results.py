"""The results of a tournament: a line for each entry, with its place and its prize, for the cage and for the list."""

import csv
import io
from dataclasses import asdict, dataclass
from typing import Any, Final

from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.hands import Places
from floor_fsm.state.money import Money
from floor_fsm.tournament import Tournament

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula: a name must not be one."""


@dataclass(frozen=True, slots=True)
class Result:
    """An entry's result. `first` to `last`: its place, None while it has none.

    `prize`, `paid`: cents, and what the cage has paid of it.
    """

    first: int | None
    last: int | None
    entry: int
    person: str
    name: str
    standing: Standing
    provisional: bool
    prize: int
    paid: int = 0


def results(tournament: Tournament) -> list[Result]:
    """The results as they stand: who has a place first, the best first; then the others by entry."""
    parts = tournament.parts
    said, prizes, paid = parts.of(Places).said, parts.of(Money).told, parts.of(Money).paid
    found: list[Result] = []
    for entry in parts.of(Entries).by_number.values():
        finish, provisional = said.get(entry.number, (None, True))
        first, last = (None, None) if finish is None else (finish.first, finish.last)
        who = (entry.number, entry.person, entry.name, entry.standing)
        money = (prizes.get(entry.number, 0), paid.get(entry.number, 0))
        found.append(Result(first, last, *who, provisional, *money))
    return sorted(found, key=lambda one: (one.first is None, one.first or 0, one.entry))


def to_csv(found: list[Result]) -> str:
    """The results as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Result.__dataclass_fields__)
    for one in found:
        writer.writerow([as_cell(value) for value in asdict(one).values()])
    return text.getvalue()


def to_rows(found: list[Result]) -> list[dict[str, Any]]:
    """The results as JSON has them."""
    return [asdict(one) for one in found]


def as_cell(value: object) -> object:
    """A value as a cell of a sheet, which takes no text for a formula."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return value
    return f"'{value}" if value.startswith(FORMULA) or value.lstrip().startswith(FORMULA) else value
