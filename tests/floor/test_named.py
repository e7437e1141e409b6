"""What is wrong gets a name: in the log and on the pit page, with its remedy, and the other tables go on."""

import asyncio
import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

import asyncpg
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from feltd.custody.certificates import context_of_floor
from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.custody.messages import SUBPROTOCOL, Beat, Hello, Rows, Stand, Time, to_bytes
from feltd.custody.settings import FloorSettings
from feltd.door.asking.pit_door import PitDoor
from feltd.door.commands import NotOnDiskError
from feltd.door.pit.state import PitSince
from feltd.floor.alarming import say
from feltd.floor.custody import ROOM_LEAST, Session
from feltd.floor.engine import Alarm, AlarmKind, Appended, Batch
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_trouble import NoDatabase, OwnTrouble
from feltd.floor.pace import QUIET_AFTER, Pace
from feltd.floor.pit_book import PitBook
from feltd.floor.postgres import PostgresEngine, prepare
from feltd.floor.refused import SAID_FOR, Refused
from feltd.floor.servers import Memory
from feltd.floor.serving import receiving
from feltd.launcher import floor_process
from feltd.page.pit.following import PitFollow
from feltd.record.rows import JournalRows
from feltd.table.host.health import ServiceManager
from tests.feltd.door_support import apart
from tests.floor.conftest import as_owner
from tests.floor.custody_support import FakeJournal, at_once
from tests.floor.postgres_support import Server
from tests.floor.test_uplink import called, said
from tests.floor.tls_support import HOST, casino, floor_with, of_table, own
from tests.running import eventually, running

NOW = 1_700_000_000.0


class Clock:
    """A clock that goes on by what is slept."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_a_table_that_says_too_much_waits_and_one_that_catches_up_does_not() -> None:
    clock = Clock()
    pace = Pace(clock, clock.sleep, messages=(10.0, 3), size=(1000.0, 5000))
    assert [at_once(pace.take(10)) for _ in range(5)] == [False, False, False, True, False]
    assert clock.slept == pytest.approx([0.1, 0.1])
    assert (pace.floods,) == (True,)
    clock.now += QUIET_AFTER
    assert not pace.floods
    for _ in range(50):  # each moved the floor's head
        assert not at_once(pace.take(10))
        pace.gave()
    assert at_once(pace.take(9000))
    assert clock.slept[-1] == pytest.approx(4.5)


def test_a_flood_is_named_and_another_table_is_answered_meanwhile(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7", "8")

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        book = PitBook(engine, lambda: NOW)
        held: list[asyncio.Event] = []

        async def sleep(_seconds: float) -> None:
            held.append(asyncio.Event())
            if len(held) < 3:
                await held[-1].wait()

        def pace() -> Pace:
            return Pace(sleep=sleep, messages=(1e-6, 3), size=(1000.0, 1e9))

        context = context_of_floor(own(folder, "floor"))
        async with receiving(engine, HOST, 0, context, pit=book, pace=pace) as server:
            floor = f"wss://{HOST}:{server.sockets[0].getsockname()[1]}"
            async with connect(
                floor, ssl=of_table(folder, "7"), subprotocols=[Subprotocol(SUBPROTOCOL)], compression=None, proxy=None
            ) as flood:
                await flood.send(to_bytes(Hello(1, FakeJournal(1).journal_id, 2, "a test")))
                for _ in range(9):
                    await flood.send(to_bytes(Beat(NOW, 0)))
                await eventually(lambda: bool(held))
                other = Hello(1, FakeJournal(2).journal_id, 2, "a test")
                assert await said(floor, folder, "8", Beat(NOW, 0), hello=other)
                assert len(held) == 1
                held[0].set()
                await eventually(lambda: [alarm.kind for alarm in engine.kept_alarms] == [AlarmKind.FLOOD])
                await eventually(lambda: len(held) == 2)
                [table] = [one for one in book.news(PitSince("", 0)).tables if one.name == "7"]
                assert table.wrong[0].startswith("flood: the table says more")
                held[1].set()
            await eventually(lambda: not book.news(PitSince("", 0)).tables[0].wrong)

    asyncio.run(work())


def test_a_floor_that_was_put_back_names_what_was_missing_until_a_person_has_seen_it() -> None:
    engine = MemoryEngine(lambda: NOW)
    book = PitBook(engine, lambda: NOW)
    journal = FakeJournal(1)
    journal.play(10)

    async def append(batch: Batch) -> Appended:
        [appended] = await engine.append_many([batch])
        return appended

    session = Session("7", engine, append, lambda: NOW)

    def rows(first: int, last: int, heard: int) -> Stand:
        batch = journal.batch("7", first, last)
        message = Rows(first, batch.before, batch.chain, 10, heard, batch.rows)
        stand = at_once(session.take(message))
        assert isinstance(stand, Stand)
        book.said("7", stand, message)
        return stand

    opened = at_once(session.take(Hello(1, journal.journal_id, 2, "a test")))
    assert isinstance(opened, Stand)
    book.came("7", journal.journal_id, opened)
    backup = engine.saved()
    rows(1, 6, 0)
    engine.put_back(backup)
    assert rows(7, 8, 6).seq == 0
    assert [(alarm.kind, alarm.seq) for alarm in engine.kept_alarms] == [(AlarmKind.GAP, 0)]
    assert "feltd floor verify" in engine.kept_alarms[0].text
    at_once(book.look_at_alarms())
    [table] = book.news(PitSince("", 0)).tables
    [told] = table.custody
    assert told.words.startswith(
        "the floor had this journal up to entry 6 and ended at entry 0: 6 entries were missing"
    )
    rows(1, 3, 0)
    rows(4, 10, 3)
    at_once(book.look_at_alarms())
    assert book.news(PitSince("", 0)).tables[0].custody == (told,)  # it stays until a person closes it
    at_once(session.take(Hello(1, journal.journal_id, 2, "a test", heard=10)))
    assert len(engine.kept_alarms) == 1
    at_once(session.take(Hello(1, journal.journal_id, 2, "a test", heard=12)))
    assert [(alarm.seq, "2 entries were missing" in alarm.text) for alarm in engine.kept_alarms[1:]] == [(10, True)]


def test_a_clock_and_a_full_disk_are_named_until_they_are_well(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")
    engine, journal = MemoryEngine(lambda: NOW), FakeJournal(1)
    book = PitBook(engine, lambda: NOW)
    stand = Stand(0, bytes(32))
    book.came("7", journal.journal_id, stand)
    book.said("7", stand, Beat(NOW, 0, -3.0, 0.2, room=ROOM_LEAST - 1))
    [table] = book.news(PitSince("", 0)).tables
    assert [words.partition(":")[0] for words in table.wrong] == ["clock", "disk"]
    assert ["chrony" in table.wrong[0], "Make room" in table.wrong[1]] == [True, True]
    book.said("7", stand, Beat(NOW, 0, -0.3, 0.2, room=ROOM_LEAST))
    assert book.news(PitSince("", 0)).tables[0].wrong == ()

    async def work() -> None:
        async with floor_with(engine, folder) as floor:
            await said(floor, folder, "7", Beat(NOW, 0, room=0))
        await book.look_at_alarms()

    asyncio.run(work())
    assert [alarm.kind for alarm in engine.kept_alarms] == [AlarmKind.DISK]
    assert book.news(PitSince("", 0)).tables[0].wrong == ()  # kept as evidence, and over


def test_a_table_says_how_much_room_its_record_has(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")
    beats: list[Beat] = []

    class Heard(Session):
        async def _beat(self, journal: bytes, beat: Beat) -> Time:
            beats.append(beat)
            return await super()._beat(journal, beat)

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with apart(tmp_path) as at, floor_with(engine, folder) as floor, called(at, floor, folder):
            await eventually(lambda: bool(beats))
            with JournalRows(at.bench.journal.path) as rows:
                rows._path = tmp_path / "gone" / "journal"
                assert rows.stored(0, 0, 0).room is None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("feltd.floor.serving.Session", Heard)
        asyncio.run(work())
    assert beats[0].room is not None
    assert beats[0].room > 0


def test_the_floors_own_disk_is_named_before_it_is_full(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    free = [50]

    def look(_folder: Path) -> os.statvfs_result:
        if free[0] < 0:
            raise FileNotFoundError(2, "No such file or directory")
        blocks = 0 if free[0] > 100 else 100
        return os.statvfs_result((4096, 4096, blocks, free[0], free[0], 1, 1, 1, 0, 255))

    engine = MemoryEngine(lambda: NOW)
    own_trouble = OwnTrouble(engine, tmp_path, look)
    assert own_trouble.look() == ()
    free[0] = 15
    [words] = own_trouble.look()
    assert words.startswith("disk: it is full to 85%. Make room")
    own_trouble.look()
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    free[0] = 30
    assert own_trouble.look() == ()
    assert "the floor's disk is well again" in caplog.text
    free[0] = -1
    assert "cannot be looked at" in own_trouble.look()[0]
    free[0] = 101
    assert own_trouble.look() == ()
    assert OwnTrouble(engine).look() == ()


def test_a_database_without_room_or_without_its_schema_is_named_and_then_well_again(postgres: Server) -> None:
    full = """CREATE OR REPLACE FUNCTION floor.add_access(p_page text, p_facts text) RETURNS void LANGUAGE plpgsql
        SECURITY DEFINER AS $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$"""

    async def work() -> None:
        engine = await PostgresEngine.open(postgres.address("floord"))
        trouble = OwnTrouble(engine)
        try:
            assert trouble.look() == ()
            await as_owner(postgres, full)
            with pytest.raises(FloorAwayError, match=r"disk of the floor's database is full.*Make room"):
                await engine.add_access("page", "[]")
            await engine.status()
            assert trouble.look()[0].startswith("database: the disk of the floor's database is full"), "it is read yet"
            await as_owner(postgres, "DROP FUNCTION floor.add_access(text, text)")
            with pytest.raises(FloorAwayError, match=r"older than this program.*feltd floor prepare"):
                await engine.add_access("page", "[]")
            await engine.status()
            assert "feltd floor prepare" in trouble.look()[0]
        finally:
            await prepare(postgres.address("owner"))
        await engine.add_access("page", "[]")
        assert trouble.look() == ()
        await engine.close()

    asyncio.run(work())


def test_what_the_database_refuses_is_said_until_it_does_that_or_nobody_asks_for_it() -> None:
    now = [100.0]
    refused = Refused(lambda: now[0])
    full, older = asyncpg.DiskFullError("no room"), asyncpg.UndefinedFunctionError("no function")
    refused.take("append", full, "full")
    now[0] += 1.0
    refused.take("wish", older, "older")
    refused.take("look", asyncpg.DeadlockDetectedError("twice"), "a deadlock")
    assert refused.words() == "older"
    refused.done("wish")
    refused.done("look")
    assert refused.words() == "full"
    now[0] += SAID_FOR - 1.5
    assert refused.words() == "full"
    now[0] += 1.0
    assert refused.words() is None


def test_what_a_primary_refused_counts_no_more_once_it_has_handed_over() -> None:
    refused = Refused(lambda: 100.0)
    refused.take("order", asyncpg.DiskFullError("no room"), "full", "first")
    assert refused.words("first") == "full"
    assert refused.words("second") is None


class Manager(ServiceManager):
    """A service manager that is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def ready(self, status: str) -> None:
        self.told.append(status)


class Stop(asyncio.Event):
    """Nobody stops; `again` ends a wait, as its time does."""

    def __init__(self) -> None:
        super().__init__()
        self.again = asyncio.Event()

    async def wait(self) -> Literal[True]:
        await self.again.wait()
        raise TimeoutError


def test_a_floor_without_its_database_says_why_on_the_pit_page_and_goes_on_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = FloorSettings(
        certificate=tmp_path, key=tmp_path, authority=tmp_path, database="postgresql:///floor", socket=tmp_path / "pit"
    )  # fmt: skip
    faults = [CustodyError("the database is older than this program", "here", "Run it")]
    engine = cast("PostgresEngine", object())

    async def opened(_address: str, _memory: Memory) -> PostgresEngine:
        if faults:
            raise faults[0]
        return engine

    monkeypatch.setattr(PostgresEngine, "open", opened)

    async def work() -> None:
        stop, manager, door = Stop(), Manager(), PitDoor(tmp_path / "pit")
        waiting = asyncio.ensure_future(floor_process._opened(settings, stop, manager))
        async with running(door.run()):
            await eventually(lambda: door.away is None)
            follow = PitFollow(door)
            state = await follow.state("")
            assert [item["kind"] for item in state["wrong"]] == ["floor"]
            assert "older than this program" in state["wrong"][0]["text"]
            assert state["tables"] == []
            with pytest.raises(NotOnDiskError):
                await door.tell_access("page", ())
            faults.clear()
            stop.again.set()
            assert await waiting is engine
            assert len(manager.told) == 1
        faults.append(CustodyError("gone", "here", "Run it"))
        with pytest.raises(CustodyError, match="gone"):
            await floor_process._opened(settings.model_copy(update={"socket": None}), stop, manager)
        stop.set()
        assert await floor_process._opened(settings, stop, manager) is None

    asyncio.run(work())
    with pytest.raises(FloorAwayError, match="no database"):
        at_once(NoDatabase(FloorAwayError("away", "there", "Wait"), lambda: NOW).add_order(cast("object", None)))  # type: ignore[arg-type]


def test_an_alarm_is_said_in_the_log_once_a_day(caplog: pytest.LogCaptureFixture) -> None:
    alarm = Alarm("table of the log", bytes(16), AlarmKind.BROKEN, 3, "words and remedy")
    say(alarm)
    say(alarm)
    say(replace(alarm, table="another table of the log"))
    assert [record.getMessage() for record in caplog.records] == [
        f"table {table}, journal {bytes(16).hex()}: ALARM broken: words and remedy"
        for table in ("table of the log", "another table of the log")
    ]
