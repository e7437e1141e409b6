"""A check of a journal's end before writing: the head must be the last entry's.

The chain must lead there.
"""

import sqlite3
from pathlib import Path
from typing import Final

from feltd.record.database import Head, named, read_head
from feltd.record.entries import chain_next, chain_start, digest
from feltd.record.reader import JournalReader, Span
from feltd.text.errors import JournalCorrupt

TAIL_CHECKED: Final = 256
"""How many entries are checked at each opening; `verify` checks them all."""


def sound_head(connection: sqlite3.Connection, reader: JournalReader) -> Head:
    """Return the head, after a check of the last entries.

    Raises JournalCorrupt if they do not end as the head says.
    """
    path = reader.path
    try:
        head = read_head(connection, path)
    except sqlite3.Error as error:
        raise named(error, path) from error
    first = max(0, head.seq - TAIL_CHECKED)
    expected, chain = first, chain_start(reader.journal_id) if first == 0 else None
    for row, stored in reader.rows_with_chain(Span(after=first - 1 if first else None)):
        if row.seq == first:
            chain = stored
            continue
        expected += 1
        if row.seq != expected or chain is None or stored != chain_next(chain, digest(row)):
            raise _damaged_at(expected, path)
        chain = stored
    if expected != head.seq or chain != head.chain:
        raise _damaged_at(expected + 1, path)
    return head


def _damaged_at(seq: int, path: Path) -> JournalCorrupt:
    return JournalCorrupt(
        f"entry {seq} is missing or was changed",
        path,
        "Keep the file as evidence, see what `feltd journal verify` says, and start a new journal at another path",
    )
