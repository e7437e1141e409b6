"""The proof by night finds heads that no table has signed, and rows that were made anew to fit the floor's own head."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from feltd.custody.errors import FloorDamagedError
from feltd.custody.messages import Stand
from feltd.floor.engine import Alarm, AlarmKind
from feltd.floor.memory import Kept, MemoryEngine
from feltd.floor.proving import faults_of, prove_all
from feltd.record.signed_heads import SignedHead
from feltd.text.catalogue import trouble
from feltd.text.language import Language, speaking
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.floor.test_heads import Run, signed_journal, told
from tests.floor.test_scenes import Line


async def kept(floor: MemoryEngine, journal: FakeJournal) -> Kept:
    """The floor has all of a signed journal."""
    line = await Line(journal, floor).hello()
    await line.all_up()
    await told(line)
    return floor.journals[journal.journal_id]


def test_heads_that_are_the_tables_own_are_proved(engine: Run) -> None:
    async def work(floor: MemoryEngine) -> None:
        journal = FakeJournal(1)
        journal.sign()  # of no entry yet
        for _ in range(3):
            journal.play(700)
            journal.sign()
        journal.play(3)
        line = await Line(journal, floor).hello()
        await line.all_up()
        await told(line)
        await told(line)
        [status] = await floor.status()
        assert status.signed is not None
        assert status.signed.seq == 2100
        proof, found = await prove_all(floor, lambda: 1.0)
        assert (proof.faults, found) == (0, [])

    engine(work)  # type: ignore[arg-type]


def other_signature(kept: Kept) -> None:
    kept.heads[1] = replace(kept.heads[1], signature=bytes(64))


def other_next_key(kept: Kept) -> None:
    kept.heads[0] = replace(kept.heads[0], next_key=bytes(32))


def one_less(kept: Kept) -> None:
    del kept.heads[2]


def one_less_within(kept: Kept) -> None:
    del kept.heads[1]


def made_anew(kept: Kept) -> None:
    """Rows and chains of another history, which fit each other and the floor's head."""
    journal = signed_journal(history=1)
    kept.batches = [journal.batch("7", 1, 30)]
    kept.stand = Stand(30, journal.chains[30])


def swapped(kept: Kept) -> None:
    kept.heads[0], kept.heads[1] = kept.heads[1], kept.heads[0]


@pytest.mark.parametrize(
    ("change", "seq", "words"),
    [
        (other_signature, 20, "the head of entry 20 is not signed by the key that was valid then"),
        (other_next_key, 10, "the head of entry 10 is not signed by the key that was valid then"),
        (one_less, 20, "the signed heads end at entry 20, the floor has had them up to entry 30"),
        (one_less_within, 30, "the head of entry 30 is not signed by the key that was valid then"),
        (made_anew, 10, "the table has signed other entries up to entry 10 than those that are kept"),
        (swapped, 20, "the head of entry 20 is not signed by the key that was valid then"),
    ],
)
def test_a_head_that_is_not_as_the_table_signed_it_is_named(
    change: Callable[[Kept], None], seq: int, words: str
) -> None:
    async def work() -> None:
        floor, journal = MemoryEngine(lambda: 1.0), signed_journal()
        change(await kept(floor, journal))
        proof, [alarm] = await prove_all(floor, lambda: 1.0)
        assert (alarm.table, alarm.journal, alarm.kind, alarm.seq) == ("7", journal.journal_id, AlarmKind.PROOF, seq)
        assert alarm.text.startswith(f"{words}: keep the database as evidence")
        assert proof.faults == 1
        with speaking(Language.GERMAN):
            assert words not in trouble(f"proof: {alarm.text}")

    asyncio.run(work())


def test_rows_are_looked_at_behind_a_head_that_is_wrong() -> None:
    async def work() -> None:
        floor, journal = MemoryEngine(lambda: 1.0), signed_journal()
        held = await kept(floor, journal)
        held.batches = [journal.batch("7", 1, 10), journal.batch("7", 11, 20), journal.batch("7", 21, 30)]
        held.batches[2] = replace(held.batches[2], rows=held.batches[2].rows[:9])
        other_signature(held)
        [status] = await floor.status()
        found: list[Alarm] = [fault async for fault in faults_of(floor, status)]
        assert [(alarm.seq, alarm.text.partition(":")[0]) for alarm in found] == [
            (20, "the head of entry 20 is not signed by the key that was valid then"),
            (21, "entries 21 to 29 are not as they were taken in"),
        ]

    asyncio.run(work())


def test_a_head_of_no_entry_and_heads_that_cannot_be_read_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        floor, journal = MemoryEngine(lambda: 1.0), FakeJournal(1)
        journal.sign()
        journal.play(3)
        held = await kept(floor, journal)
        held.heads[0] = replace(held.heads[0], chain=bytes(32))
        [status] = await floor.status()
        [fault] = [fault async for fault in faults_of(floor, status)]
        assert fault.text.startswith("the head of entry 0 is not signed by the key that was valid then")

        async def unread(_journal: bytes, _after: int, _most: int) -> list[SignedHead]:
            raise FloorDamagedError("a page is not as it was written", "here", "Look at the disk")

        monkeypatch.setattr(floor, "heads_of", unread)
        [fault] = [fault async for fault in faults_of(floor, status)]
        assert fault.text.startswith(
            "the signed heads behind entry 0 cannot be read: a page is not as it was written: keep"
        )

    asyncio.run(work())


def test_a_head_that_was_changed_in_the_database_is_found(postgres: Server) -> None:
    from feltd.floor.postgres import PostgresEngine

    async def work() -> None:
        await emptied(postgres)
        floor = await PostgresEngine.open(postgres.address("floord"))
        line = await Line(signed_journal(), floor).hello()
        await line.all_up()
        await told(line)
        await as_owner(
            postgres, "SET session_replication_role = replica; UPDATE floor.anchor SET wall_ms = 7 WHERE seq = 20"
        )
        _, [alarm] = await prove_all(floor)
        assert alarm.text.startswith("the head of entry 20 is not signed")
        await floor.close()

    asyncio.run(work())
