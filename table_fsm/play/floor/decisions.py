"""People at the table: badges, supervisors' decisions, calls for the floor, alarms."""

from typing import Final, assert_never

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.core.standing import AlarmRecord, PendingRuling
from table_fsm.errors import Refused
from table_fsm.events import Badge, FloorCalled, Supervisor
from table_fsm.felt import SEAT_OF, AlarmKind, Decision, FaultKind, StaffRole, Upon
from table_fsm.outputs import AlarmState
from table_fsm.play.board import communal, run_twice
from table_fsm.play.cards import shoe
from table_fsm.play.house import boxes, wagers
from table_fsm.play.rounds import clocks, end, shelving
from table_fsm.play.tournament import races
from table_fsm.rulebook.irregularities import SHOE_MATTERS
from table_fsm.rulebook.outcomes import Outcome

_ROLES: Final = frozenset(StaffRole)
_DECISIONS: Final = frozenset(Decision)
_OVER_WHEN_SEEN: Final = frozenset(
    {
        AlarmKind.FLOOR_CALLED,
        AlarmKind.CONTROLLER_FAULT,
        AlarmKind.SEAT_IDLE,
        AlarmKind.FREEZE_OUT_BANK_CHANGED,
        AlarmKind.FREEZE_OUT_LEFT,
        AlarmKind.RUN_TWICE_UNFINISHED,
    }
)
"""Alarms about an event that has passed, which end when they are acknowledged. An alarm about a lasting cause, such
as a jam or an empty seat, lasts until the cause ends."""
_OF_SHELVES: Final = frozenset({Decision.SHELVE, Decision.UNSHELVE})
_OF_ALARMS: Final = frozenset({Decision.ACKNOWLEDGE, *_OF_SHELVES})
_OUTCOMES: Final = frozenset(Outcome)
_SHOE_FAULTS: Final = frozenset(FaultKind)


def on_badge(core: Core, event: Badge) -> None:
    """Record a staff badge shown at the table."""
    if event.role not in _ROLES:
        raise Refused(f"role {event.role!r}: {', '.join(sorted(_ROLES))}")
    core.standing.badges[event.role] = core.t
    shoe.badge_seen(core)


def on_supervisor(core: Core, event: Supervisor) -> None:
    """Carry out a person's decision, on a pending ruling or on their own initiative.

    Both the ruling and the decision stay in the record.
    """
    _check(core, event)
    decision = Decision(event.decision)
    if decision is Decision.ACKNOWLEDGE:
        _acknowledge(core, event)
        return
    if decision not in _OF_SHELVES:  # a closed table has alarms too
        core.need_open()
    pending = [p for p in core.standing.pending if event.ruling in {None, p.id}]
    match decision:
        case Decision.CONFIRM | Decision.PLAY_ON | Decision.RESUME:
            _let_go(core, event, pending)
        case Decision.OVERRULE:
            _overrule(core, event, pending)
        case Decision.MISDEAL:
            _end(core, event, pending, Outcome.MISDEAL)
        case Decision.VOID:
            _end(core, event, pending, Outcome.VOID_ROUND)
        case Decision.EXCLUDE:
            _exclude(core, event, pending)
        case Decision.CHECK_DECK:
            core.deck(
                core.round.deck
            ).fouled = True  # its cards are counted before the next round; pending rulings stay pending
        case Decision.SHELVE | Decision.UNSHELVE:
            shelving.change(core, event)
            return
        case never:
            assert_never(never)
    core.standing.attention = False


def _check(core: Core, event: Supervisor) -> None:
    """Raise Refused for a decision whose fields do not belong together."""
    if event.decision not in _DECISIONS:
        raise Refused(f"decision {event.decision!r}: {', '.join(sorted(_DECISIONS))}")
    if event.ruling is not None and not 0 < event.ruling < core.standing.next_ruling:
        raise Refused(f"there is no ruling {event.ruling}")
    if event.decision == Decision.OVERRULE and event.outcome not in _OUTCOMES:
        raise Refused(f"overrule needs an outcome: {event.outcome!r} is none")
    decision = Decision(event.decision)
    of_alarm = decision in _OF_ALARMS and event.alarm is not None
    if not of_alarm and (event.seat is not None) is not (decision is Decision.EXCLUDE):
        raise Refused("a seat belongs to exclude, and exclude needs one")
    if event.alarm is not None and (decision not in _OF_ALARMS or event.ruling is not None):
        raise Refused("an alarm belongs to acknowledge, without a ruling")
    if event.device is not None and event.alarm is None:
        raise Refused("a device belongs to an alarm: say which")
    if event.minutes is not None and decision is not Decision.SHELVE:
        raise Refused("minutes belong to shelve")
    acknowledges = decision is Decision.ACKNOWLEDGE and event.ruling is None
    if not acknowledges and not (event.until is None and event.cleared is None):
        raise Refused("until and cleared belong to acknowledge, without a ruling")
    if not (acknowledges and event.alarm is not None) and not (event.deck is None and event.devices is None):
        raise Refused("a deck and devices belong to the alarm that is acknowledged")
    if event.device is not None and event.devices is not None:
        raise Refused("give a device or devices, one of the two")


def _acknowledge(core: Core, event: Supervisor) -> None:
    """Acknowledge alarms: they stop escalating, and cleared faults end.

    All of them, those of a ruling, or those of a kind: of the shoe's faults all, since they are seen together, unless
    `until` says what the person had seen. A ruling that waits for a decision stays pending.
    """
    standing, ruling = core.standing, event.ruling
    if event.alarm is not None:
        of_shoe = event.alarm in _SHOE_FAULTS
    else:
        of_shoe = ruling is None or any(p.id == ruling and p.irregularity in SHOE_MATTERS for p in standing.pending)
    of_shoe = of_shoe and event.until is None and event.cleared is None
    seen: set[tuple[str, str | None]] = set()
    for alarm in list(standing.alarms):
        if event.cleared and not alarm.over:
            continue
        if event.until is not None:
            mine = alarm.since <= event.until and standing.is_due(alarm) and _is_seen(event, alarm)
        elif event.alarm is not None:
            mine = _is_of_kind(event, alarm) or (of_shoe and alarm.kind in _SHOE_FAULTS)
        else:
            mine = ruling is None or alarm.ruling == ruling or (of_shoe and alarm.device == "shoe")
        if not mine or alarm.acknowledged:
            continue
        alarm.acknowledged = True
        seen.add((alarm.kind, alarm.deck))
        alarms.say(core, alarm, AlarmState.ACKNOWLEDGED)
        if alarm.over:
            standing.alarms.remove(alarm)
        elif alarm.kind in _OVER_WHEN_SEEN:
            alarms.over(core, alarm)
    if of_shoe:
        shoe.faults_seen(core)
    elif ruling is None:
        shoe.faults_seen(core, seen)


def _is_of_kind(event: Supervisor, alarm: AlarmRecord) -> bool:
    """Whether the alarm is of the kind, and of the device, seat and deck that are named: what is not named is any."""
    listed = event.devices is None or alarm.device in event.devices
    named = event.device in {None, alarm.device} and event.seat in {None, alarm.seat}
    return alarm.kind == event.alarm and listed and named and event.deck in {None, alarm.deck}


def _is_seen(event: Supervisor, alarm: AlarmRecord) -> bool:
    """Whether the alarm is one that the person saw: what is not named is none, so that no other alarm comes along."""
    if event.alarm is None:
        return True
    devices = [event.device] if event.devices is None else event.devices
    of_device = alarm.device in devices or (alarm.device is None and not devices)
    return of_device and (alarm.kind, alarm.seat, alarm.deck) == (event.alarm, event.seat, event.deck)


def _shoe_decided(core: Core, pending: list[PendingRuling]) -> None:
    """Acknowledge the shoe's faults where one of these rulings is on them: who decides on a fault has seen it.

    Else a jam that is cleared and decided on would prevent the next round.
    """
    if not _of_shoe(pending):
        return
    for alarm in list(core.standing.alarms):
        if alarm.device == "shoe" and alarm.kind in _SHOE_FAULTS and not alarm.acknowledged:
            alarm.acknowledged = True
            alarms.say(core, alarm, AlarmState.ACKNOWLEDGED)
            if alarm.over:
                core.standing.alarms.remove(alarm)
    shoe.faults_seen(core)


def _of_shoe(pending: list[PendingRuling]) -> bool:
    return any(p.irregularity in SHOE_MATTERS for p in pending)


def _let_go(core: Core, event: Supervisor, pending: list[PendingRuling]) -> None:
    """Confirm, play on or resume: end the pending rulings.

    A clock that a player called starts on a confirmation.
    """
    clock = core.round.clock
    asked = clock.asked
    if event.decision == Decision.CONFIRM and event.ruling is None and asked is not None:
        for alarm in [a for a in core.standing.alarms if a.kind == AlarmKind.CLOCK_ASKED]:
            alarms.over(core, alarm)
        clocks.start(core, asked)
        return
    if event.decision == Decision.RESUME:
        _refuse(_why_no_resume(core, pending))
    if event.ruling is None:
        races.settled(core)
    _shoe_decided(core, pending)
    core.resolve(pending)
    run_twice.judge_if_whole(core)


def _overrule(core: Core, event: Supervisor, pending: list[PendingRuling]) -> None:
    """Replace the ruling's outcome, which is undone where the round still allows it."""
    if event.ruling is None:
        raise Refused("overrule: say which ruling")
    assert event.outcome is not None
    given = core.round.rulings.given.get(event.ruling)
    if given is None and not pending:
        raise Refused(f"ruling {event.ruling} is of a round that is over: it stays in the record as it is")
    _shoe_decided(core, pending)
    core.resolve(pending)
    seat = given.seat if given is not None else pending[0].seat
    with run_twice.deciding(core, event.ruling):
        if given is not None:
            for outcome in (given.outcome, *given.also):
                core.take_back(Outcome(outcome), seat)
        if event.outcome != Outcome.RECONSTRUCT:
            core.round.deals.forget_ruled([event.ruling])  # else a count would contradict the person's decision
        core.carry_out(Outcome(event.outcome), seat)
    if event.outcome == Outcome.PLAY_ON:
        wagers.check_was_no_check(core, event.ruling)
    communal.open_if_it_lies(core)


def _end(core: Core, event: Supervisor, pending: list[PendingRuling], outcome: Outcome) -> None:
    _refuse(_why_no_end(core))
    _shoe_decided(core, pending)
    core.resolve(pending if event.ruling is not None else _of_this_round(core, pending))
    end.end_round(core, outcome)


def _exclude(core: Core, event: Supervisor, pending: list[PendingRuling]) -> None:
    """Take a player's hand out of the round, and resolve the ruling that it is decided with.

    Against the house the hand is void and its wagers go back (ACT 2019, 12.3, 15.3(a)); between players it is dead.
    """
    seat = event.seat
    assert seat is not None
    _refuse(_why_no_exclusion(core, seat))
    core.resolve(pending if event.ruling is not None else [])
    core.carry_out(Outcome.VOID_HAND if core.book.banked == "house" else Outcome.DEAD_HAND, seat)


def why_not(core: Core) -> dict[tuple[Decision, int | None], str]:
    """The floor decisions that would be refused now, with the reason: by decision and, of an exclusion, by seat."""
    decisions: list[tuple[Decision, int | None]] = [
        (decision, None) for decision in Decision if Upon.TABLE in decision.upon
    ]
    decisions += [(Decision.EXCLUDE, seat) for seat in core.standing.seats]
    if not core.standing.open:
        return dict.fromkeys(decisions, "the table is closed")
    reasons = {(decision, seat): _why_not(core, decision, seat) for decision, seat in decisions}
    return {decided: reason for decided, reason in reasons.items() if reason is not None}


def _why_not(core: Core, decision: Decision, seat: int | None) -> str | None:
    match decision:
        case Decision.RESUME:
            return _why_no_resume(core, core.standing.pending)
        case Decision.MISDEAL | Decision.VOID:
            return _why_no_end(core)
        case Decision.EXCLUDE if seat is not None:
            return _why_no_exclusion(core, seat)
    return None


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise Refused(reason)


def _why_no_resume(core: Core, pending: list[PendingRuling]) -> str | None:
    faults = [fault for fault in core.standing.faults if fault.present or not _of_shoe(pending)]
    if not faults:
        return None
    kinds = ", ".join(f"{f.kind} ({'present' if f.present else 'not acknowledged'})" for f in faults)
    return f"cannot resume while a fault stands: {kinds}"


def _why_no_end(core: Core) -> str | None:
    if core.collecting():
        return "the round is over already"
    begun = core.in_round or core.round.forced.posts or core.round.house.any_wager or core.round.cut.done
    if not begun and core.rounds.phase in {"complete", "checking_cards"}:
        return "no round is in progress: the last one is over and counts"
    return None


def _why_no_exclusion(core: Core, seat: int) -> str | None:
    betting = core.round.betting
    if core.book.banked == "house":
        live = core.in_round and seat in boxes.unsettled(core)
    else:
        live = betting is not None and seat in betting.players and betting.is_live(seat)
    if live and not core.round.showdown.decided:
        return None
    return f"seat {seat} has no hand in play to exclude"


def _of_this_round(core: Core, pending: list[PendingRuling]) -> list[PendingRuling]:
    """Pending rulings that outlive the round in progress and are decided with it."""
    now = core.standing.round_number if core.in_round else None
    return [p for p in pending if p.beyond_round and p.round_number == now and p.outcome == Outcome.CALL_FLOOR.value]


def on_floor_called(core: Core, event: FloorCalled) -> None:
    """Raise the alarm that calls the floor."""
    core.need_open()
    if event.by != "dealer" and event.by not in SEAT_OF:
        raise Refused(f"by {event.by!r}: dealer or seat:1 to seat:10")
    alarms.raise_alarm(core, AlarmKind.FLOOR_CALLED, seat=SEAT_OF.get(event.by))
