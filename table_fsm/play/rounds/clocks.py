"""Deadlines: clocks on players, decisions not made, seats left, alarms not acknowledged."""

from collections.abc import Iterator
from typing import Final

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import ClockCalled, ClockStart, ClockStop
from table_fsm.felt import CLOCK_CALLERS, SEAT_OF, SEAT_ZONE, AlarmKind, Phase
from table_fsm.outputs import AlarmState, Buzzer, BuzzerPattern, Clock
from table_fsm.play.betting import action_clock
from table_fsm.play.draw import progress
from table_fsm.play.house import boxes
from table_fsm.play.rounds import shelving
from table_fsm.play.tournament import clock as tournament_clock
from table_fsm.rulebook.irregularities import Irregularity

ESCALATE_SECONDS: Final = 60.0
"""Seconds after which an unacknowledged alarm sounds again, and again after as many more."""
AWAY_EVERY: Final = 10.0
"""Seconds between ticks while a player is away; a long absence need not be noticed to the second."""


def next_deadline(core: Core, phase: Phase) -> float | None:
    """The table second from which a `tick` can matter, before any other event; else None.

    `phase`: the current one. While a clock runs that people see, the tick of every second matters.
    """
    standing = core.standing
    deadlines = [alarm.last_heard + ESCALATE_SECONDS for alarm in standing.alarms if standing.is_due(alarm)]
    deadlines += [shelf.until for shelf in standing.shelves]
    if core.standing.open:
        deadlines += _deadlines_of_play(core, phase)
    return min(deadlines, default=None)


def _deadlines_of_play(core: Core, phase: Phase) -> Iterator[float]:
    now, level_over = core.standing.last_t, core.standing.tournament.changes_at
    if level_over is not None:
        yield level_over
    players_decide = core.book.banked == "house" and phase == "betting"
    if core.round.clock.seat is not None or (players_decide and core.options.decision_time is not None):
        yield now
    if core.book.seats.away_seconds is not None and _anybody_to_miss(core):
        yield now + AWAY_EVERY


def _anybody_to_miss(core: Core) -> bool:
    """Whether a player is away and the staff has not been alarmed yet."""
    told = {alarm.seat for alarm in core.standing.alarms if alarm.kind == AlarmKind.SEAT_LEFT and not alarm.over}
    return any(
        record.away_since is not None and not record.leaving and seat not in told
        for seat, record in core.standing.seats.items()
    )


def pass_time(core: Core) -> None:
    """Judge every deadline that has passed.

    It is called once before the event in hand, and once after it for deadlines at its very second. So a decision in the
    last moment is in time, and a tick at that moment ends the time.
    """
    standing = core.standing
    if standing.shelves:
        shelving.end_due(core)
    if standing.alarms:
        _escalate(core)
    if not standing.open:
        return
    # Hot path, twice an event: test cheaply before calling.
    changes_at = standing.tournament.changes_at
    if changes_at is not None and core.t >= changes_at:
        tournament_clock.pass_time(core)
    if core.round.clock.seat is not None:
        _player_clock(core)
    if core.round.house.window_from is not None:
        boxes.judge_time(core)
    if standing.someone_away:
        _seats_left(core)


def _escalate(core: Core) -> None:
    """Escalate alarms that nobody has acknowledged in a minute; they sound again each minute."""
    for alarm in core.standing.alarms:
        if not core.standing.is_due(alarm) or not core.past(alarm.last_heard + ESCALATE_SECONDS):
            continue
        alarm.sounded = core.t
        if not alarm.escalated:
            alarm.escalated = True
            alarms.say(core, alarm, AlarmState.ESCALATED)
        core.emit(Buzzer(BuzzerPattern.ALARM))


def _player_clock(core: Core) -> None:
    clock = core.round.clock
    seat = clock.seat
    assert seat is not None
    if core.past(clock.deadline) and not action_clock.prolong(core):
        clock.stop()
        core.emit(Clock(seat, 0))
        facts = {"facing_bet": _facing_bet(core, seat), "clock": "action" if clock.action else "called"}
        core.find(Irregularity.CLOCK_EXPIRED, facts, seat=seat)
        return
    left = clock.deadline - core.t
    gone_by = sum(left <= seconds for seconds in action_clock.warnings(core))
    if left > 0 and gone_by > clock.warned:  # after a long silence several warnings are due: show one
        clock.warn(gone_by)
        core.emit(Clock(seat, round(left, 3)))


def _facing_bet(core: Core, seat: int) -> str:
    betting = core.round.betting
    if betting is None:
        return "unknown"
    if (core.round.street > 0 and not betting.ever_keyed) or not betting.certain:
        return "unknown"  # without a keypad it is not known whether somebody has bet
    return "yes" if betting.owes(seat) else "no"


def _seats_left(core: Core) -> None:
    limit = core.book.seats.away_seconds
    if limit is None:
        return
    for number, record in core.standing.seats.items():
        if record.away_since is None or record.away_told or core.t - record.away_since <= limit:
            continue
        record.away_told = True
        alarms.raise_alarm(core, AlarmKind.SEAT_LEFT, seat=number)


def start(core: Core, seat: int) -> None:
    """Put the clock on a player."""
    seconds = core.book.clock.seconds
    assert seconds is not None
    core.round.clock.start(seat, core.t + seconds, action=False)
    core.emit(Clock(seat, seconds))


def on_clock_called(core: Core, event: ClockCalled) -> None:
    """Start a clock that was called on a player.

    Staff start it at once; a call from a seat awaits a person's confirmation, if the book says so.
    """
    rules = core.book.clock
    if event.by not in CLOCK_CALLERS and event.by not in SEAT_OF:
        raise Refused(f"by {event.by!r}: dealer, supervisor, director or seat:1 to seat:10")
    _check_seat(event.seat)
    if rules.seconds is None:
        raise Refused("this rulebook puts no clock on a player")
    _check_caller(core, event)
    if core.collecting():
        return
    _check_turn(core, event.seat)
    if event.by in SEAT_OF and rules.seat_call_needs_confirm:
        core.round.clock.ask(event.seat)
        alarms.raise_alarm(core, AlarmKind.CLOCK_ASKED, seat=event.seat)
        return
    start(core, event.seat)


def _check_caller(core: Core, event: ClockCalled) -> None:
    """Raise Refused for a call by somebody who may not, or at a table that has an action clock instead.

    The Star 7.25: the director, or another entrant who is at their seat. Onyx, Calling a clock 1 and 2: a player or the
    floor, in events without a shot clock.
    """
    rules = core.book.clock
    if not rules.called_beside_action and action_clock.timing(core) is not None:
        raise Refused("this table plays with an action clock: no other clock is called on a player")
    if event.by not in SEAT_OF:
        if event.by not in rules.callers:
            callers = " or ".join([*rules.callers, "a player"])
            raise Refused(f"by {event.by}: in {core.standing.rulebook} {callers} calls it")
        return
    caller = SEAT_OF[event.by]
    record = core.standing.seats.get(caller)
    if rules.seat_calls == "any":
        return
    if caller == event.seat:
        raise Refused(f"seat {caller} calls no clock on itself")
    if record is None or record.away_since is not None:
        raise Refused(f"nobody is at seat {caller}: who calls a clock is at their seat")


def _check_seat(seat: int) -> None:
    if seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {seat}: 1 to 10")


def _check_turn(core: Core, seat: int) -> None:
    """Raise Refused for a clock on a seat that has nothing to decide now.

    Without a keypad the seat to act is not known.
    """
    betting = core.round.betting
    if progress.is_deciding(core, seat):
        return
    if betting is None or not betting.open or not betting.is_live(seat) or betting.players[seat].all_in:
        raise Refused(f"seat {seat} has nothing to decide now: no clock")
    turn = betting.to_act()
    if betting.ever_keyed and turn is not None and turn != seat:
        raise Refused(f"seat {seat} is not to act: it is seat {turn}'s turn")


def on_clock_start(core: Core, event: ClockStart) -> None:
    """Start the action clock for the dealer, where the table has one."""
    core.need_open()
    plan = action_clock.timing(core)
    if plan is None:
        raise Refused("there is no action clock at this table: use clock.called")
    _check_seat(event.seat)
    if core.collecting():
        return
    _check_turn(core, event.seat)
    action_clock.start(core, event.seat, plan)


def on_clock_stop(core: Core, event: ClockStop) -> None:
    """Stop the clock, because its player has acted."""
    core.need_open()
    if core.collecting():
        return
    if core.round.clock.seat not in {None, event.seat}:
        raise Refused(f"the clock runs on seat {core.round.clock.seat}, not on seat {event.seat}")
    core.round.clock.stop()  # a stop that comes after the clock has run out changes nothing
