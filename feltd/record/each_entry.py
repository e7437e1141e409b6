"""Every entry of a journal that may be damaged: those that can be read, and the numbers of those that cannot.

A query that meets a damaged page gives nothing of its chunk, and one that meets a damaged number goes astray without a
word. The entries of such a chunk are asked for one by one. In a sound file a gap is what somebody took away; in a
damaged one it is what the file does not give.
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
LOOKED_FOR: Final = 8
"""So many entries that a search by number does not find are looked for among all: each look reads the whole file."""
_OUT_OF_PLACE: Final = "its number in the file is damaged, or that of an entry beside it"


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
    one_by_one = _OneByOne(reader)
    while True:
        rows = reader.rows_with_chain(Span(after=last, until=until))
        try:
            for row, chain in rows:
                if row.seq != last + 1:
                    one_by_one.require_sound()
                last, lost = row.seq, 0
                yield row, chain
            if until is not None and last < until:
                one_by_one.require_sound()
        except (JournalCorrupt, JournalDisk) as damage:
            if lost >= UNREADABLE_ON_END:
                raise
            end = last + CHUNK if until is None else min(last + CHUNK, until)
            for seq in range(last + 1, end + 1):
                found = one_by_one.of(seq)
                lost = lost + 1 if isinstance(found, Unreadable) else 0
                if found is not None:
                    yield found
            if last == end:
                raise damage from None
            last = end
        else:
            return


class _OneByOne:
    """Asks for entries by their numbers, in a file that has given something else than the next one."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._damaged: bool | None = None
        self._looks = LOOKED_FOR

    def require_sound(self) -> None:
        """Raise JournalCorrupt where the file is damaged, so that entries which it does not give may be there."""
        if self._is_damaged():
            raise JournalCorrupt("entries are out of their order", self._reader.path, "Copy it, and look at the disk")

    def of(self, seq: int) -> tuple[Row, Any] | Unreadable | None:
        """Entry `seq`; None where a sound file has none of this number."""
        try:
            found = self._reader.row_with_chain(seq)  # a span would read on into the entries beside it
            if found is None and self._is_damaged():
                return self._among_all(seq)
        except (JournalCorrupt, JournalDisk) as damage:
            return Unreadable(seq, damage.what)
        return found

    def _is_damaged(self) -> bool:
        if self._damaged is None:
            self._damaged = self._reader.is_damaged()
        return self._damaged

    def _among_all(self, seq: int) -> tuple[Row, Any] | Unreadable:
        if self._looks == 0:
            return Unreadable(seq, _OUT_OF_PLACE)
        self._looks -= 1
        return self._reader.row_out_of_place(seq) or Unreadable(seq, _OUT_OF_PLACE)
