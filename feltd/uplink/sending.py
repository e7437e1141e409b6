"""What of a journal is sent next: by what the floor said last, and by nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Protocol

from feltd.custody.errors import CustodyError
from feltd.custody.messages import HEADS_MOST, VERSION, Hello, Rows, Stand
from feltd.record.rows import StoredRows
from feltd.record.signed_heads import HeadLines
from feltd.text.errors import FeltdError

BATCH_ROWS: Final = 500


class Source(Protocol):
    """A journal as the table hands it out. Calls block while the disk does."""

    @property
    def journal_id(self) -> bytes:
        """The journal's identity, 16 bytes."""

    def stored(self, after: int, most: int) -> StoredRows:
        """Entries as they are stored, behind entry `after`. Raises FeltdError."""

    def heads(self, at: int, most: int) -> HeadLines:
        """Lines of the signed heads from byte `at` of their file on. Raises FeltdError, also where none are known."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One look at the journal. `rows`: what to send, None for nothing; `head`: the journal's last entry.

    `room`: bytes that are free on its disk, None where it is not known.
    """

    rows: Rows | None
    head: int
    room: int | None = None


@dataclass(slots=True)
class Told:
    """The last `stand` that a floor has told of a journal, over connections.

    By it a floor that was put back is found out. It decides nothing of what is sent.
    """

    journal: bytes = b""
    seq: int = 0


class Sender:
    """One connection's side of the table. It believes the floor's last `stand`, and asks the journal each time."""

    def __init__(self, source: Source, warn: Callable[[str], object], told: Told | None = None) -> None:
        """`told`: what is remembered over connections; None remembers nothing."""
        self._source = source
        self._warn = warn
        self._told = told or Told()
        self._stand: Stand | None = None
        self._heads = True

    def hello(self, software: str) -> Hello:
        """The first message. Raises FeltdError."""
        journal = self._source.journal_id
        heard = self._told.seq if self._told.journal == journal else 0
        return Hello(VERSION, journal, self._source.stored(0, 0).format, software, obeys=True, heard=heard)

    @property
    def stand(self) -> Stand | None:
        """The floor's head, as it was told last."""
        return self._stand

    def heard(self, stand: Stand) -> None:
        """The floor has said where it stands."""
        if stand.forked and (self._stand is None or not self._stand.forked):
            self._warn(
                f"the floor has two of this journal, apart at or before its entry {stand.seq}: it adds nothing more. "
                "Find out which card was copied or put back, and begin a new journal at this table"
            )
        self._stand = stand
        self._told.journal, self._told.seq = self._source.journal_id, stand.seq

    def look(self) -> Looked:
        """Look at the journal for what comes behind the floor's head; after `heard`. Raises FeltdError."""
        stand = self._stand
        if stand is None:
            raise CustodyError("rows are asked for before the floor said where it stands", "uplink", "Report it")
        found = self._source.stored(stand.seq, 0 if stand.forked else BATCH_ROWS)
        if stand.forked:
            return Looked(None, found.head, found.room)
        first = stand.seq + 1
        if found.before is None:  # the journal ends before the floor's head: it was put back
            first = max(1, found.head)
            found = self._source.stored(first - 1, BATCH_ROWS)
        elif found.before != stand.chain:  # another history: what differs is shown, for the floor to keep
            first = max(1, stand.seq)
            found = self._source.stored(first - 1, BATCH_ROWS)
        elif not found.rows:
            return Looked(None, found.head, found.room)
        if found.before is None or found.chain is None:  # it went back between the two looks: look again
            return Looked(None, found.head, found.room)
        rows = Rows(first, found.before, found.chain, found.head, stand.seq, found.rows)
        return Looked(rows, found.head, found.room)

    def heads(self) -> HeadLines | None:
        """The next signed heads of entries that the floor has; None for none, and for a floor that takes none."""
        stand = self._stand
        if stand is None or stand.signed is None or stand.forked or not self._heads:
            return None
        try:
            found = self._source.heads(stand.signed, HEADS_MOST)
        except FeltdError as fault:
            self._heads = False  # an older table: its rows go up as before
            self._warn(f"the signed heads of the record do not go up on this connection: {fault}")
            return None
        lines = tuple(takewhile(lambda line: _entry(line) <= stand.seq, found.lines))
        return HeadLines(found.at, lines) if lines else None


def _entry(line: str) -> int:
    """The entry that a line is about; 0 for the first line, which names the key."""
    word = line.partition(" ")[0]
    return int(word) if word.isdecimal() else 0
