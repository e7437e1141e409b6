"""Rulings that wait for a person, and how each was resolved.

A ruling is decided by somebody, or ends with its cause.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from feltd.door import Resolution
from feltd.record import EntryKind, HostEntry, JournalReader, Reveal, Span
from feltd.record.notes import SETTLED_NOTE
from table_fsm.events import Event, Supervisor, event_to_dict
from table_fsm.felt import LEAVES_WAITING
from table_fsm.outputs import Kind, Output, Refusal, Ruling
from table_fsm.table import Table

REMEMBERED: Final = 200
"""Number of resolved rulings kept: the latest."""
LOOKED_BACK: Final = 50_000
"""Most entries of the record that are searched at a start: some days of play, and a moment of the start."""


class PendingRulings:
    """Follows the rulings of one table, event by event."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._waiting = table.waiting
        self._settled: dict[int, Resolution] = {}

    def settled(self, ruling: int) -> Resolution | None:
        """The resolution of a ruling.

        None while it waits, where it never did, and where that is too long ago.
        """
        return self._settled.get(ruling)

    def recall(self, record: JournalReader, since: int) -> None:
        """Read from the record the resolutions of rulings before this start.

        `since`: the first entry. A ruling that waits in the table is not resolved.
        """
        after = max(since, record.head().seq - LOOKED_BACK)
        refused = {entry.answers for entry in record.entries(Span(after=after, name=Kind.ERROR.value))}
        by_event: dict[int, Resolution] = {}
        settled: list[tuple[int, int, Resolution]] = []
        reveal = Reveal.ALL if record.master else Reveal.FINISHED  # a reason is sealed until its round is over
        for entry in record.entries(Span(after=after, kind=EntryKind.EVENT, name="supervisor"), reveal=reveal):
            resolution = None if entry.seq in refused else _resolution_of(entry.body)
            if resolution is None:
                continue
            by_event[entry.seq] = resolution
            if entry.body.get("ruling") is not None:
                settled.append((entry.seq, entry.body["ruling"], resolution))
        for entry in record.entries(Span(after=after, kind=EntryKind.HOST, name=HostEntry.NOTE)):
            if entry.body.get("note") != SETTLED_NOTE:
                continue
            event = next(record.rows(Span(until=entry.seq, kind=EntryKind.EVENT), newest_first=True), None)
            cause = None if event is None else by_event.get(event.seq)
            settled += [(entry.seq, ruling, cause or Resolution()) for ruling in entry.body["rulings"]]
        for _, ruling, resolution in sorted(settled, key=lambda row: row[0]):
            if ruling not in self._waiting:
                self._remember(ruling, resolution)

    def observe(self, event: Event, outputs: Sequence[Output]) -> list[int]:
        """Note an event that the table has taken; return the rulings that it ended.

        Without the ruling that the event names.
        """
        now = self._table.waiting
        rulings = [output.value for output in outputs if isinstance(output.value, Ruling)]
        came = {ruling.id for ruling in rulings if ruling.pending}
        gone = (self._waiting | came) - now
        self._waiting = now
        resolution = _resolution_by(event, outputs)
        named = event.ruling if isinstance(event, Supervisor) else None
        if resolution is not None and named is not None and named not in now:
            gone |= {named}  # it may never have waited: a ruling that was carried out can be overruled too
        for ruling in sorted(gone):
            self._remember(ruling, resolution or Resolution())
        return sorted(gone - {named})

    def _remember(self, ruling: int, resolution: Resolution) -> None:
        self._settled.pop(ruling, None)
        self._settled[ruling] = resolution
        if len(self._settled) > REMEMBERED:
            del self._settled[next(iter(self._settled))]


def _resolution_by(event: Event, outputs: Sequence[Output]) -> Resolution | None:
    """The resolution by an event; None where it is no decision, or was refused."""
    if not isinstance(event, Supervisor):
        return None
    if any(isinstance(output.value, Refusal) and output.value.ev == event.ev for output in outputs):
        return None
    return _resolution_of(event_to_dict(event))


def _resolution_of(body: Mapping[str, Any]) -> Resolution | None:
    """The resolution by a supervisor's event, from its body in the record.

    None where it resolves nothing, or where it is sealed whole.
    """
    decision = body.get("decision")
    if decision is None or decision in LEAVES_WAITING:
        return None
    return Resolution(body.get("staff"), decision, body.get("outcome"), body.get("reason"))
