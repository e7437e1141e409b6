"""A journal for readers: entries, and exports with proof; the round in play stays sealed."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from feltd.record.entries import Entry
from feltd.record.export import closed_part, export, export_round, span_between
from feltd.record.reader import JournalReader, Reveal, Span


class JournalRows:
    """A journal opened without its master key.

    One thread at a time; close it, or use it as a context manager.
    """

    def __init__(self, path: Path) -> None:
        """Raises JournalError where the journal at `path` cannot be opened."""
        self._reader = JournalReader.open(path)
        self.name = path.name

    @property
    def journal_id(self) -> bytes:
        """The journal's identity: 16 bytes."""
        return self._reader.journal_id

    def last_entry(self) -> int:
        """The number of the last entry on the disk."""
        return self._reader.head().seq

    def entries(
        self, span: Span | None = None, *, reveal: Reveal = Reveal.FINISHED, newest_first: bool = False
    ) -> Iterator[Entry]:
        """Entries in the order of their numbers.

        Raises JournalKeyMissing for Reveal.ALL, JournalCorrupt.
        """
        return self._reader.entries(span, reveal=reveal, newest_first=newest_first)

    def export(self, first: int, last: int) -> Iterator[str]:
        """The lines of an export of these entries with its proof, both included.

        Raises JournalMissing.
        """
        return export(self._reader, first, last)

    def export_round(self, number: int) -> Iterator[str]:
        """The lines of an export of a round with its proof. Raises JournalMissing."""
        return export_round(self._reader, number)

    def span_between(self, since: float | None, until: float | None) -> tuple[int, int] | None:
        """The first and the last entry within a time (wall seconds), before a round that is not over.

        None where nothing was written. Raises JournalMissing where all of it is of a round that is not over.
        """
        span = span_between(self._reader, since, until)
        return None if span is None else (span[0], closed_part(self._reader, *span)[0])

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def __enter__(self) -> "JournalRows":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
