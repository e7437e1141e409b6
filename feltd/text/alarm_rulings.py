"""Which alarm a ruling that waits belongs to: a page tells both on one line, the record has both facts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from table_fsm.felt import FaultKind
from table_fsm.rulebook.irregularities import SHOE_MATTERS


@dataclass(frozen=True, slots=True)
class Raised:
    """What an alarm is about. `over`: its cause has gone."""

    kind: str
    seat: int | None
    over: bool


@dataclass(frozen=True, slots=True)
class Waits:
    """What a ruling that waits is about."""

    ruling: int
    irregularity: str
    seat: int | None


def rulings_by_alarm(alarms: Sequence[Raised], waiting: Iterable[Waits]) -> tuple[tuple[int, ...], ...]:
    """For each alarm the rulings whose decision is its remedy. A ruling that has no alarm is in none of them.

    A ruling's alarm has its irregularity as its kind. A fault of the shoe has an alarm of its own, so a ruling that the
    shoe cannot be used has none beside it.
    """
    found: list[list[int]] = [[] for _ in alarms]
    for one in waiting:
        place = _own(alarms, one)
        if place is None and one.irregularity in SHOE_MATTERS:
            place = _of_shoe(alarms)
        if place is not None:
            found[place].append(one.ruling)
    return tuple(map(tuple, found))


def _own(alarms: Sequence[Raised], one: Waits) -> int | None:
    same = (at for at, alarm in enumerate(alarms) if (alarm.kind, alarm.seat) == (one.irregularity, one.seat))
    return next(same, None)


def _of_shoe(alarms: Sequence[Raised]) -> int | None:
    """The first fault that lasts, else the first that is over and not acknowledged."""
    faults = [at for at, alarm in enumerate(alarms) if alarm.kind in frozenset(FaultKind)]
    return next((at for at in faults if not alarms[at].over), faults[0] if faults else None)
