"""Entries of a sheet at the desk: all of them are taken, or none."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Final

from feltd.door import CommandRefused
from feltd.door.commands import MovedOn
from feltd.door.pit.directing import DecidedBy
from feltd.page.pit.tournaments.asking import FloorTournaments, Known
from feltd.text.catalogue import refusal, say
from feltd.text.errors import FeltdError
from feltd.tournaments.entry_sheet import EntrySheet, perhaps_the_same, read_entries
from feltd.tournaments.likeness import Known as KnownPerson
from feltd.tournaments.likeness import Likeness
from floor_fsm.core.event import By
from floor_fsm.errors import Reason, Refused
from floor_fsm.lines import to_line
from floor_fsm.state.entering import require_open, rules_broken
from floor_fsm.state.entries import Entries
from floor_fsm.tournament import Tournament
from toml_text.faults import Problem

_COLUMNS: Final[Mapping[Reason, str]] = {
    Reason.WRONG_AMOUNT: "paid", Reason.BARRED: "person", Reason.FULL: "person", Reason.IN_PLAY_ALREADY: "person",
    Reason.NO_RE_ENTRY: "person",
}  # fmt: skip
"""The column that a rule is about; the number's where it is not here."""
_AGAIN: Final = 10
"""How often others may take a step while the sheet is looked through."""


class SheetFaults(FeltdError):  # noqa: N818 - it is an answer, not a failure
    """A sheet with faults: nothing of it was taken. `str()` has a line for each fault."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))


async def import_sheet(
    floor: FloorTournaments, tournament: str, expected: int, now: Known, sheet: str, by: DecidedBy
) -> tuple[int, list[int]]:
    """Take each entry of a sheet; return the tournament's number after it, and the entries.

    All are taken in one transaction, or none. Raises SheetFaults where a line has a fault or would be refused, also by
    what others have done meanwhile; CommandRefused where the desk has not seen the tournament as it is;
    StepNotKnownError where nobody knows whether all were taken.
    """
    if expected != now.seq:
        raise MovedOn(f"the tournament is at event {now.seq}, not at {expected}: look again, then decide")
    for _ in range(_AGAIN):
        found = await asyncio.to_thread(_tried, now, sheet, by.why)  # five thousand lines take seconds
        if found.problems:
            raise SheetFaults(list(found.problems))
        said = [json.loads(to_line(event)) for event in found.events]
        try:
            done = await floor.enter(tournament, now.seq, said, by)
        except MovedOn:  # another desk, or a table: the sheet is looked through as the tournament is now
            now = await floor.known(tournament, by.person.account)
            continue
        return done.seq, [event.entry for event in found.events]
    raise CommandRefused("nothing was taken: others are too quick, take the sheet once they are done")


def _tried(now: Known, sheet: str, why: str) -> EntrySheet:
    """The sheet with every fault of every line: of its cells, beside its other lines, and by the tournament's rules."""
    file = say("sheet")
    found = read_entries(sheet.encode(), file, now.t, By(who="-", why=why))
    try:
        require_open(now.parts, now.t)
    except Refused as refused:
        return EntrySheet((), (Problem(file, None, "", refusal(str(refused))), *found.problems))
    problems = sorted((*found.problems, *_refused(now, found, file)), key=lambda one: one.line or 0)
    return EntrySheet(found.rows, tuple(problems))


def _refused(now: Known, sheet: EntrySheet, file: str) -> Iterator[Problem]:
    """What the tournament would refuse of a sheet, each with its line; lines without a fault enter one by one.

    A cell that cannot be read breaks no rule: the rules about the other cells of its line are looked at all the same.
    """
    trial = Tournament.going_on(now.parts, now.seq, now.t)
    people = Likeness(
        KnownPerson(one.person, one.name, f"{one.number}")
        for one in now.parts.of(Entries).by_number.values()
        if one.has_been_used
    )
    at_fault = {problem.line for problem in sheet.problems}
    for row in sheet.rows:
        broken = list(rules_broken(trial.parts, row.wish))
        for rule in broken:
            yield Problem(file, row.line, _COLUMNS.get(rule.reason, "entry"), refusal(str(rule)))
        if row.wish.person is not None and not row.another:
            for like in people.of(row.wish.person, row.wish.name)[:1]:
                place = say("entry {entry}", entry=like.mark)
                yield Problem(file, row.line, "person", perhaps_the_same(like.name, like.person, place))
        if row.event is not None and row.line not in at_fault and not broken:
            trial.apply(row.event)
