"""What every event must have, whatever it is told to."""

from floor_fsm.core.event import Event
from floor_fsm.errors import Reason, Refused


def require_behind(event: Event, last: float) -> None:
    """Raises Refused for an event of a second before `last`, the second of the last event."""
    if event.t < last:
        raise Refused(Reason.TIME_RUNS_BACK, f"{event.ev} is of second {event.t:g}, before {last:g}")


def require_person(event: Event) -> None:
    """Raises Refused for an event that only a person decides, and that nobody has decided."""
    if event.needs_person and event.by is None:
        raise Refused(Reason.NOBODY_DECIDES, f"{event.ev} is a person's decision: say who, and why")
