"""Shelving: a person has an alarm not told for a time, with a reason (ISA-18.2). It comes back by itself."""

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.core.standing import Shelf
from table_fsm.errors import Refused
from table_fsm.events import Supervisor
from table_fsm.felt import SHELVABLE, SHELVED_MINUTES_MOST, Decision
from table_fsm.outputs import AlarmState

_MINUTE = 60.0


def change(core: Core, event: Supervisor) -> None:
    """Carry out a decision to shelve alarms, or to end that."""
    (_shelve if event.decision == Decision.SHELVE else _unshelve)(core, event)


def _shelve(core: Core, event: Supervisor) -> None:
    """Put alarms of a kind on a shelf: those of a device or a seat where one is named.

    While they lie there they do not escalate, light no lamp and want no acknowledgement; also those that come
    meanwhile. Another shelf of the same alarms gives way.
    """
    if event.alarm not in SHELVABLE:
        raise Refused(f"alarm {event.alarm!r} cannot be shelved: play is stopped, or a person must decide")
    if event.minutes is None or not 1 <= event.minutes <= SHELVED_MINUTES_MOST:
        raise Refused(f"shelve for {event.minutes} minutes: 1 to {SHELVED_MINUTES_MOST}")
    shelf = Shelf(event.alarm, event.device, event.seat, core.t + event.minutes * _MINUTE, event.staff)
    held = [alarm for alarm in core.standing.alarms if shelf.holds(alarm)]
    if not held:
        raise Refused(f"no alarm {event.alarm} stands to be shelved")
    core.standing.shelves = [one for one in core.standing.shelves if not _same(one, event)]
    core.standing.shelves.append(shelf)
    for alarm in held:
        alarms.say(core, alarm, AlarmState.SHELVED)
        if alarm.over:
            core.standing.alarms.remove(alarm)


def _unshelve(core: Core, event: Supervisor) -> None:
    """End the shelving of these alarms at once."""
    ending = [shelf for shelf in core.standing.shelves if _same(shelf, event)]
    if not ending:
        raise Refused(f"alarm {event.alarm} is not shelved")
    for shelf in ending:
        _end(core, shelf)


def end_due(core: Core) -> None:
    """End what was shelved until now."""
    for shelf in [shelf for shelf in core.standing.shelves if core.past(shelf.until)]:
        _end(core, shelf)


def _end(core: Core, shelf: Shelf) -> None:
    core.standing.shelves.remove(shelf)
    for alarm in core.standing.alarms:
        if shelf.holds(alarm) and core.standing.shelf_of(alarm) is None:
            alarm.sounded = core.t  # a person has a minute again
            alarm.escalated = False
            alarms.say(core, alarm, AlarmState.UNSHELVED)


def _same(shelf: Shelf, event: Supervisor) -> bool:
    return (shelf.kind, shelf.device, shelf.seat) == (event.alarm, event.device, event.seat)
