"""The record as the table hands it to a reader: rows, and parts of it with their proof."""

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol

from feltd.record import Entry, Reveal, Span


class RecordRows(Protocol):
    """An open record, for one thread at a time.

    Close it, or use it as a context manager. Calls block while the disk does. Cards of the round in progress stay
    sealed, whatever is asked for. Every call may raise JournalError.
    """

    @property
    def name(self) -> str:
        """The record's name for people."""

    @property
    def journal_id(self) -> bytes:
        """Tells one record from another: 16 bytes."""

    def last_entry(self) -> int:
        """The number of the last entry on the disk."""

    def entries(
        self, span: Span | None = None, *, reveal: Reveal = Reveal.FINISHED, newest_first: bool = False
    ) -> Iterator[Entry]:
        """Give entries in the order of their numbers.

        `reveal`: which cards to open: NOTHING, or those of FINISHED rounds.
        """

    def export(self, first: int, last: int) -> Iterator[str]:
        """Give the lines of an export of the entries from `first` to `last`, with its proof.

        It ends before a round that is not over. Raises JournalMissing.
        """

    def export_round(self, number: int) -> Iterator[str]:
        """The same of a round. Raises JournalMissing."""

    def span_between(self, since: float | None, until: float | None) -> tuple[int, int] | None:
        """The first and the last entry within a time (wall seconds), before a round that is not over.

        None where nothing was written. Raises JournalMissing where all of it is of a round that is not over.
        """

    def close(self) -> None:
        """No call may follow."""

    def __enter__(self) -> "RecordRows": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
