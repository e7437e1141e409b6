"""Proof of what the floor keeps: the chain made anew from the rows, batch by batch."""

from collections.abc import AsyncIterator
from typing import Final

from feltd.custody.errors import CustodyWireError
from feltd.custody.rows import chains_of
from feltd.floor.engine import Alarm, AlarmKind, Engine, JournalStatus
from feltd.record.entries import chain_start

_BATCHES: Final = 50


async def faults_of(engine: Engine, journal: JournalStatus) -> AsyncIterator[Alarm]:
    """The first fault of a journal, as the alarm of it; none where it is as it was taken in. Raises FloorAwayError."""
    remedy = "keep the database as evidence, and compare with the table's own record"

    def fault(entry: int, words: str) -> Alarm:
        return Alarm(journal.table, journal.journal, AlarmKind.PROOF, entry, f"{words}: {remedy}")

    seq, chain = 0, chain_start(journal.journal)
    while True:
        try:
            batches = await engine.batches(journal.journal, seq, _BATCHES)
        except CustodyWireError as unread:
            yield fault(seq, f"a batch behind entry {seq} cannot be read: {unread.what}")
            return
        for batch in batches:
            if batch.first != seq + 1 or batch.before != chain or chains_of(chain, batch.rows)[-1] != batch.chain:
                yield fault(batch.first, f"entries {batch.first} to {batch.last} are not as they were taken in")
                return
            seq, chain = batch.last, batch.chain
        if not batches:
            break
    if seq < journal.stand.seq or (seq == journal.stand.seq and chain != journal.stand.chain):
        yield fault(seq, f"the rows end at entry {seq}, the head says {journal.stand.seq}")
