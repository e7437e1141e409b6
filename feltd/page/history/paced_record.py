"""The record read with rests in between, by a thread that must leave the interpreter to the loop."""

from collections.abc import Iterator
from types import TracebackType

from feltd.door import RecordRows
from feltd.page.limits.turns import paced
from feltd.record import Entry, Reveal, Span


class PacedRecord:
    """A record whose entries are given at a pace: whatever is made of them is made at that pace."""

    def __init__(self, record: RecordRows) -> None:
        self._record = record
        self.name = record.name
        self.journal_id = record.journal_id

    def last_entry(self) -> int:
        """The number of the last entry on the disk."""
        return self._record.last_entry()

    def entries(
        self, span: Span | None = None, *, reveal: Reveal = Reveal.FINISHED, newest_first: bool = False
    ) -> Iterator[Entry]:
        """Give entries in the order of their numbers."""
        return paced(self._record.entries(span, reveal=reveal, newest_first=newest_first))

    def export(self, first: int, last: int) -> Iterator[str]:
        """The lines of an export of these entries with its proof."""
        return paced(self._record.export(first, last))

    def export_round(self, number: int) -> Iterator[str]:
        """The same of a round."""
        return paced(self._record.export_round(number))

    def span_between(self, since: float | None, until: float | None) -> tuple[int, int] | None:
        """The first and the last entry within a time; None where nothing was written."""
        return self._record.span_between(since, until)

    def close(self) -> None:
        """No call may follow."""
        self._record.close()

    def __enter__(self) -> "PacedRecord":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
