"""A person's decision on its way to the table: its check and its event."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from feltd.door import CommandRefused, DecisionRequest
from feltd.door.decisions import DEVICES_SEEN_MOST
from feltd.table.keeper.keeper import TableKeeper
from table_fsm.events import Supervisor
from table_fsm.felt import LETS_GO_ON, Decision, Need
from table_fsm.rulebook.outcomes import Outcome

_ALARM: Final = re.compile(r"[a-z0-9_.]{1,64}")
_DEVICE: Final = re.compile(r"[a-z0-9][a-z0-9:_-]{0,63}")


def event_of(decision: DecisionRequest, staff: str) -> Supervisor:
    """Return the table's event of a decision by this member of staff; set its `t` afterwards."""
    seen = decision.seen
    of_kind = seen if decision.alarm is not None else None
    return Supervisor(
        t=0.0,
        decision=decision.decision,
        staff=staff,
        ruling=decision.ruling,
        outcome=decision.outcome,
        reason=decision.reason,
        seat=decision.seat,
        alarm=decision.alarm,
        device=decision.device,
        minutes=decision.minutes,
        deck=None if of_kind is None else of_kind.deck,
        devices=None if of_kind is None else list(of_kind.devices),
        until=None if seen is None else seen.until,
        cleared=True if seen is not None and seen.cleared else None,
    )


def require_whole(decision: DecisionRequest) -> None:
    """Raises CommandRefused for a decision that is none, lacks what it needs, or has what belongs to another one."""
    if decision.decision not in set(Decision):
        raise CommandRefused(f'there is no decision "{decision.decision}"')
    needs = Decision(decision.decision).needs
    if Need.REASON in needs and decision.reason is None:
        raise CommandRefused(f"{decision.decision} needs a reason")
    if (Need.OUTCOME in needs) is not (decision.outcome is not None):
        raise CommandRefused("an outcome belongs to overrule, and overrule needs one")
    if decision.outcome is not None and decision.outcome not in set(Outcome):
        raise CommandRefused(f'there is no outcome "{decision.outcome}"')
    if Need.RULING in needs and decision.ruling is None:
        raise CommandRefused(f"{decision.decision} needs a ruling")
    acknowledges = decision.decision == Decision.ACKNOWLEDGE and decision.alarm is not None
    if not (acknowledges or Need.ALARM in needs) and (Need.SEAT in needs) is not (decision.seat is not None):
        raise CommandRefused("a seat belongs to exclude, and exclude needs one")
    if (Need.MINUTES in needs) is not (decision.minutes is not None):
        raise CommandRefused("minutes belong to shelve, and shelve needs them")
    if (Need.ALARM in needs) is not (decision.alarm is not None) and not acknowledges:
        raise CommandRefused("an alarm belongs to acknowledge, shelve and unshelve, and the last two need one")
    if decision.alarm is not None and _ALARM.fullmatch(decision.alarm) is None:
        raise CommandRefused("this is no kind of alarms")
    if decision.device is not None and _DEVICE.fullmatch(decision.device) is None:
        raise CommandRefused("this is no name of a device")
    if (seen := decision.seen) is not None:
        if decision.decision != Decision.ACKNOWLEDGE or decision.ruling is not None or decision.device is not None:
            raise CommandRefused("what was seen belongs to acknowledge, without a ruling, and has its own devices")
        if len(seen.devices) > DEVICES_SEEN_MOST or not all(map(_DEVICE.fullmatch, seen.devices)):
            raise CommandRefused("these are no names of devices")


def still_waiting(keeper: TableKeeper, decision: DecisionRequest) -> DecisionRequest:
    """Return the decision, of the alarms that a person saw with those alone that still want to be acknowledged.

    Raises CommandRefused for a decision that is too late, or that acknowledges an alarm that there is not: another
    person has decided, or the cause is gone. A kind, a device or a deck that no alarm has would reach the record as
    words that a person may write, and the record does not seal them.
    """
    if decision.alarm is not None:
        stand = frozenset(_standing(keeper, decision))
        if not stand:
            raise CommandRefused("this alarm has ended or is acknowledged already")
        if decision.seen is not None:
            devices = tuple(device for device in decision.seen.devices if device in stand)
            decision = replace(decision, seen=replace(decision.seen, devices=devices))
    if decision.ruling is None or decision.decision not in LETS_GO_ON:
        return decision
    if decision.ruling in keeper.table.waiting:
        return decision
    resolution = keeper.pending_rulings.settled(decision.ruling)
    why = f"{resolution.by} has decided it already" if resolution and resolution.by else "it waits for nobody any more"
    raise CommandRefused(f"ruling {decision.ruling}: {why}")


def _standing(keeper: TableKeeper, decision: DecisionRequest) -> Iterator[str | None]:
    """The devices of the alarms, or of the shelves, that the decision is about; None for one without a device."""
    view, seen = keeper.table.view(), decision.seen
    if decision.decision == Decision.UNSHELVE:
        yield from (one["device"] for one in view["shelves"] if _is_named(decision, one["kind"], one["device"]))
        return
    for one in view["alarms"]:
        device = one["device"]
        if decision.decision != Decision.SHELVE and one["acknowledged"]:
            continue
        if seen is None and _is_named(decision, one["kind"], device) and decision.seat in {None, one["seat"]}:
            yield device
        elif seen is not None and (one["kind"], one["seat"], one["deck"]) == (decision.alarm, decision.seat, seen.deck):
            of_device = device in seen.devices if seen.devices else device is None
            as_seen = one["since"] <= seen.until and not one["shelved"] and (one["over"] or not seen.cleared)
            if of_device and as_seen:
                yield device


def _is_named(decision: DecisionRequest, kind: str, device: str | None) -> bool:
    return kind == decision.alarm and decision.device in {None, device}
