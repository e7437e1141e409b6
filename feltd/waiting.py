"""Which rulings wait for a person, and how each came to wait no more: decided by somebody, or ended with its cause."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from table_fsm.events import Event, Supervisor
from table_fsm.outputs import Kind, Output
from table_fsm.table import Table

REMEMBERED: Final = 200
"""Settled rulings, the last of them."""
SETTLED_NOTE: Final = "rulings wait no more"
"""In the record, right after the event that did it: the `rulings` that it did not name itself."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a ruling. `by`: whoever decided, None where its cause ended; `outcome`: in its place."""

    by: str | None = None
    decision: str | None = None
    outcome: str | None = None
    reason: str | None = None


class WaitingRulings:
    """Follows one table's rulings. Asked after each event."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._waiting = table.waiting
        self._settled: dict[int, Settled] = {}

    def settled(self, ruling: int) -> Settled | None:
        """What became of it; None while it waits, where it never did, and for what is too long ago."""
        return self._settled.get(ruling)

    def observe(self, event: Event, outputs: Sequence[Output]) -> list[int]:
        """The table has taken this event. Gives the rulings that wait no more now, beside the one that it names."""
        now = self._table.waiting
        came = {output.value["id"] for output in outputs if output.kind is Kind.RULING and output.value["pending"]}
        gone = (self._waiting | came) - now
        self._waiting = now
        how = _decision(event, outputs)
        named = event.ruling if isinstance(event, Supervisor) else None
        if how is not None and named is not None and named not in now:
            gone |= {named}  # it need not have waited: one that was given and carried out can be overruled too
        for ruling in sorted(gone):
            self._settled.pop(ruling, None)
            self._settled[ruling] = how or Settled()
        while len(self._settled) > REMEMBERED:
            del self._settled[next(iter(self._settled))]
        return sorted(gone - {named})


def _decision(event: Event, outputs: Sequence[Output]) -> Settled | None:
    """What the event decides; None where it is no decision, or was refused."""
    if not isinstance(event, Supervisor) or event.decision in {"acknowledge", "check_deck"}:
        return None
    if any(output.kind is Kind.ERROR and output.value["ev"] == event.ev for output in outputs):
        return None
    return Settled(event.staff, event.decision, event.outcome, event.reason)
