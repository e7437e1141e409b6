"""The format of a table's journal: every event and every output, chained and sealed.

`JournalReader` reads, `verify` checks the chain, `export` writes a part of it with its proof. The settings of the
database and what they cost: `database`; the form of an entry and the chain: `entries`; what is sealed and how:
`sealing`. Who writes it: `feltd.table.journal`.
"""

from feltd.record.entries import Entry, EntryKind, HostEntry, Seal, Source
from feltd.record.reader import JournalReader, RecordedEvent, Reveal
from feltd.record.stored_rows import Span

__all__ = ["Entry", "EntryKind", "HostEntry", "JournalReader", "RecordedEvent", "Reveal", "Seal", "Source", "Span"]
