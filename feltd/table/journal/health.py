"""Whether the journal takes entries, and whether they reach the disk."""

from dataclasses import dataclass
from enum import StrEnum

from feltd.table.journal.writer import Counters
from feltd.text.errors import JournalError


class JournalState(StrEnum):
    """Whether entries reach the disk."""

    RUNNING = "running"
    FAILED = "failed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Health:
    """The health of the journal.

    `error`: why it failed. `backlog`: entries taken and not yet synced.
    """

    state: JournalState
    error: JournalError | None
    appended: int
    synced: int
    backlog: int
    accepting: bool
    counters: Counters
