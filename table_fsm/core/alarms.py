"""Alarms: raised, told, and over once their cause is gone."""

from typing import Protocol

from table_fsm.core.standing import AlarmRecord, Standing
from table_fsm.outputs import Alarm, AlarmState, Value


class Answering(Protocol):
    """What keeps the alarms, and answers the event in hand: the core."""

    standing: Standing
    t: float

    def emit(self, value: Value) -> None:
        """Add an output to those of the event in hand."""


def raise_alarm(
    core: Answering,
    kind: str,
    *,
    deck: str | None = None,
    device: str | None = None,
    seat: int | None = None,
    ruling: int | None = None,
) -> None:
    """Emit an alarm and record it until a person acknowledges it.

    If the same alarm is unacknowledged, emit it again but keep the record and its `since`.
    """
    alarm = AlarmRecord(kind, core.t, deck, device, seat, ruling)
    unseen = next((one for one in core.standing.alarms if one.is_about_as(alarm) and not one.acknowledged), None)
    if unseen is None:
        core.standing.alarms.append(alarm)
    else:
        unseen.over = False
    say(core, alarm, AlarmState.RAISED)
    if core.standing.shelves and core.standing.shelf_of(alarm) is not None:
        say(core, alarm, AlarmState.SHELVED)


def say(core: Answering, alarm: AlarmRecord, state: AlarmState) -> None:
    """Emit the new state of an alarm."""
    core.emit(Alarm(alarm.kind, alarm.deck, alarm.device, state, alarm.seat))


def over(core: Answering, alarm: AlarmRecord) -> None:
    """Clear an alarm whose cause is gone; remove it if nobody must acknowledge it."""
    if alarm.over:
        return
    alarm.over = True
    say(core, alarm, AlarmState.CLEARED)
    if not core.standing.is_due(alarm):
        core.standing.alarms.remove(alarm)
