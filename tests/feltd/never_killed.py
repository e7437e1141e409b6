"""The run that a killed table is held against: one that takes the same events and is never killed."""

from pathlib import Path

from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.record import EntryKind, HostEntry, JournalReader, RecordedEvent, Span
from feltd.record.notes import START_NOTE
from feltd.table.keeper.recovery import state_mark
from table_fsm.library import load_library
from table_fsm.table import Table
from tests.feltd.kill_support import mark_at
from tests.feltd.seal_support import PRIVATE


class NeverKilled:
    """A table that takes the same events in one run, from the journal's first entry on."""

    def __init__(self, journal: Path, master_key: bytes) -> None:
        self._journal = journal
        self._key = master_key
        self._table = Table(load_library(rulebook_sources(), structure_sources()))
        self._seq = 0
        self.events: list[RecordedEvent] = []
        self.compared = 0
        self.mid_round = 0

    def compare_starts(self) -> None:
        """At each start noted since the last call: the killed and restarted table stood where this one stands."""
        with JournalReader.open(self._journal, self._key, PRIVATE) as reader:
            until = reader.head().seq  # a start written while this reads is for the next call
            span = Span(after=self._seq, until=until, kind=EntryKind.HOST, name=HostEntry.NOTE)
            starts = [entry for entry in reader.entries(span) if entry.body["note"] == START_NOTE]
            for start in starts:
                self._play(reader, start.seq)
                assert start.body["state"] == state_mark(self._table, mark_at(reader, self._key, start.seq)), (
                    f"start at entry {start.seq}"
                )
                self.compared += 1
                self.mid_round += self._table.view()["phase"] in ("dealing", "betting", "board", "showdown")
            self._play(reader, until)

    def _play(self, reader: JournalReader, until: int) -> None:
        for recorded in reader.events_since(self._seq, until=until):
            assert not recorded.sealed
            self._table.apply(recorded.event)
            self.events.append(recorded)
        self._seq = max(self._seq, until)


def assert_each_once(events: list[RecordedEvent], said: dict[str, tuple[str, int]]) -> None:
    """Every device's events, as it numbered them: from 1 to the last it made, each once, in order."""
    for device, (boot, last) in said.items():
        taken = [event.source for event in events if event.source is not None and event.source.device == device]
        assert {source.boot_id.hex() for source in taken} <= {boot}, device
        assert [source.seq for source in taken] == list(range(1, last + 1)), device
