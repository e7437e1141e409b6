"""The scenes of the simulation one by one, on both engines, and what a real server alone can do: die, be put back."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

import asyncpg
import pytest

from feltd.custody.errors import CustodyError, CustodyRefusedError, CustodyWireError, FloorAwayError
from feltd.custody.messages import Beat, Rows, Stand, Time
from feltd.floor.custody import Session
from feltd.floor.engine import JOURNALS_MOST, Alarm, AlarmKind, Appended, Batch, Engine, JournalStatus
from feltd.floor.gathering import BATCHES_MOST, EVERY, Gatherer
from feltd.floor.memory import MemoryEngine
from feltd.floor.postgres import PostgresEngine, place_of, prepare
from feltd.floor.proving import faults_of
from feltd.floor.standing import Proof
from feltd.floor.told import alarm_lines, proof_line, status_lines
from feltd.uplink.sending import Sender
from tests.floor.commanded import VirtualLoop
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.running import eventually, running

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]


class Line:
    """A table's uplink on a connection to a floor."""

    def __init__(self, journal: FakeJournal, engine: Engine, table: str = "7") -> None:
        async def append(batch: Batch) -> Appended:
            [appended] = await engine.append_many([batch])
            return appended

        self.journal = journal
        self.warnings: list[str] = []
        self.sender = Sender(journal, self.warnings.append)
        self.session = Session(table, engine, append, lambda: 1000.0)

    async def hello(self) -> "Line":
        await self.say(self.sender.hello("a test"))
        return self

    async def say(self, message: object) -> Stand:
        answer = await self.session.take(message)  # type: ignore[arg-type]
        stand = answer.stand if isinstance(answer, Time) else answer
        self.sender.heard(stand)
        return replace(stand, signed=None)

    async def all_up(self) -> Stand:
        """Send until nothing is left to send."""
        while (rows := self.sender.look().rows) is not None:
            await self.say(rows)
        assert self.sender.stand is not None
        return replace(self.sender.stand, signed=None)


def test_what_comes_twice_is_kept_once_and_a_gap_is_answered_with_the_head(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = FakeJournal(1)
        journal.play(30)
        line = await Line(journal, floor).hello()
        first = line.sender.look().rows
        assert first is not None
        assert await line.say(first) == await line.say(first) == Stand(30, journal.chains[30])
        journal.play(30)
        overlapping = rows_of(journal, 20, 50)
        assert await line.say(overlapping) == Stand(50, journal.chains[50])
        assert await line.say(rows_of(journal, 55, 60)) == Stand(50, journal.chains[50])
        assert await line.say(rows_of(journal, 3, 7)) == Stand(50, journal.chains[50])
        assert await line.all_up() == Stand(60, journal.chains[60])
        [status] = await floor.status()
        assert [row for batch in await floor.batches(journal.journal_id, 0, 99) for row in batch.rows] == journal.rows
        assert [fault async for fault in faults_of(floor, status)] == []

    engine(work)


def rows_of(journal: FakeJournal, first: int, last: int) -> Rows:
    """These entries as a message."""
    batch = journal.batch("7", first, last)
    return Rows(first, batch.before, batch.chain, len(journal.rows), 0, batch.rows)


@pytest.mark.parametrize("shared", [1, 20])
def test_a_copied_card_is_a_fork_and_both_histories_are_kept(engine: Run, shared: int) -> None:
    async def work(floor: Engine) -> None:
        genuine, copied = FakeJournal(1), FakeJournal(1)
        for journal in (genuine, copied):
            journal.play(shared)
        copied.history = 1
        genuine.play(10)
        copied.play(25)
        stand = await (await Line(genuine, floor).hello()).all_up()
        thief = await Line(copied, floor).hello()
        assert (await thief.all_up()).forked
        assert len(thief.warnings) == 1
        [alarm] = await floor.alarms()
        assert alarm.kind is AlarmKind.FORK
        genuine.play(5)
        assert await (await Line(genuine, floor).hello()).all_up() == replace(stand, forked=True)
        [status] = await floor.status()
        assert status.forks == 1
        assert "FORKED" in status_lines([status], 1000.0)[0]
        assert alarm_lines([alarm])[0].startswith("ALARM fork: table 7")
        other = FakeJournal(2)
        other.play(3)
        assert (await (await Line(other, floor).hello()).all_up()).seq == 3, "a new journal is the remedy"

    engine(work)


@pytest.mark.parametrize("head", [0, 7])
def test_a_table_that_was_put_back_is_a_fork_before_it_plays_on(engine: Run, head: int) -> None:
    async def work(floor: Engine) -> None:
        journal = FakeJournal(1)
        journal.play(12)
        await (await Line(journal, floor).hello()).all_up()
        journal.cut(head)
        assert (await (await Line(journal, floor).hello()).all_up()).forked
        assert [alarm.kind for alarm in await floor.alarms()] == [AlarmKind.PUT_BACK]

    engine(work)


def test_rows_that_are_not_what_their_chain_was_made_of_are_refused_and_alarmed(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = FakeJournal(1)
        journal.play(5)
        line = await Line(journal, floor).hello()
        changed = replace(rows_of(journal, 1, 5), rows=(*journal.rows[:4], b"another"))
        with pytest.raises(CustodyRefusedError, match="feltd journal verify"):
            await line.say(changed)
        assert [alarm.kind for alarm in await floor.alarms()] == [AlarmKind.BROKEN]
        assert (await floor.status())[0].stand.seq == 0

    engine(work)


def test_a_floor_that_lost_the_journal_itself_says_so_and_takes_it_anew(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = FakeJournal(1)
        journal.play(5)
        line = Line(journal, floor)
        line.session._journal = journal.journal_id  # it said hello before the floor was put back
        for message in (rows_of(journal, 1, 5), Beat(1.0, 5)):
            with pytest.raises(FloorAwayError, match="calls again by itself"):
                await line.session.take(message)
        assert (await (await Line(journal, floor).hello()).all_up()).seq == 5

    engine(work)


def test_a_table_has_so_many_journals_and_no_more(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        for number in range(JOURNALS_MOST):
            await floor.open_journal("7", FakeJournal(number).journal_id, 2)
        with pytest.raises(CustodyRefusedError, match="one journal for years"):
            await floor.open_journal("7", FakeJournal(JOURNALS_MOST).journal_id, 2)

    engine(work)


def test_messages_in_the_wrong_order_are_refused(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        line = Line(FakeJournal(1), floor)
        with pytest.raises(CustodyWireError, match="Say hello first"):
            await line.session.take(Beat(1.0, 0))
        await line.hello()
        with pytest.raises(CustodyWireError, match="begin at 1"):
            await line.session.take(Rows(0, bytes(32), bytes(32), 0, 0))
        with pytest.raises(CustodyError, match="before the floor said"):
            Sender(FakeJournal(2), print).look()

    engine(work)


def test_a_server_that_is_killed_keeps_what_it_acknowledged(postgres: Server) -> None:
    """Two tables write while the server loses its power twice; they call again, and believe the floor alone."""

    async def work() -> None:
        await emptied(postgres)
        journals = [FakeJournal(number) for number in (1, 2)]
        acknowledged = [0, 0]
        for life in range(3):
            if life:
                await asyncio.to_thread(postgres.start)
            floor = await PostgresEngine.open(postgres.address("floord"))
            lines = [await Line(journal, floor, str(n)).hello() for n, journal in enumerate(journals)]
            for n, line in enumerate(lines):
                assert line.sender.stand is not None
                assert line.sender.stand.seq >= acknowledged[n], "what was acknowledged is there"

            async def writing(n: int, line: Line) -> None:
                for _ in range(10):
                    line.journal.play(7)
                    acknowledged[n] = (await line.all_up()).seq

            work = [asyncio.create_task(writing(n, line)) for n, line in enumerate(lines)]
            if life < 2:
                await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.to_thread(postgres.stop)
                with pytest.raises(FloorAwayError, match="tables keep their rows"):
                    await floor.status()
            results = await asyncio.gather(*work, return_exceptions=True)
            assert all(result is None or isinstance(result, FloorAwayError) for result in results)
            await floor.close()
        floor = await PostgresEngine.open(postgres.address("floord"))
        for journal, status in zip(journals, await floor.status(), strict=True):
            assert (status.stand.seq, status.stand.chain) == (len(journal.rows), journal.chains[-1])
            assert [fault async for fault in faults_of(floor, status)] == []
        await floor.close()

    asyncio.run(work())


def test_a_database_that_was_put_back_is_healed_by_its_tables(postgres: Server) -> None:
    async def work() -> None:
        await emptied(postgres)
        journal = FakeJournal(1)
        journal.play(20)
        floor = await PostgresEngine.open(postgres.address("floord"))
        await (await Line(journal, floor).hello()).all_up()
        await floor.close()
        await as_owner(postgres, "DROP DATABASE IF EXISTS backup")
        await _copied(postgres)
        journal.play(30)
        restored = await PostgresEngine.open(postgres.address("floord", "backup"))
        assert (await restored.status())[0].stand.seq == 20
        assert await (await Line(journal, restored).hello()).all_up() == Stand(50, journal.chains[50])
        await restored.close()
        await as_owner(postgres, "DROP DATABASE backup")

    asyncio.run(work())


async def _copied(postgres: Server) -> None:
    connection = await asyncpg.connect(postgres.address("owner", "template1"))
    try:
        await connection.execute("CREATE DATABASE backup TEMPLATE postgres")
    finally:
        await connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM floor.batch",
        "INSERT INTO floor.head (journal, seq, chain) VALUES ('x', 1, 'x')",
        "UPDATE floor.head SET seq = 1",
        "DELETE FROM floor.fork",
        "TRUNCATE floor.batch",
        "DROP SCHEMA floor CASCADE",
        "CREATE TABLE floor.mine (x int)",
    ],
)
def test_the_daemons_role_may_execute_functions_and_nothing_else(postgres: Server, statement: str) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(postgres.address("floord"))
        try:
            with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.InvalidTextRepresentationError)):
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(work())


@pytest.mark.parametrize(
    "statement", ["UPDATE floor.batch SET rows = ''", "DELETE FROM floor.fork", "TRUNCATE floor.batch"]
)
def test_the_owner_too_changes_no_batch_by_mistake(postgres: Server, statement: str) -> None:
    async def work() -> None:
        with pytest.raises(asyncpg.RaiseError, match="what is kept stays as it is"):
            await as_owner(postgres, statement)

    asyncio.run(work())


def test_a_changed_row_on_the_disk_is_found(postgres: Server) -> None:
    async def work() -> None:
        await emptied(postgres)
        journal = FakeJournal(1)
        journal.play(20)
        floor = await PostgresEngine.open(postgres.address("floord"))
        await (await Line(journal, floor).hello()).all_up()
        switched_off = "SET session_replication_role = replica; UPDATE floor.batch SET "
        for change, words in (
            ("chain = sha256(chain)", "not as they were taken in"),
            ("rows = 'x'", "cannot be read"),
        ):
            await as_owner(postgres, switched_off + change)
            [status] = await floor.status()
            [fault] = [fault async for fault in faults_of(floor, status)]
            assert words in fault.text
        await as_owner(postgres, "SET session_replication_role = replica; DELETE FROM floor.batch")
        [fault] = [fault async for fault in faults_of(floor, status)]
        assert "the rows end at entry 0" in fault.text
        await floor.close()

    asyncio.run(work())


def test_a_database_older_than_the_program_is_named_with_its_remedy(postgres: Server) -> None:
    async def work() -> None:
        await as_owner(postgres, "DROP DATABASE IF EXISTS empty")
        await as_owner(postgres, "CREATE DATABASE empty TEMPLATE template0")
        address = postgres.address("owner", "empty")
        with pytest.raises(CustodyError, match=r"older than this program .*feltd floor prepare"):
            await PostgresEngine.open(address)
        for _ in range(2):  # it may be run again
            await prepare(address)
        await (await PostgresEngine.open(address)).close()
        connection = await asyncpg.connect(address)
        await connection.execute("DELETE FROM floor.edition")
        await connection.close()
        with pytest.raises(CustodyError, match="edition 0"):
            await PostgresEngine.open(address)
        with pytest.raises(FloorAwayError):
            await prepare(postgres.address("nobody-knows-them"))
        await as_owner(postgres, "DROP DATABASE empty")

    asyncio.run(work())


def test_a_password_is_in_no_message() -> None:
    assert place_of("postgresql://floord:secret@db/floor?x=secret") == "postgresql://floord@db/floor"
    assert place_of("postgresql://db/floor") == "postgresql://db/floor"


class Slow(MemoryEngine):
    """An engine that waits for a word, and fails where it is told to."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.0)
        self.go = asyncio.Event()
        self.commits: list[int] = []
        self.fails = False

    async def append_many(self, batches: object) -> list[Appended]:
        assert isinstance(batches, list)
        self.commits.append(len(batches))
        await self.go.wait()
        if self.fails:
            raise FloorAwayError("away", "here", "Wait")
        return await super().append_many(batches)


def test_what_comes_while_a_commit_is_under_way_goes_into_the_next_one() -> None:
    async def work() -> None:
        engine = Slow()
        gatherer = Gatherer(engine)
        journals = [FakeJournal(number) for number in range(1, 12)]
        for journal in journals:
            journal.play(2)
            await engine.open_journal("7", journal.journal_id, 2)
        async with running(gatherer.run()):
            waiting = [asyncio.create_task(gatherer.append(journal.batch("7", 1, 2))) for journal in journals[:1]]
            await eventually(lambda: engine.commits)
            waiting += [asyncio.create_task(gatherer.append(journal.batch("7", 1, 2))) for journal in journals[1:]]
            await asyncio.sleep(0)
            waiting.pop().cancel()  # its table has gone: the others are not touched
            engine.go.set()
            await asyncio.gather(*waiting)
            assert engine.commits == [1, 10]
            engine.fails = True
            with pytest.raises(FloorAwayError):
                await gatherer.append(journals[0].batch("7", 3, 2))
            engine.fails = False
            await gatherer.append(journals[0].batch("7", 3, 2))

    asyncio.run(work())


def test_a_commit_of_several_tables_waits_for_more_and_one_that_sends_alone_does_not() -> None:
    loop = VirtualLoop()

    async def work() -> None:
        engine, begun = Slow(), loop.time()
        engine.go.set()
        gatherer = Gatherer(engine)
        journals = [FakeJournal(number) for number in range(1, 10)]
        for journal in journals:
            journal.play(9)
            await engine.open_journal("7", journal.journal_id, 2)

        async def send(first: int, *senders: FakeJournal, after: float = 0.0) -> None:
            await asyncio.sleep(after)
            await asyncio.gather(*(gatherer.append(one.batch("7", first, 1)) for one in senders))

        async with running(gatherer.run()):
            for first in (1, 2, 3):
                await send(first, journals[0])
            assert (engine.commits, loop.time()) == ([1, 1, 1], begun), "a table alone waits for nobody"
            await send(1, *journals[1:3])
            assert (engine.commits[-1], loop.time()) == (2, begun)
            await asyncio.gather(*(send(1, one, after=EVERY * n / 8) for n, one in enumerate(journals[3:9])))
            assert engine.commits[-1] == 6, "they went together"
            assert loop.time() == pytest.approx(begun + EVERY)
            await send(2, journals[1], after=2 * EVERY)
            assert engine.commits[-1] == 1
            assert loop.time() == pytest.approx(begun + 3 * EVERY), "it is late enough"

    try:
        loop.run_until_complete(work())
    finally:
        loop.close()


def test_a_commit_that_is_full_waits_for_nothing() -> None:
    loop = VirtualLoop()

    async def work() -> None:
        engine = Slow()
        gatherer = Gatherer(engine)
        journals = [FakeJournal(number) for number in range(1, 2 * BATCHES_MOST + 1)]
        for journal in journals:
            journal.play(1)
            await engine.open_journal(str(journal.journal_id), journal.journal_id, 2)
        engine.go.set()
        begun = loop.time()
        async with running(gatherer.run()):
            await asyncio.gather(*(gatherer.append(one.batch(str(one.journal_id), 1, 1)) for one in journals))
        assert (engine.commits, loop.time()) == ([BATCHES_MOST, BATCHES_MOST], begun)

    try:
        loop.run_until_complete(work())
    finally:
        loop.close()


def test_a_line_for_a_person_tells_a_clock_that_is_off_and_an_alarm_that_came_again() -> None:
    stand = Stand(10, bytes(32))
    [line] = status_lines([JournalStatus("7", bytes(16), stand, 12, 990.0, 3.25, 0.01, 0)], 1000.0)
    assert line.endswith("entry 10; 2 behind its table, heard 10 s ago; clock OFF (-3.25 s, give or take 0.01)")
    [line] = status_lines([JournalStatus("7", bytes(16), stand, 10, 990.0, 0.25, None, 0)], 1000.0)
    assert line.endswith("clock fine (-0.25 s, give or take 0.00)")
    [line] = alarm_lines([Alarm("7", bytes(16), AlarmKind.CLOCK, 0, "off", 3)])
    assert line.endswith("off (told 3 times)")


def test_status_tells_its_times_with_their_offset() -> None:
    assert re.match(
        r"proved \d{4}-\d\d-\d\d \d\d:\d\d[+-]\d\d:\d\d: 2 journals", proof_line(Proof(1.8e9, 1.8e9, 2, 9, 0))
    )
