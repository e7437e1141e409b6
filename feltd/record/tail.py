"""A check of a journal's end before writing: the head must be the last entry's, and this table's own.

The chain must lead there, and the master key must vouch for it. Else whoever changed entries and chained them anew
would have the next entry of the table itself vouch for the change.
"""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from feltd.record.database import Head, named, read_head
from feltd.record.entries import chain_next, chain_start, digest
from feltd.record.reader import JournalReader
from feltd.record.sealing import MasterKey
from feltd.record.signed_heads import HeadsEnd, heads_file
from feltd.record.starts import first_key_in, last_start
from feltd.record.stored_rows import SET_ASIDE, Span
from feltd.text.errors import JournalCorrupt, JournalKeyWrong, JournalMissing

TAIL_CHECKED: Final = 256
"""How many entries are checked at each opening; `verify` checks them all."""


def sound_head(connection: sqlite3.Connection, reader: JournalReader, master: MasterKey) -> Head:
    """Return the head, after a check of the last entries.

    Raises JournalCorrupt if they do not end as the head says, JournalKeyWrong if this key did not write the head.
    """
    path = reader.path
    reader.require_made()
    reader.require_numbered()
    try:
        head = read_head(connection, path)
    except sqlite3.Error as error:
        raise named(error, path) from error
    reader.require_indexed(head)
    require_chained(reader, head)
    require_vouched(reader, head, master)
    return head


def require_chained(reader: JournalReader, head: Head) -> None:
    """Raise JournalCorrupt where the last entries do not lead to the head, or some stand behind it.

    Beside a table at work, too: what it adds meanwhile moves its head.
    """
    path, first = reader.path, max(0, head.seq - TAIL_CHECKED)
    expected, chain = first, chain_start(reader.journal_id) if first == 0 else None
    for row, stored in reader.rows_with_chain(Span(after=first - 1 if first else None)):
        if row.seq == first:
            chain = stored
            continue
        if row.seq > head.seq and expected == head.seq and reader.head().seq > head.seq:
            break
        expected += 1
        if row.seq != expected or chain is None or stored != chain_next(chain, digest(row)):
            raise _damaged_at(expected, path)
        chain = stored
    if expected != head.seq or chain != head.chain:
        raise _damaged_at(expected + 1, path)


def require_vouched(reader: JournalReader, head: Head, master: MasterKey) -> None:
    """Raises JournalKeyWrong if this key did not write the head."""
    if not master.vouches_for(reader.journal_id, head.seq, head.chain, head.mac):
        raise JournalKeyWrong(
            f"the master key (id {master.id}) does not vouch for the end of the record, entry {head.seq}: it is "
            "another key, or somebody changed the record and chained it anew",
            reader.path,
            "Give the key that wrote the record. Where this is that key, keep the file as evidence, see what `feltd "
            "journal verify` with --key and the anchors kept elsewhere says, and start a new journal at another path",
        )


def require_signed(reader: JournalReader, head: Head, end: HeadsEnd | None) -> None:
    """Raise where a record is not the one that its signed heads are of, or ends before them, or says another making.

    `end`: of the file of heads; None where there is none, as beside a record of an earlier version. The chain has the
    first key too, in the note of the start before: to take it out of `meta` wants no key. Raises JournalMissing,
    JournalKeyWrong, JournalCorrupt.
    """
    path, known, note = reader.path, reader.first_key(), last_start(reader).note
    _require_as_made(reader, note)
    named = first_key_in(note)
    beside = heads_file(path).name
    if end is None:
        if known is not None or named is not None:
            raise JournalMissing(
                f"the record has signed heads, and their file ({beside}) is not here",
                path,
                f"Bring {beside} back, and {path.name}.signer with it; {SET_ASIDE}",
            )
        return
    if end.first.journal_id != reader.journal_id:
        raise JournalKeyWrong(
            f"the signed heads beside the record ({beside}) are those of another record",
            path,
            f"Bring the record back to which they belong; {SET_ASIDE}",
        )
    if known is not None and known != end.first.key:
        raise JournalCorrupt(
            f"the signed heads beside the record ({beside}) begin with another key than the record's",
            path,
            f"Bring the record's own back; {SET_ASIDE}",
        )
    if named not in (None, end.first.key.hex()):
        raise JournalCorrupt(
            f"the signed heads beside the record ({beside}) begin with another key than the start before said: they "
            "were begun anew",
            path,
            f"Bring the record's own back; {SET_ASIDE}",
        )
    last = end.last
    if last is None:
        return
    if head.seq < last.seq:
        raise JournalCorrupt(
            f"it ends at entry {head.seq}, and its signed head says that it goes to entry {last.seq}: its newest "
            "part is missing, or an older copy was put in its place",
            path,
            f"Bring the newest copy back; {SET_ASIDE}",
        )
    stored = next((chain for _, chain in reader.rows_with_chain(Span(after=last.seq - 1, until=last.seq))), None)
    if last.seq > 0 and stored != last.chain:
        raise JournalCorrupt(
            f"entry {last.seq} is not the one that was signed: the record was changed and chained anew",
            path,
            f"See what `feltd journal verify` says; {SET_ASIDE}",
        )


def _require_as_made(reader: JournalReader, note: Mapping[str, Any] | None) -> None:
    """Raise JournalCorrupt where the file says of itself what feltd did not write, or the last start did not find."""
    made = reader.made()
    fault = made.fault or made.contradicts(note)
    if fault is not None:
        raise JournalCorrupt(
            f"it was changed by somebody else: {fault}",
            reader.path,
            f"See what `feltd journal verify` says; {SET_ASIDE}",
        )


def _damaged_at(seq: int, path: Path) -> JournalCorrupt:
    return JournalCorrupt(
        f"entry {seq} is missing or was changed",
        path,
        "Keep the file as evidence, see what `feltd journal verify` says, and start a new journal at another path",
    )
