"""A person's decision on its way to the table: its check and its event."""

from collections.abc import Iterator
from dataclasses import replace

from feltd.door import CommandRefused, DecisionRequest
from feltd.table.keeper.keeper import TableKeeper
from table_fsm.events import Supervisor
from table_fsm.felt import LETS_GO_ON, Decision


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
