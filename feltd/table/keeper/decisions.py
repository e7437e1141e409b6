"""A person's decision on its way to the table: its check and its event."""

from feltd.door import CommandRefused, DecisionRequest
from feltd.table.keeper.keeper import TableKeeper
from table_fsm.events import Supervisor
from table_fsm.felt import LETS_GO_ON, Decision


def event_of(decision: DecisionRequest, staff: str) -> Supervisor:
    """Return the table's event of a decision by this member of staff; set its `t` afterwards."""
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
    )


def check_still_waits(keeper: TableKeeper, decision: DecisionRequest) -> None:
    """Raise CommandRefused for a decision that is too late, or that acknowledges an alarm that there is not.

    Another person has decided, or the cause is gone. A kind or a device that no alarm has would reach the record as
    words that a person may write, and the record does not seal them.
    """
    if decision.alarm is not None:
        view, what = keeper.table.view(), decision.decision
        if what == Decision.UNSHELVE:
            stand = [(one["kind"], one["device"]) for one in view["shelves"]]
        else:
            alarms = (one for one in view["alarms"] if what == Decision.SHELVE or not one["acknowledged"])
            stand = [(one["kind"], one["device"]) for one in alarms]
        if not any(kind == decision.alarm and decision.device in {None, device} for kind, device in stand):
            raise CommandRefused("this alarm has ended or is acknowledged already")
    if decision.ruling is None or decision.decision not in LETS_GO_ON:
        return
    if decision.ruling in keeper.table.waiting:
        return
    resolution = keeper.pending_rulings.settled(decision.ruling)
    why = f"{resolution.by} has decided it already" if resolution and resolution.by else "it waits for nobody any more"
    raise CommandRefused(f"ruling {decision.ruling}: {why}")
