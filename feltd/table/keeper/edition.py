"""Which version of feltd wrote a record, and what the record says where another version goes on with it."""

from functools import cache
from importlib.metadata import version
from typing import Final

from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.notes import SNAPSHOT_NOTE, START_NOTE

FIRST_RELEASE: Final = "0.1.0"
"""The only release whose starts do not name their version; its snapshots do."""


@cache
def software() -> str:
    """The version of feltd that runs."""
    return version("feltd")


def last_writer(reader: JournalReader) -> str | None:
    """Return the version of feltd that wrote the end of the record.

    None if no feltd has started with it yet.
    """
    for entry in reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.NOTE), newest_first=True):
        if isinstance(entry.body, dict) and entry.body.get("note") in (START_NOTE, SNAPSHOT_NOTE):
            return str(entry.body.get("software", FIRST_RELEASE))
    return None


def change_of_edition(reader: JournalReader) -> str | None:
    """Return a remark if another version of feltd wrote the record.

    None if this version wrote it, or none has yet.
    """
    before = last_writer(reader)
    if before in (None, software()):
        return None
    remark = f"feltd {before} wrote the record up to here, and feltd {software()} goes on with it"
    number = reader.round_in_progress()
    if number is None:
        return f"{remark}, between two rounds"
    return f"{remark} in the middle of round {number}: the events of that round were played again"
