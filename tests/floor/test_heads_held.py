"""Which heads an append holds, and for whom it waits: two daemons never wait for each other in a ring."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from feltd.custody.messages import Stand
from feltd.floor.engine import Appended, Batch, Verdict
from feltd.floor.postgres import PostgresEngine
from tests.floor.conftest import emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.running import eventually_answers

HELD = "SELECT FROM floor.head WHERE journal = $1 FOR UPDATE"
WAITS = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'floord' AND wait_event_type = 'Lock')"
FREE = "SELECT journal FROM floor.head ORDER BY journal FOR UPDATE SKIP LOCKED"


@asynccontextmanager
async def floor_of(
    postgres: Server, journals: list[FakeJournal], owners: str = ""
) -> AsyncIterator[tuple[PostgresEngine, Any]]:
    """A floor that has these journals' begin, and a connection of the database's owner.

    `owners` has a letter for each journal; table 7 has all where it is empty.
    """
    await emptied(postgres)
    engine = await PostgresEngine.open(postgres.address("floord"))
    owner = await asyncpg.connect(postgres.address("owner"))
    try:
        for journal, table in zip(journals, owners or "7" * len(journals), strict=True):
            journal.play(20)
            await engine.open_journal(table, journal.journal_id, 2)
        yield engine, owner
    finally:
        await owner.close()
        await engine.close()


async def free(postgres: Server) -> set[bytes]:
    """Of which journals nobody holds the head."""
    asking = await asyncpg.connect(postgres.address("owner"))
    try:
        return {row["journal"] for row in await asking.fetch(FREE)}
    finally:
        await asking.close()


async def begun(engine: PostgresEngine, owner: Any, batches: list[Batch]) -> "asyncio.Task[list[Appended]]":
    """An append that waits for a head by now."""
    adding = asyncio.ensure_future(engine.append_many(batches))
    await eventually_answers(lambda: owner.fetchval(WAITS))
    return adding


@pytest.mark.parametrize("owners", ["77777", "31425"], ids=["one table", "tables in the other order"])
@pytest.mark.parametrize("known", ["nothing", "a few", "many that are gone"])
def test_heads_are_held_in_one_order_whatever_the_order_of_the_batches(
    postgres: Server, known: str, owners: str
) -> None:
    """`known`: how many heads the server believes that there are, by which it plans."""
    journals = [FakeJournal(number) for number in (3, 5, 2, 4, 1)]

    async def work() -> None:
        async with floor_of(postgres, journals, owners) as (engine, owner):
            if known == "many that are gone":
                await owner.execute(
                    "SET session_replication_role = replica; INSERT INTO floor.head (journal, seq, chain) SELECT "
                    "decode('ff' || lpad(to_hex(n), 30, '0'), 'hex'), 0, sha256('') FROM generate_series(1, 5000) n; "
                    "ANALYZE floor.head; DELETE FROM floor.head WHERE journal >= '\\xff'; "
                    "SET session_replication_role = origin"
                )
            elif known == "a few":
                await owner.execute("ANALYZE floor.head, floor.journal")
            async with owner.transaction():
                await owner.execute(HELD, FakeJournal(3).journal_id)
                adding = await begun(
                    engine, owner, [one.batch(table, 1, 5) for one, table in zip(journals, owners, strict=True)]
                )
                assert await free(postgres) == {FakeJournal(number).journal_id for number in (4, 5)}
            assert {one.verdict for one in await adding} == {Verdict.ADDED}

    asyncio.run(work())


def test_what_another_daemon_adds_meanwhile_is_not_added_again(postgres: Server) -> None:
    one, other = FakeJournal(1), FakeJournal(2)

    async def work() -> None:
        async with floor_of(postgres, [one, other]) as (engine, owner):
            async with owner.transaction():
                await owner.execute(
                    "UPDATE floor.head SET seq = 5, chain = $2 WHERE journal = $1", one.journal_id, one.chains[5]
                )
                adding = await begun(engine, owner, [other.batch("7", 1, 5), one.batch("7", 1, 5)])
            assert await adding == [
                Appended(Verdict.ADDED, Stand(5, other.chains[5])),
                Appended(Verdict.NOT_NEXT, Stand(5, one.chains[5])),
            ]
            assert await engine.batches(one.journal_id, 0, 9) == []
            assert await engine.append_many([one.batch("7", 6, 9)]) == [
                Appended(Verdict.ADDED, Stand(9, one.chains[9]))
            ]

    asyncio.run(work())


def test_a_journal_that_is_forked_meanwhile_gets_nothing_more(postgres: Server) -> None:
    one = FakeJournal(1)

    async def work() -> None:
        async with floor_of(postgres, [one]) as (engine, owner):
            async with owner.transaction():
                await owner.execute("UPDATE floor.head SET forked = true")
                adding = await begun(engine, owner, [one.batch("7", 1, 5)])
            assert await adding == [Appended(Verdict.FORKED, Stand(0, one.chains[0], forked=True))]
            assert await engine.batches(one.journal_id, 0, 9) == []

    asyncio.run(work())


def test_a_second_batch_of_a_journal_waits_for_nobody_behind_the_first_ones(postgres: Server) -> None:
    """The head that somebody holds is behind those that this append holds: to wait for it might be a ring."""
    one, other = FakeJournal(1), FakeJournal(2)

    async def work() -> None:
        async with floor_of(postgres, [one, other]) as (engine, owner):
            gap, good = one.batch("7", 3, 5), one.batch("7", 1, 5)
            asked = [gap, good, other.batch("7", 1, 5)]
            at_its_begin = Stand(0, one.chains[0])
            async with owner.transaction():
                await owner.execute(HELD, one.journal_id)
                first, second, third = await engine.append_many(asked)
            assert [first, second] == [Appended(Verdict.NOT_NEXT, at_its_begin)] * 2
            assert third.verdict is Verdict.ADDED
            assert [one.verdict for one in await engine.append_many(asked[:2])] == [Verdict.NOT_NEXT, Verdict.ADDED]

    asyncio.run(work())


@pytest.mark.parametrize("entries", [1, 4, 5, 6, 9, 10, 11, 20])
def test_the_chain_is_the_tables_however_many_entries_a_batch_has(postgres: Server, entries: int) -> None:
    journal = FakeJournal(1)

    async def work() -> None:
        async with floor_of(postgres, [journal]) as (engine, _):
            batch = replace(journal.batch("7", 1, entries), chain=bytes(32))  # whoever sends says nothing that counts
            assert await engine.append_many([batch]) == [
                Appended(Verdict.ADDED, Stand(entries, journal.chains[entries]))
            ]
            [kept] = await engine.batches(journal.journal_id, 0, 9)
            assert kept == journal.batch("7", 1, entries)

    asyncio.run(work())
