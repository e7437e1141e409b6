"""Whose entry sits at a seat, as the floor tells it. A seat's player changes by `seat.out` and `seat.in` alone."""

from table_fsm.core.core import Core
from table_fsm.core.tournament_state import EntryRecord
from table_fsm.errors import Refused
from table_fsm.events import SeatEntry
from table_fsm.play.tournament import clock, places


def on_entry(core: Core, event: SeatEntry) -> None:
    """Take an entry, or what it bought since. Raises Refused, which changes nothing.

    A stack that was counted before chips were bought is no count of the stack any more.
    """
    clock.needs_tournament(core, event.ev)
    _check(event)
    seats = core.standing.seats
    if event.seat not in seats:
        raise Refused(f"seat.entry: seat {event.seat} has no player")
    for seat, other in seats.items():
        if seat != event.seat and other.entry is not None and other.entry.number == event.entry:
            raise Refused(f"seat.entry: entry {event.entry} sits at seat {seat}: take that player out first")
    record = seats[event.seat]
    before = record.entry
    if before is not None and before.number != event.entry:
        raise Refused(
            f"seat.entry: seat {event.seat} is entry {before.number}'s: take that player out, then seat the other"
        )
    if before is not None and before.cents != event.cents:
        record.stack = None
    carries = (0, 0) if before is None else (before.order, before.imposed)
    record.entry = EntryRecord(event.entry, event.nth, event.cents, event.rebuys, event.add_ons, *carries)
    places.forget(core, event.entry)


def _check(event: SeatEntry) -> None:
    if event.entry < 1 or event.nth < 1:
        raise Refused(f"seat.entry: entry {event.entry}, {event.nth} of its person: both count from 1")
    if event.rebuys < 0 or event.add_ons < 0 or (event.cents is not None and event.cents < 0):
        raise Refused("seat.entry: cents, rebuys and add_ons are 0 or more")
