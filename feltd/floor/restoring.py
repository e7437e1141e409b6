"""A table's record made anew from the floor's copy."""

from pathlib import Path
from typing import Final

from feltd.custody.errors import CustodyError
from feltd.floor.engine import Engine, JournalStatus
from feltd.floor.heads import witness_lines
from feltd.record.restored import RestoredJournal

_BATCHES: Final = 20


def newest_of(journals: list[JournalStatus], table: str, wanted: str | None) -> JournalStatus:
    """The newest journal of a table that has entries, or the one whose identity begins so. Raises CustodyError."""
    found = [one for one in journals if one.table == table]
    named = [one for one in found if wanted is None or one.journal.hex().startswith(wanted)]
    whole = [one for one in named if one.stand.seq] or named
    if not whole or (wanted is not None and len(named) > 1):
        known = ", ".join(one.journal.hex() for one in found) or "none"
        raise CustodyError(
            f"the floor has no such record of this table: it has {known}",
            f"table {table}",
            "See `feltd floor status`, and name the journal by more of its letters",
        )
    return whole[-1]


async def restore(engine: Engine, journal: JournalStatus, file: Path) -> None:
    """Write a journal to `file`, which is not there yet, with its signed heads beside it.

    Raises JournalError, CustodyError where what the floor keeps does not give its own head, FloorAwayError.
    """
    with RestoredJournal(file, journal.journal) as made:
        while made.end[0] < journal.stand.seq:
            batches = await engine.batches(journal.journal, made.end[0], _BATCHES)
            if not batches:
                break
            for batch in batches:
                # the table may play on: what came since is not in this head; and batches are packed while this reads
                begin, end = made.end[0] + 1 - batch.first, journal.stand.seq + 1 - batch.first
                made.add(batch.rows[max(0, begin) : max(0, end)])
            if batches[-1].last >= journal.stand.seq:
                break
        if made.end != (journal.stand.seq, journal.stand.chain):
            raise CustodyError(
                f"the rows that are kept end at entry {made.end[0]} and do not give the floor's head",
                f"table {journal.table}, journal {journal.journal.hex()}",
                "See what `feltd floor verify` says; put the database's backup back beside it, and restore from there",
            )
        # a head that has come since is of entries that this copy has not: it would be taken for one that was cut off
        lines = [line async for line in witness_lines(engine, journal, journal.stand.seq)]
        made.finish(lines)
