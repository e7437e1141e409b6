"""The writing of the journal: append, sync, recover, keep exports.

`Journal` is the daemon's side of the record; `feltd.record` has its format.
"""

from feltd.table.journal.journal import Health, Journal, JournalState

__all__ = ["Health", "Journal", "JournalState"]
