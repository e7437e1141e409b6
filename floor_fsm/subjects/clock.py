"""The clock: one schedule, and what tables are told of it."""

from dataclasses import replace
from typing import Any, Final

from floor_fsm.core.event import Event
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.chips import Suspended
from floor_fsm.messages.clock import ActionClockPut, ClockPut, ClockRan, ClockStood, ScheduleSet
from floor_fsm.messages.hands import (
    HandForHandBegan,
    HandForHandEnded,
    HandOver,
    HandReleased,
    TableBack,
    TableExcused,
)
from floor_fsm.messages.sessions import SessionEnded
from floor_fsm.play.clock import Clock
from floor_fsm.state.floor import Time
from floor_fsm.state.hands import Hands
from table_fsm.structures.structure import Breaks, Level, ReEntry, SeatLimits, Structure


def _schedule(parts: Parts, event: ScheduleSet) -> Step:
    before = parts.of(Time).clock
    clause = _clause(parts)
    levels = tuple(
        Level(number, row.blinds, row.ante, row.big_blind_ante, row.seconds, row.race_off, row.break_after, clause)
        for number, row in enumerate(event.levels, 1)
    )
    structure = Structure(
        "schedule",
        "The schedule of this tournament",
        "the tournament's conditions",
        levels,
        event.doubling_minutes,
        Breaks.SCHEDULED if any(row.break_after for row in event.levels) else Breaks.DIRECTOR,
        None,
        ReEntry.NONE,
        None,
        None,
        SeatLimits(2, 10**6, None, clause),
        None,
        points=True,
    )
    clock = Clock(structure) if before is None else replace(before, structure=structure)
    return Step(Time(clock))


def _clause(parts: Parts) -> str:
    return "ours" if parts.law.book.clock is None else parts.law.book.clock.clause


def _clock(parts: Parts, ev: str) -> Clock:
    clock = parts.of(Time).clock
    if clock is None:
        raise Refused(Reason.WRONG_STATE, f"{ev}: there is no schedule yet")
    return clock


def _put(parts: Parts, event: ClockPut) -> Step:
    return _told(_clock(parts, event.ev).put(event.t, running=event.running, elapsed=event.elapsed), event)


def _runs(parts: Parts, event: ClockRan) -> Step:
    return _told(_clock(parts, event.ev).run(event.t), event)


def _stands(parts: Parts, event: ClockStood) -> Step:
    return _told(_clock(parts, event.ev).stand(event.t), event)


def _stops(parts: Parts, event: SessionEnded | Suspended) -> Step:
    """The clock stands until the director lets it run."""
    clock = parts.of(Time).clock
    return Step(parts.of(Time)) if clock is None or not clock.running else _told(clock.stand(event.t), event)


def _action(parts: Parts, event: ActionClockPut) -> Step:
    rule = parts.law.book.clock
    clock = _clock(parts, event.ev)
    if rule is None or not rule.action_clock_stays:
        return Step(Time(replace(clock, action_clock=event.on)))
    return Step(Time(clock.with_action_clock(on=event.on, clause=rule.action_clock_clause)))


def _hand_for_hand(parts: Parts, event: HandForHandBegan | HandForHandEnded) -> Step:
    clock = parts.of(Time).clock
    if clock is None:
        return Step(parts.of(Time))
    rules = parts.law.book.hand_for_hand if isinstance(event, HandForHandBegan) else None
    return _told(clock.hand_for_hand(event.t, rules), event)


def _released(parts: Parts, event: HandReleased) -> Step:
    clock = parts.of(Time).clock
    return Step(parts.of(Time)) if clock is None else _told(clock.hand_released(event.t), event)


def _finished(parts: Parts, event: HandOver | TableExcused) -> Step:
    """A hand that is over at every table has cost its time."""
    clock, play = parts.of(Time).clock, parts.of(Hands).play
    if clock is None or play is None or play.waits_for:
        return Step(parts.of(Time))
    new = clock.hand_finished()
    return Step(Time(new)) if new is clock else _told(new, event)


def _back(parts: Parts, event: TableBack) -> Step:
    clock = parts.of(Time).clock
    return Step(parts.of(Time)) if clock is None else _told(clock, event)


def _told(clock: Clock, event: Event) -> Step:
    return Step(Time(clock), (clock.told(event.t),))


def _begin(_law: Law) -> Time:
    return Time()


_TAKES: Final[dict[type[Event], Any]] = {
    ScheduleSet: _schedule,
    ClockPut: _put,
    ClockRan: _runs,
    ClockStood: _stands,
    ActionClockPut: _action,
    HandForHandBegan: _hand_for_hand,
    HandForHandEnded: _hand_for_hand,
    HandReleased: _released,
    HandOver: _finished,
    TableExcused: _finished,
    TableBack: _back,
    SessionEnded: _stops,
    Suspended: _stops,
}

SUBJECT: Final = Subject(Time, _begin, _TAKES)
