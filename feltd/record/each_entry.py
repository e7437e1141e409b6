"""Every entry of a journal that may be damaged: those that can be read, and the numbers of those that cannot.

A query that meets a damaged page gives nothing of its chunk. The entries of such a chunk are asked for one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from feltd.record.entries import Row
from feltd.record.reader import JournalReader
from feltd.record.stored_rows import CHUNK, Span
from feltd.text.errors import JournalCorrupt, JournalDisk

UNREADABLE_ON_END: Final = 1000
"""After so many entries without one that can be read, the rest counts as one fault."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An entry that the file does not give any more. `why`: in words."""

    seq: int
    why: str


def each_entry(reader: JournalReader, until: int | None) -> Iterator[tuple[Row, Any] | Unreadable]:
    """The entries up to `until` (None: all) in their order, each with the chain value stored beside it.

    Raises JournalCorrupt or JournalDisk where so many entries on end cannot be read that the file is lost from there.
    """
    last, lost = 0, 0
    while True:
        rows = reader.rows_with_chain(Span(after=last, until=until))
        try:
            for row, chain in rows:
                last, lost = row.seq, 0
                yield row, chain
        except (JournalCorrupt, JournalDisk) as damage:
            if lost >= UNREADABLE_ON_END:
                raise
            end = last + CHUNK if until is None else min(last + CHUNK, until)
            for seq in range(last + 1, end + 1):
                found = _one(reader, seq)
                lost = lost + 1 if isinstance(found, Unreadable) else 0
                if found is not None:
                    yield found
            if last == end:
                raise damage from None
            last = end
        else:
            return


def _one(reader: JournalReader, seq: int) -> tuple[Row, Any] | Unreadable | None:
    """Entry `seq`; None where the file has none of this number."""
    try:
        return reader.row_with_chain(seq)  # a span would read on into the entries beside it
    except (JournalCorrupt, JournalDisk) as damage:
        return Unreadable(seq, damage.what)
