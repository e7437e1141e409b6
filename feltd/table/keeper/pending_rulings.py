"""Which rulings wait for a person, and how each came to wait no more: decided by somebody, or ended with its cause."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from feltd.door import Resolution
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.notes import SETTLED_NOTE
from table_fsm.events import Event, Supervisor, event_to_dict
from table_fsm.felt import LEAVES_WAITING
from table_fsm.outputs import Kind, Output, Refusal, Ruling
from table_fsm.table import Table

REMEMBERED: Final = 200
"""How many resolved rulings are kept: the latest."""
LOOKED_BACK: Final = 50_000
"""Entries of the record that are looked through at a start: some days of play, and a moment of the start."""


class PendingRulings:
    """Follows one table's rulings. Asked after each event."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._waiting = table.waiting
        self._settled: dict[int, Resolution] = {}

    def settled(self, ruling: int) -> Resolution | None:
        """What became of it; None while it waits, where it never did, and for what is too long ago."""
        return self._settled.get(ruling)

    def recall(self, record: JournalReader, since: int) -> None:
        """What the record says of rulings settled before this start, from entry `since` on; the table is asked what
        still waits."""
        after = max(since, record.head().seq - LOOKED_BACK)
        refused = {entry.answers for entry in record.entries(Span(after=after, name=Kind.ERROR.value))}
        decided: dict[int, Resolution] = {}
        found: list[tuple[int, int, Resolution]] = []
        for entry in record.entries(Span(after=after, kind=EntryKind.EVENT, name="supervisor")):
            how = None if entry.seq in refused else _told(entry.body)
            if how is not None:
                decided[entry.seq] = how
                found += [(entry.seq, entry.body["ruling"], how)] if entry.body.get("ruling") is not None else []
        for entry in record.entries(Span(after=after, kind=EntryKind.HOST, name=HostEntry.NOTE)):
            if entry.body.get("note") == SETTLED_NOTE:
                event = next(record.rows(Span(until=entry.seq, kind=EntryKind.EVENT), newest_first=True), None)
                how = decided.get(event.seq) if event is not None else None
                found += [(entry.seq, ruling, how or Resolution()) for ruling in entry.body["rulings"]]
        for _, ruling, how in sorted(found, key=lambda one: one[0]):
            if ruling not in self._waiting:
                self._remember(ruling, how)

    def observe(self, event: Event, outputs: Sequence[Output]) -> list[int]:
        """The table has taken this event. Gives the rulings that wait no more now, beside the one that it names."""
        now = self._table.waiting
        rulings = [output.value for output in outputs if isinstance(output.value, Ruling)]
        came = {ruling.id for ruling in rulings if ruling.pending}
        gone = (self._waiting | came) - now
        self._waiting = now
        how = _decision(event, outputs)
        named = event.ruling if isinstance(event, Supervisor) else None
        if how is not None and named is not None and named not in now:
            gone |= {named}  # it need not have waited: one that was given and carried out can be overruled too
        for ruling in sorted(gone):
            self._remember(ruling, how or Resolution())
        return sorted(gone - {named})

    def _remember(self, ruling: int, how: Resolution) -> None:
        self._settled.pop(ruling, None)
        self._settled[ruling] = how
        if len(self._settled) > REMEMBERED:
            del self._settled[next(iter(self._settled))]


def _decision(event: Event, outputs: Sequence[Output]) -> Resolution | None:
    """What the event decides; None where it is no decision, or was refused."""
    if not isinstance(event, Supervisor):
        return None
    if any(isinstance(output.value, Refusal) and output.value.ev == event.ev for output in outputs):
        return None
    return _told(event_to_dict(event))


def _told(body: Mapping[str, Any]) -> Resolution | None:
    """The same of a supervisor's event as it is recorded; None where it decides nothing, or is sealed whole."""
    decision = body.get("decision")
    if decision is None or decision in LEAVES_WAITING:
        return None
    return Resolution(body.get("staff"), decision, body.get("outcome"), body.get("reason"))
