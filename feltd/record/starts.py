"""Notes in a record by their words: of a table's starts the newest, and the first key that one names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.notes import START_NOTE
from feltd.record.row_json import parse
from feltd.record.stored_rows import StoredRows

FAR: Final = 10_000
"""So many notes are looked through, from the newest on: some two weeks without a start. A start must not take long."""


@dataclass(frozen=True, slots=True)
class LastStart:
    """The body of the newest note of a start; None where there is none. `too_far`: more notes were not looked at.

    `since`: the bodies of the notes behind it that were asked for, in their order.
    """

    note: Mapping[str, Any] | None
    too_far: bool = False
    since: Sequence[Mapping[str, Any]] = ()


def last_start(reader: StoredRows, far: int = FAR, wanted: Collection[str] = ()) -> LastStart:
    """The newest note of a start among the newest notes, `far` of them. Raises JournalCorrupt.

    `wanted`: the words of notes behind it that are to be told, where they are not too far back.
    """
    notes = reader.newest_numbers(HostEntry.NOTE, far)
    since: list[Mapping[str, Any]] = []
    rows = (found[0] for seq in notes if (found := reader.row_with_chain(seq)) is not None)
    for row in rows:
        note = start_of(row)
        if note is not None:
            return LastStart(note, since=since[::-1])
        since += [body for words in wanted if (body := note_in(row, words)) is not None]
    return LastStart(None, len(notes) == far)


def start_of(row: Row) -> Mapping[str, Any] | None:
    """The body of a note of a start; None for any other entry."""
    return note_in(row, START_NOTE)


def note_in(row: Row, note: str) -> Mapping[str, Any] | None:
    """The body of a note with these words; None for any other entry."""
    if (row.kind, row.name) != (EntryKind.HOST, HostEntry.NOTE):
        return None
    text = str(row.body)
    if note not in text and "\\" not in text:  # a forger may write its words with escapes
        return None
    try:
        body = parse(row.body)
    except (ValueError, TypeError):
        return None  # a changed entry's
    return body if isinstance(body, dict) and body.get("note") == note else None


def first_key_in(note: Mapping[str, Any] | None) -> str | None:
    """The first key of the record's heads that a start named, in hexadecimal; None where it named none."""
    key = None if note is None else note.get("first_key")
    return key if isinstance(key, str) else None
