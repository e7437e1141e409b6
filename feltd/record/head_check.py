"""The entries of a journal held against heads that were signed: those beside it, and those that a witness holds."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.signed_heads import Heads, SignedHead

UNSIGNED: Final = 60.0
"""Seconds of entries behind the last head that no table at work leaves there: it signs after ten."""
UNSIGNED_ROUND: Final = 10.0
"""The same between two ends of rounds: each is signed at once. A power cut leaves two that came together."""


@dataclass(frozen=True, slots=True)
class Source:
    """Heads, and whose they are, in words (`the witness`)."""

    heads: Heads
    name: str


class HeadCheck:
    """Holds entries, as they come in their order, against the heads of one source. Gives entries with words."""

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._heads = deque(source.heads.heads)
        self._sound = 0
        """Every entry up to this one is as a head knows it."""
        self._rewritten = False

    def at(self, seq: int, chain: bytes) -> Iterator[tuple[int, str]]:
        """What an entry's chain value shows: the first of the entries that were written anew, and words."""
        while self._heads and self._heads[0].seq < seq:
            self._heads.popleft()  # of an entry that is missing, which is found by its number
        while self._heads and self._heads[0].seq == seq:
            head = self._heads.popleft()
            if head.chain == chain:
                self._sound, self._rewritten = seq, False
            elif not self._rewritten:
                self._rewritten = True
                yield self._sound + 1, self._words(head)

    def after(self, last: int) -> Iterator[tuple[int, str]]:
        """What is left when entry `last` was the last: the first entry that is missing, and words."""
        newest = self._heads[-1] if self._heads else None
        if newest is not None and newest.seq > last:
            yield last + 1, f"{self._name} knows entries up to {newest.seq} (signed {_moment(newest)}), which are gone"

    def _words(self, head: SignedHead) -> str:
        first = self._sound + 1
        which = f"entry {head.seq} is" if first == head.seq else f"one or more of the entries {first} to {head.seq} are"
        return f"{which} not as {self._name} has them, signed {_moment(head)}: changed and chained anew"


class UnsignedEnd:
    """Looks at the entries behind the last head beside the record, for more than a table at work leaves there.

    Who has the journal's key and cuts off the end of the file of heads can write anew what lies behind it.
    It goes by the host's clock, which nobody sets: a wall clock is put right after a start.
    """

    def __init__(self, last: int) -> None:
        """`last`: the entry of the last head; 0 where there is none yet."""
        self.first: Final = last + 1
        self.too_long = False
        self._began: float | None = None
        self._ended: float | None = None

    def observe(self, row: Row) -> None:
        """Take the next entry."""
        if row.seq < self.first or type(row.host) is not float:  # a changed entry's
            return
        self._began = row.host if self._began is None else self._began
        self.too_long |= row.host - self._began > UNSIGNED
        if (row.kind, row.name) == (EntryKind.HOST, HostEntry.ROUND_END):
            self._ended = row.host if self._ended is None else self._ended
            self.too_long |= row.host - self._ended > UNSIGNED_ROUND


def _moment(head: SignedHead) -> str:
    try:
        return f"{datetime.fromtimestamp(head.wall_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}Z"
    except (OverflowError, ValueError, OSError):
        return "at no time"
