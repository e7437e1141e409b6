"""What devices said of themselves when they came, their firmware among it: the record has it in their first event."""

from dataclasses import dataclass
from typing import Final

from feltd.record.entries import EntryKind
from feltd.record.reader import JournalReader
from feltd.record.stored_rows import Span

LOOKED_BACK: Final = 100_000
"""So many entries before its last one are looked through for an export: a shift or two. It must not take long."""


@dataclass(frozen=True, slots=True)
class SaidByDevice:
    """What a device said of itself when it last came, in the record's words; `wall`: seconds since 1970."""

    device: str
    said: str
    wall: float
    entry: int


def said_in(reader: JournalReader, until: int | None = None) -> dict[str, SaidByDevice]:
    """What each device said of itself when it last came, by its name.

    `until`: up to this entry, from `LOOKED_BACK` before it on; None looks through the whole record. Raises
    JournalCorrupt.
    """
    found: dict[str, SaidByDevice] = {}
    after = None if until is None else max(0, until - LOOKED_BACK)
    for entry in reader.entries(Span(after, until, kind=EntryKind.EVENT, name="device.state"), newest_first=True):
        body = entry.body if isinstance(entry.body, dict) else {}  # of an entry that was changed, anything
        name, said = body.get("device"), body.get("reason")
        if body.get("online") and isinstance(name, str) and isinstance(said, str) and name not in found:
            found[name] = SaidByDevice(name, said, entry.wall, entry.seq)
    return found
