"""A bit of the database's files has turned over: what touches it has a name, and the other tables go on."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import asyncpg
import pytest

from feltd.custody.errors import FloorAwayError, FloorDamagedError
from feltd.door.pit.state import PitSince
from feltd.floor.deriving import Deriving
from feltd.floor.engine import AlarmKind, Appended, Batch, Verdict
from feltd.floor.gathering import Gatherer
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_trouble import OwnTrouble
from feltd.floor.pit_book import PitBook
from feltd.floor.postgres import PostgresEngine
from feltd.floor.proving import prove_all
from tests.floor.conftest import server_with_floor
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.floor.test_scenes import Line
from tests.running import running

PAGE = 8192
DAMAGED, WHOLE = "7", "8"
NOW = 1000.0


@pytest.fixture
def own() -> Iterator[Server]:
    """A server that a test may damage, with a floor in it."""
    with server_with_floor() as made:
        yield made


async def filled(own: Server) -> tuple[FakeJournal, FakeJournal]:
    """A table whose first batches fill the first pages, and one behind it."""
    first, second = FakeJournal(1), FakeJournal(2)
    engine = await PostgresEngine.open(own.address("floord"))
    for name, journal in ((DAMAGED, first), (WHOLE, second)):
        line = await Line(journal, engine, name).hello()
        for _ in range(40):
            journal.play(10)
            await line.all_up()
    await engine.close()
    return first, second


async def file_of(own: Server, relation: str) -> Path:
    """Where a table of the database lies."""
    connection = await asyncpg.connect(own.address("owner"))
    try:
        return own.folder / "data" / str(await connection.fetchval("SELECT pg_relation_filepath($1)", relation))
    finally:
        await connection.close()


def flip(own: Server, file: Path) -> None:
    """Stop the server, turn a bit over in the first page of this file, and start it."""
    own.stop("fast")
    with file.open("r+b") as data:
        data.seek(PAGE // 2)
        byte = data.read(1)[0]
        data.seek(PAGE // 2)
        data.write(bytes([byte ^ 0x10]))
    own.start()


def test_a_damaged_batch_is_an_alarm_of_its_table_and_the_others_go_on(
    own: Server, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        _, second = await filled(own)
        flip(own, await file_of(own, "floor.batch"))
        engine = await PostgresEngine.open(own.address("floord"))
        trouble = OwnTrouble(engine)
        pit = PitBook(engine, lambda: NOW)
        await pit.load()
        assert trouble.look() == ()
        await pit.catch_up()
        damaged, whole = pit.news(PitSince("", 0)).tables
        assert "proof: a batch behind entry 0 cannot be read: the floor's database cannot read" in damaged.wrong[0]
        assert whole.wrong == ()
        assert trouble.look()[0].startswith("database: the floor's database cannot read what is on its disk: ")

        line = await Line(second, engine, WHOLE).hello()
        second.play(5)
        assert (await line.all_up()).seq == len(second.rows)
        assert trouble.look() != (), "what works does not hide it"

        facts = Deriving(engine)
        await facts.turn()
        behind = {one.journal: one.seq for one in await engine.facts.behind()}
        assert second.journal_id not in behind, "the other table has its facts"
        proof, [alarm] = await prove_all(engine)
        assert (alarm.table, alarm.kind, proof.journals, proof.faults) == (DAMAGED, AlarmKind.PROOF, 2, 1)
        assert "Let a standby be the primary" not in alarm.text, "the alarm says what to do with this table"
        await engine.close()

    with caplog.at_level(logging.ERROR):
        asyncio.run(work())
    assert "no facts are made of it any more" in caplog.text


class PartlyDamaged(MemoryEngine):
    """Cannot read the head of one journal."""

    def __init__(self, damaged: bytes) -> None:
        super().__init__(lambda: NOW)
        self._cannot_be_read = damaged

    async def append_many(self, batches: Sequence[Batch]) -> list[Appended]:
        if any(batch.journal == self._cannot_be_read for batch in batches):
            raise FloorDamagedError("a page cannot be read", "here", "Let a standby be the primary")
        return await super().append_many(batches)


def test_a_damaged_head_keeps_its_own_table_waiting_alone() -> None:
    async def work() -> None:
        journals = [FakeJournal(number) for number in range(1, 8)]
        engine = PartlyDamaged(journals[4].journal_id)
        gatherer = Gatherer(engine)
        for n, journal in enumerate(journals):
            journal.play(5)
            await engine.open_journal(str(n), journal.journal_id, 1)
        asked = [gatherer.append(journal.batch(str(n), 1, 5)) for n, journal in enumerate(journals)]
        async with running(gatherer.run()):
            answers = await asyncio.gather(*asked, return_exceptions=True)
        for n, answer in enumerate(answers):
            if n == 4:
                assert isinstance(answer, FloorAwayError)
                assert "a page cannot be read" in str(answer)
            else:
                assert not isinstance(answer, BaseException)
                assert answer.verdict is Verdict.ADDED

    asyncio.run(work())


def test_a_page_of_heads_that_cannot_be_read_is_named(own: Server) -> None:
    async def work() -> None:
        await filled(own)
        flip(own, await file_of(own, "floor.head"))
        engine = await PostgresEngine.open(own.address("floord"))
        with pytest.raises(FloorDamagedError, match=r"invalid page in block 0.*Let a standby be the primary"):
            await engine.status()
        await engine.close()

    asyncio.run(work())
