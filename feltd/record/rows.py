"""A journal for readers: entries, and exports with proof; the round in play stays sealed."""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from feltd.record.entries import FORMAT, Entry, HostEntry, Row, chain_start, encode
from feltd.record.export import closed_part, export, export_round, span_between
from feltd.record.reader import JournalReader, Reveal
from feltd.record.signed_heads import HeadLines, heads_file, lines_from
from feltd.record.stored_rows import Span
from feltd.record.unseal_keys import PrivateKey
from feltd.text.errors import JournalCorrupt

CHAIN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class StoredRows:
    """Entries as they are stored and chained, what is sealed in them sealed: the bytes that the chain is over.

    `before`: the chain before the first of them; None where the journal does not reach so far. `chain`: that behind the
    last. `head`: the journal's last entry. `format`: the edition that is written. `room`: bytes that are free on the
    journal's disk; None where it is not known.
    """

    before: bytes | None
    rows: tuple[bytes, ...]
    chain: bytes | None
    head: int
    format: int = FORMAT
    room: int | None = None


class JournalRows:
    """A journal opened without its master key.

    One thread at a time; close it, or use it as a context manager.
    """

    def __init__(self, path: Path, unseal: PrivateKey | None = None, *, broadcast_alone: bool = False) -> None:
        """`unseal`: the private half that opens cards nobody was shown. `broadcast_alone`: those that were let go for
        the broadcast, and no others.

        Raises JournalError where the journal at `path` cannot be opened.
        """
        self._reader = JournalReader.open(path, unseal=unseal, broadcast_alone=broadcast_alone)
        self._path = path
        self.name = path.name

    @property
    def journal_id(self) -> bytes:
        """The journal's identity: 16 bytes."""
        return self._reader.journal_id

    def last_entry(self) -> int:
        """The number of the last entry on the disk."""
        return self._reader.head().seq

    def newest(self, name: HostEntry) -> int | None:
        """The number of the newest entry of the host of this name; None where there is none."""
        row = self._reader.newest(name)
        return None if row is None else row.seq

    def entries(
        self, span: Span | None = None, *, reveal: Reveal = Reveal.FINISHED, newest_first: bool = False
    ) -> Iterator[Entry]:
        """Entries in the order of their numbers.

        Raises JournalKeyMissing for Reveal.ALL, JournalCorrupt.
        """
        return self._reader.entries(span, reveal=reveal, newest_first=newest_first)

    def stored(self, after: int, most: int, most_bytes: int) -> StoredRows:
        """The entries behind entry `after` as they are stored, at most so many and so many bytes, and one at least.

        What is returned is on the disk. Raises JournalCorrupt for an entry of a type that no entry is written with.
        """
        head = self._reader.head().seq
        before = chain_start(self._reader.journal_id) if after == 0 else None
        rows: list[bytes] = []
        size, chain = 0, before
        if after <= head:
            for row, stored in self._reader.rows_with_chain(Span(after=after - 1 if after else None, until=head)):
                if row.seq == after:
                    before = chain = _chain(row.seq, stored, self.name)
                    continue
                if before is None or row.seq != after + len(rows) + 1 or len(rows) >= most or size > most_bytes:
                    break
                rows.append(_encoded(row.seq, row, self.name))
                size += len(rows[-1])
                chain = _chain(row.seq, stored, self.name)
        return StoredRows(before, tuple(rows), chain, head, room=self._room())

    def _room(self) -> int | None:
        try:
            disk = os.statvfs(self._path.parent)
        except OSError:
            return None
        return disk.f_bavail * disk.f_frsize

    def heads(self, at: int, most: int) -> HeadLines:
        """Lines of the file of signed heads from byte `at` on. Raises JournalDisk."""
        return lines_from(heads_file(self._path), at, most)

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


def _chain(seq: int, stored: object, place: str) -> bytes:
    if not isinstance(stored, bytes) or len(stored) != CHAIN_BYTES:
        raise _changed(seq, place)
    return stored


def _encoded(seq: int, row: Row, place: str) -> bytes:
    try:
        return encode(row)
    except (TypeError, ValueError, struct.error) as fault:  # the database keeps what it is given
        raise _changed(seq, place) from fault


def _changed(seq: int, place: str) -> JournalCorrupt:
    return JournalCorrupt(f"entry {seq} is not as it was written", place, "See what `feltd journal verify` says")
