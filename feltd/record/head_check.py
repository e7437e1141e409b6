"""The entries of a journal held against heads that were signed: those beside it, and those that a witness holds."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from feltd.record.entries import EntryKind, HostEntry, Row, is_well_formed
from feltd.record.games import Games
from feltd.record.notes import CLOCK_SET_NOTE
from feltd.record.signed_heads import Heads, SignedHead
from feltd.record.starts import note_in, start_of

UNSIGNED: Final = 60.0
"""Seconds of entries behind the last head that no table at work leaves there: it signs after ten."""
UNSIGNED_ROUND: Final = 10.0
"""The same between two ends of rounds: each is signed at once."""
UNSIGNED_ROUNDS: Final = 2
"""Rounds that ended, which a power cut may leave, beside one that is open: a table commits no end before the one before
it is signed. Earlier versions did, where two came together."""
UNSIGNED_STARTS: Final = 1
"""Starts that one may leave: each signs what it finds before it writes."""
UNSIGNED_ENTRIES: Final = 16_384
"""Entries that one may leave: a table that is flooded signs four times as often."""
CLOCK_SET: Final = 60.0
"""Seconds that the wall clock may gain or lose on the host's without being set."""


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

    Who has the journal's key and cuts off the end of the file of heads can write anew what lies behind it, its clocks
    too. So times are one measure, and numbers another: rounds, starts and entries that are fewer are another game.
    """

    def __init__(self, last: int) -> None:
        """`last`: the entry of the last head; 0 where there is none yet."""
        self.first: Final = last + 1
        self.too_long = False
        self._entries = self._starts = 0
        self._rounds = _Rounds()
        self._games = Games()
        self._clocks: _Clocks | None = None
        self._ended: float | None = None

    def observe(self, row: Row) -> None:
        """Take the next entry."""
        if self.too_long or not is_well_formed(row):
            return  # `verify` names an entry that is not well formed as changed
        if row.seq < self.first:
            self._rounds.before(row)
            self._games.before(row)
            return
        self._entries += 1
        if start_of(row) is not None:
            self._starts += 1
            self._clocks = self._ended = None  # a machine that was started has another clock
        if self._clocks is None:
            self._clocks = _Clocks(row)
        self.too_long = (
            not self._clocks.fit(row)
            or self._ends_late(row)
            or not self._rounds.fit(row)
            or not self._games.fit(row)
            or self._starts > UNSIGNED_STARTS
            or self._entries > UNSIGNED_ENTRIES
        )

    def _ends_late(self, row: Row) -> bool:
        if not _is(row, HostEntry.ROUND_END):
            return False
        self._ended = row.host if self._ended is None else self._ended
        return row.host - self._ended > UNSIGNED_ROUND


class _Rounds:
    """The rounds behind the last head. A forger chooses which entries tell one, so each kind of them is counted."""

    def __init__(self) -> None:
        self._signed = 0
        """The number in the entries up to the last head: those that follow keep it until the next round begins."""
        self._numbers: set[int] = set()
        self._ended: set[int | None] = set()
        self._begun = self._ends = 0
        self._end_at = 0
        """The newest end of a round: a round with several keys ends in several entries, one behind the other."""

    def before(self, row: Row) -> None:
        """Take an entry that the last head covers."""
        if row.round is not None:
            self._signed = row.round

    def fit(self, row: Row) -> bool:
        """Whether a table at work may have left this entry behind those before."""
        if row.round not in (None, self._signed):
            self._numbers.add(row.round)
        self._begun += _is(row, HostEntry.ROUND_BEGIN)
        if _is(row, HostEntry.ROUND_END):
            self._ended.add(row.round)
            self._ends += row.seq != self._end_at + 1
            self._end_at = row.seq
        ended, all_rounds = max(self._ends, len(self._ended)), max(self._begun, len(self._numbers))
        return ended <= UNSIGNED_ROUNDS and all_rounds <= UNSIGNED_ROUNDS + 1


class _Clocks:
    """The two clocks of the entries behind the last head, from the first of them or from a start on."""

    def __init__(self, row: Row) -> None:
        self._began = self._host = row.host
        self._apart = row.wall - row.host
        self._untold = 0
        """How often the wall clock was set without the note of it. A table writes that within a second."""

    def fit(self, row: Row) -> bool:
        """Whether a table at work may have written this entry behind those before."""
        if row.host < self._host or row.host - self._began > UNSIGNED:
            return False
        self._host = row.host
        if abs(row.wall - row.host - self._apart) > CLOCK_SET:
            self._apart = row.wall - row.host
            self._untold += 1
        if note_in(row, CLOCK_SET_NOTE):
            self._untold = 0
        return self._untold <= 1


def _is(row: Row, name: HostEntry) -> bool:
    return (row.kind, row.name) == (EntryKind.HOST, name)


def _moment(head: SignedHead) -> str:
    try:
        return f"{datetime.fromtimestamp(head.wall_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}Z"
    except (OverflowError, ValueError, OSError):
        return "at no time"
