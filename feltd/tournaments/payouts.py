"""What the cage pays out: a line for each entry with a prize, room for tax and signatures; whether it is the pool."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from feltd.text.catalogue import say
from feltd.tournaments.results import Result, as_cell, results
from floor_fsm.core.parts import Parts
from floor_fsm.state.entries import Entries
from floor_fsm.state.hands import Places, left
from floor_fsm.state.money import Money, amounts_of, pool_of
from floor_fsm.state.opening import Opening, opened
from floor_fsm.state.refunds import Refunds
from floor_fsm.tournament import Tournament

COLUMNS: Final = (
    "place", "entry", "person", "name", "amount", "paid", "tax", "net", "identity", "received_by", "paid_by", "date",
)  # fmt: skip
"""From `tax` on they are the operator's: feltd knows no tax law, and nobody has signed yet."""


@dataclass(frozen=True, slots=True)
class Back:
    """What goes back for an entry, and what the cage has given back of it; cents."""

    entry: int
    person: str
    name: str
    due: int
    paid: int


@dataclass(frozen=True, slots=True)
class Payouts:
    """The payouts of a tournament as they stand. Amounts in cents.

    `lines`: who has a prize, the best first. `pool`: what there is to pay out. `why_not`: in words, why the lines
    are not the pool, or may not be yet; empty where they are. `refunds`: what goes back beside them.
    """

    title: str
    lines: tuple[Result, ...]
    pool: int
    why_not: tuple[str, ...]
    refunds: tuple[Back, ...] = ()

    @property
    def sum(self) -> int:
        """Of all lines."""
        return sum(one.prize for one in self.lines)

    @property
    def paid(self) -> int:
        """What the cage has paid of it."""
        return sum(one.paid for one in self.lines)


def payouts(tournament: Tournament) -> Payouts:
    """What the cage pays out, in the language that is spoken."""
    parts = tournament.parts
    lines = tuple(one for one in results(tournament) if one.prize or one.paid)
    found = Payouts(opened(parts).name, lines, pool_of(parts), ())
    return Payouts(found.title, lines, found.pool, tuple(_why_not(tournament, found)), tuple(_backs(parts)))


def _backs(parts: Parts) -> Iterator[Back]:
    refunds, entries = parts.of(Refunds), parts.of(Entries).by_number
    for number, due in sorted(refunds.due.items()):
        yield Back(number, entries[number].person, entries[number].name, due, refunds.paid.get(number, 0))


def _why_not(tournament: Tournament, found: Payouts) -> list[str]:
    parts, why = tournament.parts, list[str]()
    if parts.of(Opening).cancelled:
        return [say("the tournament was called off: nobody has a prize")]
    if not parts.of(Entries).closed:
        why.append(say("late entry is not over: the pool grows yet"))
    unset = why_no_amounts(parts)
    if unset is not None:
        why.append(unset)
    playing = len(left(parts))
    if playing > 1 and parts.of(Money).chop is None:
        why.append(say("{playing} entries are not out: their places are not known", playing=playing))
    soft = sorted(entry for entry, (_, provisional) in parts.of(Places).said.items() if provisional)
    if soft:
        why.append(say("places that may still change: entries {entries}", entries=", ".join(map(str, soft))))
    if found.sum != found.pool and not why:
        why.append(say("nobody may have a prize of some places: who had them was disqualified"))
    return why


def why_no_amounts(parts: Parts) -> str | None:
    """Why nobody knows what each place gets, in the language that is spoken; None where it is known."""
    if amounts_of(parts):
        return None
    places, entries = len(parts.of(Money).percent or ()), parts.of(Entries).counted
    if places > entries:
        return say("{places} places are to be paid, and there are {entries} entries", places=places, entries=entries)
    return say("nobody has said yet what each place gets")


def to_csv(found: Payouts) -> str:
    """The payouts as CSV: the lines, then their sum, the pool and what is not in the lines, what goes back, reasons."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in found.lines:
        row = [_place(one), one.entry, one.person, one.name, one.prize, one.paid]
        writer.writerow([*map(as_cell, row), *("" for _ in COLUMNS[len(row) :])])
    for words, cents, paid in (
        ("sum", found.sum, found.paid), ("pool", found.pool, ""), ("left", found.pool - found.sum, ""),
    ):  # fmt: skip
        writer.writerow([words, "", "", "", cents, paid, *("" for _ in COLUMNS[6:])])
    for back in found.refunds:
        row = ["refund", back.entry, back.person, back.name, back.due, back.paid]
        writer.writerow([*map(as_cell, row), *("" for _ in COLUMNS[len(row) :])])
    for why in found.why_not:
        writer.writerow(["note", "", "", as_cell(why), *("" for _ in COLUMNS[4:])])
    return text.getvalue()


def to_json(found: Payouts) -> dict[str, Any]:
    """The payouts as JSON has them. What is the operator's to fill in is null."""
    return {
        "title": found.title,
        "lines": [
            {
                "place": _place(one), "entry": one.entry, "person": one.person, "name": one.name, "amount": one.prize,
                "paid": one.paid, **dict.fromkeys(COLUMNS[6:]),
            }
            for one in found.lines
        ],
        "sum": found.sum,
        "paid": found.paid,
        "pool": found.pool,
        "left": found.pool - found.sum,
        "refunds": [
            {"entry": one.entry, "person": one.person, "name": one.name, "amount": one.due, "paid": one.paid}
            for one in found.refunds
        ],
        "adds_up": not found.why_not,
        "why_not": list(found.why_not),
    }  # fmt: skip


def _place(one: Result) -> str:
    if one.first is None:
        return ""
    return f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
