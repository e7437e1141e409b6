"""The writing of the journal: append, sync, recover, keep exports.

`Journal` is the daemon's side of the record; `feltd.record` has its format.
"""

from feltd.table.journal.health import Health, JournalState
from feltd.table.journal.journal import Journal

__all__ = ["Health", "Journal", "JournalState"]
