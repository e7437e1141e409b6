"""The tables: the blinds that they tell of, the order in which they break, and when one waits for a player."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.event import Event
from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.messages.entries import (
    EntryBack,
    EntryCame,
    EntryGivenUp,
    EntryNeverCame,
    EntryOut,
    EntryTaken,
    EntryWithdrawn,
)
from floor_fsm.messages.hands import HandOver
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import Moved, Redrawn, SeatGiven, SeatLate, TableBreaks, TableBroken
from floor_fsm.messages.sessions import SessionBegan, SessionEnded
from floor_fsm.messages.tables import (
    Balanced,
    BreakingOrder,
    BreakingOrderTold,
    HandBegan,
    TableGoesOn,
    TableWaits,
)
from floor_fsm.messages.undone import SessionTakenBack, TableTakenBack
from floor_fsm.state.seating import Seating, in_use, require_in_use
from floor_fsm.state.tables import Blinds, Tables, waiting_tables


def _hand(parts: Parts, event: HandBegan) -> Step:
    tables = parts.of(Tables)
    require_in_use(parts, event.table)
    before = tables.blinds.get(event.table)
    if before is not None and event.hand <= before.hand:
        raise Refused(
            Reason.WRONG_HAND, f"table {event.table} told of hand {before.hand} before; {event.hand} does not follow it"
        )
    if event.big_blind not in parts.of(Seating).at(event.table):
        raise Refused(
            Reason.NOT_SEATED, f"nobody sits at seat {event.big_blind} of table {event.table}, where the big blind is"
        )
    blinds = {**tables.blinds, event.table: Blinds(event.hand, event.big_blind, event.small_blind)}
    return _settled(parts, replace(tables, blinds=blinds, dealt=True))


def _order(parts: Parts, event: BreakingOrder) -> Step:
    tables = parts.of(Tables)
    for table in event.tables:
        require_in_use(parts, table)
    if len(set(event.tables)) < len(event.tables):
        raise Refused(Reason.NAMED_TWICE, "a table is named twice in the order: name each once")
    return Step(replace(tables, order=event.tables), (BreakingOrderTold(event.tables),))


def _redrawn(parts: Parts, event: Redrawn) -> Step:
    """Nobody knows whose blind it is at these tables until their next hand."""
    tables = parts.of(Tables)
    left = {table: blinds for table, blinds in tables.blinds.items() if table not in event.tables}
    return _settled(parts, replace(tables, blinds=left))


def _session_began(_parts: Parts, _event: SessionBegan) -> Step:
    """All is forgotten: the order of breaking is announced anew too."""
    return Step(Tables())


def _after(parts: Parts, _event: Event) -> Step:
    """Somebody has come, gone or moved."""
    return _settled(parts, parts.of(Tables))


def _settled(parts: Parts, tables: Tables) -> Step:
    """The tables as they are now: which wait, and what they are told."""
    now = waiting_tables(parts.having(tables))
    rule = parts.law.book.balancing
    told: list[Output] = [
        TableWaits(table, seat, "" if rule is None else rule.clause)
        for table, seat in now.items()
        if tables.waits.get(table) != seat
    ]
    told += [TableGoesOn(table) for table in tables.waits if table not in now and table in in_use(parts)]
    return Step(replace(tables, waits=now), tuple(told))


def _begin(_law: Law) -> Tables:
    return Tables()


_CHANGES: Final[tuple[type[Event], ...]] = (
    SeatsDrawn,
    DrawAnnulled,
    SeatLate,
    SeatGiven,
    Moved,
    Balanced,
    TableBreaks,
    TableBroken,
    TableTakenBack,
    EntryTaken,
    EntryWithdrawn,
    EntryOut,
    EntryGivenUp,
    EntryNeverCame,
    EntryBack,
    EntryCame,
    HandOver,
    PersonLeft,
    SessionEnded,
    SessionTakenBack,
)
SUBJECT: Final = Subject(
    Tables,
    _begin,
    {
        HandBegan: _hand,
        BreakingOrder: _order,
        Redrawn: _redrawn,
        SessionBegan: _session_began,
        **dict.fromkeys(_CHANGES, _after),
    },
)
