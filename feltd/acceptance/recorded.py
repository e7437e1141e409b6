"""The journal of a table that runs on this board, asked what has come since a step began."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from feltd.acceptance.steps import Expected
from feltd.record import EntryKind, JournalReader, Span
from feltd.record.entries import Entry, HostEntry
from feltd.text.as_owner import as_owner_of


class JournalRecord:
    """The journal, read beside its writer; where root does it, as the user whose it is.

    SQLite opens the files beside a journal when it reads, too: so that holds for each reading.
    """

    def __init__(self, path: Path) -> None:
        """Raises JournalError, PlaceError."""
        self._path = path
        with as_owner_of(path):
            self._reader = JournalReader.open(path)

    @property
    def journal_id(self) -> str:
        """The journal's id, in hexadecimal digits."""
        return self._reader.journal_id.hex()

    def last(self) -> int:
        with as_owner_of(self._path):
            return self._reader.head().seq

    def found(self, expected: Expected, after: int) -> bool:
        with as_owner_of(self._path):
            return any(
                fits(entry.name, entry.body, _device(entry), expected) for entry in self._entries(after, expected)
            )

    def others(self, expected: Expected, after: int) -> Sequence[str]:
        if expected.device is None:
            return []
        with as_owner_of(self._path):
            return self._others(expected, after)

    def _others(self, expected: Expected, after: int) -> Sequence[str]:
        other_events = [
            in_words(entry.name, entry.body)
            for entry in self._reader.entries(Span(after=after, kind=EntryKind.EVENT, device=expected.device))
            if not fits(entry.name, entry.body, expected.device, expected)
        ]
        again = (
            sum(fits(entry.name, entry.body, _device(entry), expected) for entry in self._entries(after, expected)) - 1
        )
        return [*other_events, *[f"{expected} once more"] * again]

    def close(self) -> None:
        """Let go of the file."""
        with as_owner_of(self._path):
            self._reader.close()

    def _entries(self, after: int, expected: Expected) -> Iterator[Entry]:
        kind = EntryKind.HOST if expected.event == HostEntry.NOTE else EntryKind.EVENT
        return self._reader.entries(Span(after=after, kind=kind, name=expected.event))


def fits(name: str, body: Any, device: str | None, expected: Expected) -> bool:
    """Whether an entry is what was expected: its name, at least these fields, and whose it is."""
    if name != expected.event or not isinstance(body, Mapping):
        return False
    if expected.device is not None and device != expected.device:
        return False
    return all(body.get(field) == value for field, value in expected.where.items())


def in_words(name: str, body: Any) -> str:
    """Describe a device's event for the report: its name and place, never a card."""
    fields = body if isinstance(body, Mapping) else {}
    parts = [
        f"{field} {fields[field]}" for field in ("marker", "seat", "cents", "zone", "by", "action") if field in fields
    ]
    return f"{name} ({', '.join(parts)})" if parts else name


def _device(entry: Entry) -> str | None:
    return None if entry.source is None else entry.source.device
