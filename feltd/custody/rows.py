"""Entries as the bytes that the journal's chain is over, so that custody needs to understand none of them.

A row is the canonical encoding of an entry (`feltd.record.entries`). Who keeps these bytes can prove the journal by
them, also where a newer table has written a kind of entry that nobody here knows.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Final

from feltd.custody.errors import CustodyWireError
from feltd.record.entries import chain_next

DIGEST_BYTES: Final = 32
JOURNAL_BYTES: Final = 16
UNPACKED_MOST: Final = 16 * 1024 * 1024
"""Bytes of the rows of one batch."""
ROWS_MOST: Final = 2000
ROW_MOST: Final = 1024 * 1024
"""Bytes of one row that a floor takes: of what a table's page may say at once the entry is smaller, spelt out in ASCII
too, and what a table that plays writes by itself has some thousand."""
BATCH_MOST: Final = 2 * ROW_MOST
"""Bytes of the rows that a floor takes at once; an uplink sends half a mebibyte and one row."""
_LENGTH: Final = struct.Struct(">I")
_SMALL: Final = 8 * 1024
"""Bytes that fit into the window that is made for them."""
_REMEDY: Final = "Report it as a fault: the two programs do not understand each other, or the bytes were damaged"


def digests_of(rows: Iterable[bytes]) -> list[bytes]:
    """The digest of each row, 32 bytes."""
    return [hashlib.sha256(row).digest() for row in rows]


def chains_of(before: bytes, rows: Iterable[bytes]) -> list[bytes]:
    """The chain before the first row, then behind each."""
    chains = [before]
    for digest in digests_of(rows):
        chains.append(chain_next(chains[-1], digest))
    return chains


def joined(rows: Sequence[bytes]) -> bytes:
    """The rows one after the other, each behind its length in four bytes, big-endian."""
    return b"".join(piece for row in rows for piece in (_LENGTH.pack(len(row)), row))


def parted(data: bytes) -> tuple[bytes, ...]:
    """The rows of `joined`. Raises CustodyWireError."""
    rows: list[bytes] = []
    at = 0
    while at < len(data):
        begin = at + _LENGTH.size
        if begin > len(data) or len(rows) >= ROWS_MOST:
            raise _damaged()
        at = begin + _LENGTH.unpack_from(data, begin - _LENGTH.size)[0]
        if at > len(data):
            raise _damaged()
        rows.append(data[begin:at])
    return tuple(rows)


def taken_of(rows: Sequence[bytes]) -> int:
    """How many of these rows, from the first on, a floor takes at once: up to one that is too long, or is too much."""
    size = 0
    for n, row in enumerate(rows):
        size += len(row)
        if len(row) > ROW_MOST or size > BATCH_MOST:
            return n
    return len(rows)


def packed(rows: Sequence[bytes]) -> bytes:
    """The rows as a batch is kept: joined and deflated."""
    return deflated(joined(rows))


def unpacked(data: bytes) -> tuple[bytes, ...]:
    """The rows of `packed`. Raises CustodyWireError."""
    return parted(inflated(data, UNPACKED_MOST))


def deflated(data: bytes) -> bytes:
    """The data deflated with zlib.

    What is small gets a window and tables of its own size, and no byte more comes of it. zlib's ordinary ones have 256
    KiB: where they lie at the end of the heap, that goes back to the system and comes again each time, which took half
    as long again as to deflate the five entries that a table sends at once.
    """
    if len(data) > _SMALL:
        return zlib.compress(data, 6)
    deflating = zlib.compressobj(6, zlib.DEFLATED, 13, 6)
    return deflating.compress(data) + deflating.flush()


def inflated(data: bytes, most: int) -> bytes:
    """What was deflated, of at most so many bytes. Raises CustodyWireError."""
    inflating = zlib.decompressobj()
    try:
        plain = inflating.decompress(data, most + 1)
    except zlib.error as fault:
        raise CustodyWireError(f"it cannot be inflated ({fault})", "message", _REMEDY) from None
    if len(plain) > most or not inflating.eof or inflating.unused_data:
        raise CustodyWireError(f"it does not inflate to at most {most} bytes, whole", "message", _REMEDY)
    return plain


def _damaged() -> CustodyWireError:
    return CustodyWireError(f"no rows, at most {ROWS_MOST}, each behind its length", "message", _REMEDY)
