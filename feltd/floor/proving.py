"""Proof of what the floor keeps: the chain made anew from the rows, batch by batch."""

from collections.abc import AsyncIterator
from typing import Final

from feltd.custody.errors import CustodyWireError
from feltd.custody.rows import chains_of
from feltd.floor.engine import Engine, JournalStatus
from feltd.record.entries import chain_start

_BATCHES: Final = 50


async def faults_of(engine: Engine, journal: JournalStatus) -> AsyncIterator[str]:
    """The first fault of a journal, in words; none where it is as it was taken in. Raises FloorAwayError."""
    place = f"table {journal.table}, journal {journal.journal.hex()}"
    remedy = "keep the database as evidence, and compare with the table's own record"
    seq, chain = 0, chain_start(journal.journal)
    while True:
        try:
            batches = await engine.batches(journal.journal, seq, _BATCHES)
        except CustodyWireError as fault:
            yield f"{place}: a batch behind entry {seq} cannot be read: {fault.what}: {remedy}"
            return
        for batch in batches:
            if batch.first != seq + 1 or batch.before != chain or chains_of(chain, batch.rows)[-1] != batch.chain:
                yield f"{place}: entries {batch.first} to {batch.last} are not as they were taken in: {remedy}"
                return
            seq, chain = batch.last, batch.chain
        if not batches:
            break
    if seq < journal.stand.seq or (seq == journal.stand.seq and chain != journal.stand.chain):
        yield f"{place}: the rows end at entry {seq}, the head says {journal.stand.seq}: {remedy}"
