"""The journal of a table: every event taken in and every output, chained, sealed, synced.

`Journal` is the daemon's side (append, be told what is on the disk, recover). `JournalReader` reads, `verify` checks
the chain, `export` writes a part of it with its proof. The settings and what they cost: `database`; the form of an
entry and the chain: `entries`; what is sealed and how: `sealing`.
"""

from feltd.journal.entries import Entry, EntryKind, HostEntry, Seal, Source
from feltd.journal.journal import Health, Journal, JournalState
from feltd.journal.reader import JournalReader, RecordedEvent, Reveal, Span

__all__ = [
    "Entry",
    "EntryKind",
    "Health",
    "HostEntry",
    "Journal",
    "JournalReader",
    "JournalState",
    "RecordedEvent",
    "Reveal",
    "Seal",
    "Source",
    "Span",
]
