"""Reports: what tables told that cannot be waits until a person has looked at it."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.hands import HandOver
from floor_fsm.messages.reports import Doubtful, ReportSettled, SeatUnclaimed
from floor_fsm.state.opening import seats_of
from floor_fsm.state.reports import OPEN_MOST, Report, Reports, stacks_that_cannot_be


def _over(parts: Parts, event: HandOver) -> Step:
    """A stack that cannot be is not taken; that its entry is out is."""
    wrong = stacks_that_cannot_be(parts, event)
    return _waits(parts, tuple((event.table, entry, None, why) for entry, why in wrong.items()))


def _unclaimed(parts: Parts, event: SeatUnclaimed) -> Step:
    seats_of(parts, event.table)
    why = Refused(Reason.NOT_SEATED, f"seat {event.seat} is out, and no entry of the tournament has that seat")
    return _waits(parts, ((event.table, None, event.seat, why),))


def _settled(parts: Parts, event: ReportSettled) -> Step:
    reports = parts.of(Reports)
    left = tuple(one for one in reports.open if one.number != event.number)
    if left == reports.open:
        known = ", ".join(str(one.number) for one in reports.open) or "none"
        raise Refused(Reason.WRONG_STATE, f"report {event.number} waits for nobody; there are: {known}")
    waits = {one.table for one in left}
    counted = {table: count for table, count in reports.left_out.items() if table in waits}
    return Step(replace(reports, open=left, left_out=counted))


def _waits(parts: Parts, told: tuple[tuple[str, int | None, int | None, Refused], ...]) -> Step:
    """Reports of a table, each about an entry or a seat, wait for a person."""
    reports = parts.of(Reports)
    if not told:
        return Step(reports)
    new = tuple(
        Report(number, table, entry, seat, why.words, why.clause)
        for number, (table, entry, seat, why) in enumerate(told, reports.next)
    )
    outputs = tuple(
        Doubtful(one.number, one.table, one.entry, one.seat, why.reason, one.words, one.clause)
        for one, (_, _, _, why) in zip(new, told, strict=True)
    )
    table = new[0].table
    theirs = (*reports.of(table), *new)
    over = {one.number for one in theirs[:-OPEN_MOST]}
    waiting = tuple(one for one in (*reports.open, *new) if one.number not in over)
    counted = {table: reports.left_out.get(table, 0) + len(over)} if over else {}
    return Step(Reports(waiting, reports.next + len(new), {**reports.left_out, **counted}), outputs)


def _begin(_law: Law) -> Reports:
    return Reports()


SUBJECT: Final = Subject(Reports, _begin, {HandOver: _over, SeatUnclaimed: _unclaimed, ReportSettled: _settled})
