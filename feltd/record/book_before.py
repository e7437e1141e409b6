"""The rulebook under which a part of a record begins, where an entry before the part names it.

Since 0.12.0 the first event of a round names the rulebook and every other event has null there. So a part that begins
in the middle of a round says in its first line what was named, and leads from there to itself:

    "rulebook": {"entry": {FIELD: value, …}, "before": HEX, "digests": [HEX, …]}

`entry` is the event that named it, `before` the chain's value in front of it, `digests` those of the entries between it
and the part. The chain of the part goes on from there, so nobody can name a rulebook that the record does not. What
the entries between say is not shown: that none of them names another one is the word of who made the export.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from feltd.record.entries import EntryKind, HostEntry, Row, chain_next, chain_start, digest
from feltd.record.reader import JournalReader
from feltd.record.row_json import fields_from_json, fields_to_json
from feltd.record.stored_rows import Span
from feltd.text.errors import JournalError
from table_fsm.outputs import Kind

LOOKED_BACK: Final = 20_000
"""So many entries before a part are looked through: many times what a round has. Each one's digest is in the export."""
_CLOSE: Final = "table.close"


@dataclass(frozen=True, slots=True)
class BookNamed:
    """The SHA-256 of a rulebook, and the entry that names it."""

    digest: bytes
    entry: int


def book_before(reader: JournalReader, first: int, last: int) -> dict[str, Any] | None:
    """What the first line of the entries `first` to `last` says of the rulebook in force before them.

    None where the part names it itself before anything else, where the table was closed, where no entry `LOOKED_BACK`
    before the part names one, or where one of them is not as it was written: `verify` says so.
    """
    try:
        return None if _names_itself(reader, first, last) else _named_before(reader, first)
    except (JournalError, TypeError, ValueError, OverflowError):
        return None


def _names_itself(reader: JournalReader, first: int, last: int) -> bool:
    """Whether the first event or answer of the part is an event that names the rulebook."""
    rows = islice(reader.rows(Span(after=first - 1, until=last)), LOOKED_BACK)
    row = next((row for row in rows if row.kind != EntryKind.HOST), None)
    return row is None or names_book(row)


def _named_before(reader: JournalReader, first: int) -> dict[str, Any] | None:
    """Raises JournalError, TypeError, ValueError or OverflowError for a row that was not written so."""
    digests: list[str] = []
    refused: set[int | None] = set()
    for row in islice(reader.rows(Span(until=first - 1), newest_first=True), LOOKED_BACK):
        if row.kind == EntryKind.OUTPUT and row.name == Kind.ERROR:
            refused.add(row.answers)
        if _closes(row, refused):
            return None
        if names_book(row):
            before = _chain_before(reader, row.seq)
            return {"entry": fields_to_json(row), "before": before.hex(), "digests": digests[::-1]}
        digests.append(digest(row).hex())
    return None


def book_proved(first_line: Mapping[str, Any]) -> BookNamed | None:
    """What the first line of an export proves of the rulebook under which its part begins; None where it names none.

    Raises ValueError, KeyError, TypeError and the like where the chain does not lead from there to the part.
    """
    named = first_line.get("rulebook")
    if named is None:
        return None
    row = fields_from_json(named["entry"])
    chain = chain_next(bytes.fromhex(named["before"]), digest(row))
    for value in named["digests"]:
        chain = chain_next(chain, bytes.fromhex(value))
    leads_on = row.seq + len(named["digests"]) == int(first_line["after"]) and chain.hex() == first_line["chain"]
    if not names_book(row) or row.rulebook is None or not leads_on:
        raise ValueError("what names its rulebook does not lead to its first entry")
    return BookNamed(row.rulebook, row.seq)


def names_book(row: Row) -> bool:
    """Whether an entry says which rulebook is in force from it on."""
    return row.kind == EntryKind.EVENT and isinstance(row.rulebook, bytes)


def _closes(row: Row, refused: Set[int | None]) -> bool:
    """Whether behind this entry the next event names its rulebook: the table closes, or a state is kept."""
    if row.kind == EntryKind.HOST:
        return row.name == HostEntry.SNAPSHOT
    return row.kind == EntryKind.EVENT and row.name == _CLOSE and row.seq not in refused


def _chain_before(reader: JournalReader, seq: int) -> bytes:
    """The chain's value in front of an entry. Raises TypeError where it is none."""
    if seq == 1:
        return chain_start(reader.journal_id)
    found = reader.row_with_chain(seq - 1)
    if found is None or not isinstance(found[1], bytes):
        raise TypeError("no chain's value")
    return found[1]
