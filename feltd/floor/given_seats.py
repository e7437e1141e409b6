"""Seats that waiting lists give: a table is of one room's lists, and a seat is free in all rooms or in none."""

from collections.abc import Iterable, Sequence
from typing import Final

from feltd.floor.pit_book import Line
from feltd.floor.waiting_fold import WaitingFold
from floor_fsm.core.event import Event
from floor_fsm.errors import Reason, Refused
from floor_fsm.waiting.messages import Called, TablesNamed

UNHEARD_FOR: Final = 300.0
"""Seconds that a seat is given, behind the desk's *Sits down*, while the table's record tells of nobody there."""


def given_at(folds: Iterable[WaitingFold], table: str, line: Line | None, wall: float) -> frozenset[int]:
    """The seats of a table that lists of any room hold, or gave to somebody of whom the table has not told yet.

    `wall`: now, in seconds since 1970; `line`: what the pit has of the table.
    """
    changed = {} if line is None else line.fold.facts.changed
    given: set[int] = set()
    for fold in folds:
        if fold.room is None or fold.made is None:
            continue
        given |= fold.room.lists.held_at(table)
        sat = ((one.seat, fold.made.wall + one.t) for one in fold.room.lists.sat if one.table == table)
        given |= {seat for seat, at in sat if wall - at < UNHEARD_FOR and changed.get(str(seat), 0.0) < at}
    return frozenset(given)


def require_of_no_other_room(folds: Sequence[WaitingFold], own: WaitingFold, event: Event) -> None:
    """Refuse a table that is another open room's, and a seat that is held there. Raises Refused."""
    for fold in folds:
        if fold is own or fold.room is None or fold.made is None or fold.room.lists.closed:
            continue
        lists, title = fold.room.lists, fold.made.title
        theirs = {table.table for game in lists.games for table in game.tables}
        for table in (one for one in _brought_in(event) if one in theirs):
            words = f"{table} is a table of the lists {title}: take it from a game there first"
            raise Refused(Reason.NAMED_TWICE, words)
        if isinstance(event, Called) and event.seat in lists.held_at(event.table):
            words = f"seat {event.seat} of {event.table} is held for somebody on the lists {title}: call to another one"
            raise Refused(Reason.SEAT_IS_TAKEN, words, fold.room.book.hold.clause)


def _brought_in(event: Event) -> tuple[str, ...]:
    """The tables that a step takes for these lists."""
    if isinstance(event, Called):
        return (event.table,)
    return tuple(one.table for one in event.tables) if isinstance(event, TablesNamed) else ()
