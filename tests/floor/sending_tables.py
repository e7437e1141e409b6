"""Tables that send to a floor for as long as they are let, and prove afterwards that nothing was lost or doubled."""

import asyncio
from collections.abc import AsyncIterator

from feltd.custody.errors import FloorAwayError
from feltd.floor.postgres import PostgresEngine
from feltd.floor.proving import faults_of
from tests.floor.custody_support import FakeJournal
from tests.floor.test_scenes import Line

TABLES = 4
AT_ONCE = 1000
"""Batches that one question asks for."""


class Tables:
    """Tables that send for as long as they may, and call again where the floor is away."""

    def __init__(self, floor: PostgresEngine) -> None:
        self.floor = floor
        self.journals = [FakeJournal(number) for number in range(1, TABLES + 1)]
        self.acknowledged = [0] * TABLES
        self.lost: list[str] = []
        self.stopped = False

    async def send(self, n: int) -> None:
        """Until they are told to stop, and what this one has by then is acknowledged: a batch of whose end nobody was
        told may otherwise come to be kept while the floor is being proved."""
        journal = self.journals[n]
        while True:
            try:
                line = await Line(journal, self.floor, str(n)).hello()
                assert line.sender.stand is not None
                if line.sender.stand.seq < self.acknowledged[n]:
                    self.lost.append(f"{n}: {self.acknowledged[n]} acknowledged, {line.sender.stand.seq} there")
                while not self.stopped:
                    journal.play(3)
                    self.acknowledged[n] = (await line.all_up()).seq
                self.acknowledged[n] = (await line.all_up()).seq
            except FloorAwayError:
                await asyncio.sleep(0)
            else:
                return

    async def proved(self, floor: PostgresEngine) -> None:
        """All that was acknowledged is there once, each row as its table has it."""
        for n, (journal, status) in enumerate(zip(self.journals, await floor.status(), strict=True)):
            assert status.stand.seq == self.acknowledged[n] == len(journal.rows)
            assert status.stand.chain == journal.chains[status.stand.seq]
            rows = [row async for row in _kept(floor, journal.journal_id)]
            assert len(rows) == status.stand.seq, f"{len(rows)} rows of {status.stand.seq}"
            assert rows == journal.rows
            assert [fault async for fault in faults_of(floor, status)] == []


async def _kept(floor: PostgresEngine, journal: bytes) -> AsyncIterator[bytes]:
    """All rows that the floor has of a journal, however many a quick machine has sent."""
    seq = 0
    while batches := await floor.batches(journal, seq, AT_ONCE):
        for row in (row for batch in batches for row in batch.rows):
            yield row
            seq += 1
