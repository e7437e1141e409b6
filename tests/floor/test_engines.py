"""Both engines keep what is asked of them: the one in memory, and real PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from feltd.custody.messages import Stand
from feltd.floor.arriving import MemoryArrivals
from feltd.floor.engine import FORKS_MOST, Alarm, AlarmKind, Appended, Batch, Engine, Seen, Verdict
from feltd.record.entries import chain_start
from tests.floor.custody_support import FakeJournal

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]


def test_a_batch_is_added_behind_the_head_and_nowhere_else(engine: Run) -> None:
    journal = FakeJournal(1)
    journal.play(40)

    async def work(floor: Engine) -> None:
        start = Stand(0, chain_start(journal.journal_id))
        assert await floor.open_journal("7", journal.journal_id, 2) == Appended(Verdict.ADDED, start)
        [added] = await floor.append_many([journal.batch("7", 1, 10)])
        assert added == Appended(Verdict.ADDED, Stand(10, journal.chains[10]))
        gap, again, other, following = await floor.append_many(
            [
                journal.batch("7", 12, 20),
                journal.batch("7", 1, 10),
                replace(journal.batch("7", 11, 20), before=bytes(32)),
                journal.batch("7", 11, 20),
            ]
        )
        assert (gap.verdict, again.verdict) == (Verdict.NOT_NEXT, Verdict.NOT_NEXT)
        assert other == Appended(Verdict.DIFFERENT, Stand(10, journal.chains[10]))
        assert following == Appended(Verdict.ADDED, Stand(20, journal.chains[20]))
        assert [await floor.chain_at(journal.journal_id, seq) for seq in range(21)] == journal.chains[:21]
        assert await floor.batches(journal.journal_id, 10, 9) == [journal.batch("7", 11, 20)]

    engine(work)


def test_the_database_says_what_came_first_and_what_was_there_by_an_event(engine: Run) -> None:
    one, other = FakeJournal(1), FakeJournal(2)

    async def work(floor: Engine) -> None:
        for table, journal in (("1", one), ("2", other)):
            journal.play(30)
            await floor.open_journal(table, journal.journal_id, 2)
        await floor.tournaments.begin("cup")
        await floor.append_many([one.batch("1", 1, 10)])
        await floor.tournaments.add("cup", 0, "{}")
        await floor.append_many([other.batch("2", 1, 20)])
        await floor.append_many([one.batch("1", 11, 20)])
        first, second = one.journal_id, other.journal_id
        assert [await floor.arrivals.stood(journal, "cup", 1) for journal in (first, second)] == [10, 0]
        assert await floor.arrivals.stood(first, "cup", 2) == 0, "there is no such event"
        early, late, between, never = await floor.arrivals.came([(first, 10), (first, 11), (second, 3), (first, 21)])
        assert never == 0 < early < between < late
        assert await floor.arrivals.came([(first, 1), (first, 20)]) == [early, late]

    engine(work)


def test_a_memory_that_was_put_back_has_the_rows_when_they_come_again() -> None:
    async def work() -> None:
        arrivals = MemoryArrivals()
        arrivals.rows_came(b"one", 1, 10)
        arrivals.rows_came(b"two", 1, 10)
        before = await arrivals.came([(b"one", 5), (b"two", 5)])
        arrivals.rows_came(b"one", 1, 5)
        again, two, gone = await arrivals.came([(b"one", 5), (b"two", 5), (b"one", 6)])
        assert [two] == before[1:]
        assert again > two
        assert gone == 0

    asyncio.run(work())


def test_many_tables_go_in_one_append_and_another_tables_journal_does_not(engine: Run) -> None:
    journals = [FakeJournal(number) for number in range(1, 9)]

    async def work(floor: Engine) -> None:
        for number, journal in enumerate(journals):
            journal.play(30)
            await floor.open_journal(str(number), journal.journal_id, 2)
        batches = [journal.batch(str(number), 1, 30) for number, journal in enumerate(journals)]
        batches.append(journals[0].batch("1", 31, 31))
        *added, foreign = await floor.append_many(batches)
        assert {one.verdict for one in added} == {Verdict.ADDED}
        assert [one.stand.chain for one in added] == [journal.chains[30] for journal in journals]
        assert foreign.verdict is Verdict.FOREIGN
        stranger = FakeJournal(99)
        stranger.play(1)
        unknown, after = await floor.append_many([stranger.batch("0", 1, 1), journals[0].batch("0", 31, 30)])
        assert (unknown.verdict, after.verdict) == (Verdict.UNKNOWN, Verdict.ADDED)
        assert (await floor.open_journal("1", journals[0].journal_id, 2)).verdict is Verdict.FOREIGN

    engine(work)


def test_both_histories_of_a_fork_are_kept_and_nothing_is_added(engine: Run) -> None:
    ours, theirs = FakeJournal(3), FakeJournal(3, history=1)
    ours.play(10)
    theirs.play(10)

    async def work(floor: Engine) -> None:
        await floor.open_journal("7", ours.journal_id, 2)
        await floor.append_many([ours.batch("7", 1, 10)])
        alarm = Alarm("7", ours.journal_id, AlarmKind.FORK, 10, "two")
        for _ in range(FORKS_MOST + 3):
            stand = await floor.keep_fork(theirs.batch("7", 1, 10), alarm)
        assert stand == Stand(10, ours.chains[10], forked=True)
        assert await floor.alarms() == [replace(alarm, times=FORKS_MOST + 3)]
        [status] = await floor.status()
        assert (status.stand, status.forks) == (stand, FORKS_MOST)
        ours.play(1)
        [after] = await floor.append_many([ours.batch("7", 11, 11)])
        assert after == Appended(Verdict.FORKED, stand)
        assert (await floor.open_journal("7", ours.journal_id, 2)).verdict is Verdict.FORKED

    engine(work)


def test_the_status_tells_head_lag_and_clock(engine: Run) -> None:
    journal = FakeJournal(4)
    journal.play(9)

    async def work(floor: Engine) -> None:
        await floor.open_journal("7", journal.journal_id, 2)
        await floor.append_many([journal.batch("7", 1, 4)])
        [before] = await floor.status()
        assert (before.lag, before.seen) == (None, None)
        for head in (3, 9):
            await floor.note_seen(Seen("7", journal.journal_id, head, -2.5, 0.25))
        [status] = await floor.status()
        assert (status.table, status.told, status.lag, status.offset, status.within) == ("7", 9, 5, -2.5, 0.25)
        assert status.seen is not None
        await floor.note_seen(Seen("7", journal.journal_id, 9, None, None))
        [status] = await floor.status()
        assert (status.offset, status.within) == (-2.5, 0.25), "a new connection has not measured yet"

    engine(work)


def test_an_unknown_kind_of_row_is_kept_as_its_bytes(engine: Run) -> None:
    journal = FakeJournal(5)
    journal.rows = [b"no entry that anybody knows", b"", bytes(range(256))]

    async def work(floor: Engine) -> None:
        opened = await floor.open_journal("7", journal.journal_id, 99)
        batch = Batch("7", journal.journal_id, 1, opened.stand.chain, bytes(32), tuple(journal.rows))
        await floor.append_many([batch])
        [kept] = await floor.batches(journal.journal_id, 0, 9)
        assert list(kept.rows) == journal.rows

    engine(work)


def test_what_is_good_is_added_beside_what_is_not_and_each_is_answered_in_its_place(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journals = [FakeJournal(number) for number in range(1, 7)]
        fine, twice, gap, foreign, unknown, other = journals
        for journal in journals:
            journal.play(20)
            if journal is not unknown:
                await floor.open_journal("7", journal.journal_id, 2)
        another = replace(other.batch("7", 1, 5), before=bytes(32))
        asked = [
            (twice.batch("7", 1, 5), Verdict.ADDED, 5),
            (gap.batch("7", 3, 5), Verdict.NOT_NEXT, 0),
            (fine.batch("7", 1, 20), Verdict.ADDED, 20),
            (unknown.batch("7", 1, 5), Verdict.UNKNOWN, 0),
            (twice.batch("7", 6, 9), Verdict.ADDED, 9),
            (foreign.batch("8", 1, 5), Verdict.FOREIGN, 0),
            (another, Verdict.DIFFERENT, 0),
            (twice.batch("7", 6, 9), Verdict.NOT_NEXT, 9),
        ]
        found = await floor.append_many([batch for batch, _, _ in asked])
        assert [(one.verdict, one.stand.seq) for one in found] == [(verdict, seq) for _, verdict, seq in asked]
        assert found[2].stand.chain == fine.chains[20]
        assert found[4].stand.chain == twice.chains[9]
        for journal, head in ((fine, 20), (twice, 9), (gap, 0), (foreign, 0), (other, 0)):
            rows = [row for batch in await floor.batches(journal.journal_id, 0, 99) for row in batch.rows]
            assert rows == journal.rows[:head]

    engine(work)
