"""Entries of a sheet at the desk: all of them are tried before the first is taken."""

import json
from typing import Final

from feltd.door import CommandRefused
from feltd.door.commands import MovedOn
from feltd.door.pit.directing import DecidedBy
from feltd.page.pit.tournaments.asking import FloorTournaments, Known
from feltd.text.errors import FeltdError
from feltd.tournaments.entry_sheet import EntrySheet, read_entries
from floor_fsm.core.event import By
from floor_fsm.errors import Refused
from floor_fsm.lines import to_line
from floor_fsm.messages.entries import EntryTaken
from floor_fsm.tournament import Tournament
from toml_text.faults import Problem

_AGAIN: Final = 50
"""How often others may take a step before an entry of the sheet."""


class SheetFaults(FeltdError):  # noqa: N818 - it is an answer, not a failure
    """A sheet with faults: nothing of it was taken. `str()` has a line for each fault."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))


async def import_sheet(
    floor: FloorTournaments, tournament: str, expected: int, now: Known, sheet: str, by: DecidedBy
) -> tuple[int, list[int]]:
    """Take each entry of a sheet; return the tournament's number after it, and the entries.

    Raises SheetFaults where a line has a fault or would be refused, before anything was taken; CommandRefused where the
    desk has not seen the tournament as it is, or where somebody else has changed it so meanwhile that the rest of the
    sheet cannot be taken: then the words say how far it came.
    """
    if expected != now.seq:
        raise MovedOn(f"the tournament is at event {now.seq}, not at {expected}: look again, then decide")
    found = read_entries(sheet.encode(), "sheet", 0.0, By(who="-", why=by.why))
    if found.problems:
        raise SheetFaults(list(found.problems))
    refused = _refused(now, found)
    if refused:
        raise SheetFaults(refused)
    seq, taken = now.seq, list[int]()
    for event in found.events:
        try:
            seq = await _taken(floor, tournament, seq, event, by)
        except CommandRefused as refusal:
            words = f"{len(taken)} of {len(found.events)} entries were taken, then others came first"
            raise CommandRefused(f"{words}. Entry {event.entry}: {refusal}") from None
        taken.append(event.entry)
    return seq, taken


def _refused(now: Known, sheet: EntrySheet) -> list[Problem]:
    """What the tournament would refuse of a sheet, each with its line."""
    trial, faults = Tournament.going_on(now.parts, now.seq), list[Problem]()
    for line, event in zip(sheet.lines, sheet.events, strict=True):
        try:
            trial.apply(event)
        except Refused as refused:
            faults.append(Problem("sheet", line, f"entry {event.entry}", str(refused)))
    return faults


async def _taken(floor: FloorTournaments, tournament: str, seq: int, event: EntryTaken, by: DecidedBy) -> int:
    """Take an entry behind whatever others do meanwhile; return its number. Raises CommandRefused."""
    said = json.loads(to_line(event))
    for _ in range(_AGAIN):
        try:
            return (await floor.step(tournament, seq, said, by)).seq
        except MovedOn:
            seq = (await floor.known(tournament, by.person.account)).seq
    raise CommandRefused("others are too quick: take the rest of the sheet by itself")
