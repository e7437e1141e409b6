"""A real table's door, a real uplink and a real floor, over TLS, in one loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake
from websockets.typing import Subprotocol

from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import FROM_FLOOR, SUBPROTOCOL, Beat, Hello, Refused, Stand, Time, from_bytes, to_bytes
from feltd.floor.engine import AlarmKind, Appended
from feltd.floor.memory import MemoryEngine
from feltd.floor.proving import faults_of
from feltd.floor.serving import OF_ONE_TABLE
from feltd.record import JournalReader, Span
from feltd.record.entries import encode
from feltd.uplink.calling import Clocks, Uplink
from feltd.uplink.words import in_words
from table_fsm.events import Tick
from tests.feltd.door_support import Apart, apart
from tests.floor.custody_support import FakeJournal
from tests.floor.tls_support import casino, floor_with, of_table
from tests.running import eventually, running

NOW = 1_700_000_000.0


@asynccontextmanager
async def called(
    at: Apart, floor: str, folder: Path, *, table: str = "7", clocks: Clocks | None = None
) -> AsyncIterator[Uplink]:
    """An uplink at work."""
    uplink = Uplink(at.place, [floor], of_table(folder, table), "a test", clocks)
    async with running(uplink.run()):
        yield uplink


async def write(at: Apart, entries: int) -> int:
    """The table writes so many events; return the number of its last entry."""
    for n in range(entries):
        at.bench.journal.append_event(Tick(t=float(n)), source=None, round_number=0, rulebook_digest=None)
    await at.bench.synced()
    return at.bench.journal.reader.head().seq


def stored_rows(at: Apart) -> list[bytes]:
    """The rows of the journal's file, as the chain is over them."""
    with JournalReader.open(at.bench.journal.path) as reader:
        return [encode(row) for row in reader.rows(Span())]


def test_what_the_table_writes_comes_to_the_floor_as_it_is_stored(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with apart(tmp_path) as at, floor_with(engine, folder) as floor, called(at, floor, folder):
            journal = at.bench.journal.reader.journal_id
            head = await write(at, 1200)
            await eventually(lambda: journal in engine.journals and engine.journals[journal].stand.seq == head)
            head = await write(at, 3)
            await eventually(lambda: engine.journals[journal].stand.seq == head)
            assert [row for batch in engine.journals[journal].batches for row in batch.rows] == stored_rows(at)
            [status] = await engine.status()
            assert (status.table, status.stand.chain) == ("7", at.bench.journal.reader.head().chain)
            assert [fault async for fault in faults_of(engine, status)] == []
            assert engine.kept_alarms == []

    asyncio.run(work())


def test_a_floor_that_starts_again_and_is_put_back_is_healed(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with apart(tmp_path) as at:
            journal = at.bench.journal.reader.journal_id
            async with floor_with(engine, folder) as floor:
                port = int(floor.rpartition(":")[2])
                async with called(at, floor, folder):
                    await write(at, 5)
                    await eventually(lambda: journal in engine.journals)
            backup = engine.saved()
            head = await write(at, 40)
            engine.put_back(backup)
            async with floor_with(engine, folder, port) as floor, called(at, floor, folder):
                await eventually(lambda: engine.journals[journal].stand.seq == head)

    asyncio.run(work())


def test_a_floor_that_was_put_back_while_it_was_away_is_alarmed_once_and_healed(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with AsyncExitStack() as stack:
            at = await stack.enter_async_context(apart(tmp_path))
            journal = at.bench.journal.reader.journal_id
            backup = engine.saved()
            async with floor_with(engine, folder) as floor:
                await stack.enter_async_context(called(at, floor, folder))
                head = await write(at, 5)
                await eventually(lambda: journal in engine.journals and engine.journals[journal].stand.seq == head)
            engine.put_back(backup)
            async with floor_with(engine, folder, int(floor.rpartition(":")[2])):
                await eventually(lambda: journal in engine.journals and engine.journals[journal].stand.seq == head)
        [alarm] = engine.kept_alarms
        assert (alarm.kind, alarm.seq, alarm.times) == (AlarmKind.GAP, 0, 1)
        assert f"{head} entries were missing" in alarm.text

    asyncio.run(work())


def test_another_tables_certificate_is_refused_and_alarmed(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7", "8")

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with apart(tmp_path) as at, floor_with(engine, folder) as floor:
            await engine.open_journal("7", at.bench.journal.reader.journal_id, 2)
            async with called(at, floor, folder, table="8") as uplink:
                await eventually(lambda: "another table's" in uplink.link.why)
                assert "Give the uplink the certificate of its own table" in uplink.link.why
            assert [alarm.kind for alarm in engine.kept_alarms] == [AlarmKind.FOREIGN]

    asyncio.run(work())


def test_a_certificate_of_another_authority_is_told_at_both_ends(tmp_path: Path) -> None:
    ours, theirs = casino(tmp_path / "casino", "7"), casino(tmp_path / "stranger", "7")
    mixed = replace_authority(tmp_path, theirs, ours)

    async def work() -> None:
        async with apart(tmp_path) as at, floor_with(MemoryEngine(lambda: NOW), ours) as floor:
            async with called(at, floor, theirs) as uplink:
                await eventually(lambda: "the floor's certificate is not good" in uplink.link.why)
            async with called(at, floor, mixed) as uplink:
                await eventually(lambda: "does not let this table in" in uplink.link.why)

    asyncio.run(work())


def replace_authority(tmp_path: Path, table: Path, authority: Path) -> Path:
    """A table that believes an authority which has not signed its own certificate."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    for file in ("7.pem", "7.key"):
        (folder / file).write_bytes((table / file).read_bytes())
    (folder / "authority.pem").write_bytes((authority / "authority.pem").read_bytes())
    return folder


def test_a_clock_that_is_off_is_alarmed(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with floor_with(engine, folder) as floor:
            heard = await said(floor, folder, "7", Beat(NOW, 0, -3.0, 0.2))
            assert isinstance(heard, Time)
            assert heard.stand.seq == 0
            assert [alarm.kind for alarm in engine.kept_alarms] == [AlarmKind.CLOCK]
            await said(floor, folder, "7", Beat(NOW, 0, 1.5, 0.6))
            assert [alarm.times for alarm in engine.kept_alarms] == [1]

    asyncio.run(work())


async def said(floor: str, folder: Path, table: str, *messages: Beat | bytes, hello: Hello | None = None) -> object:
    """The floor's answer to the last of these messages, which come behind a hello."""
    first = hello or Hello(1, FakeJournal(1).journal_id, 2, "a test")
    answer: object = None
    async with connect(
        floor, ssl=of_table(folder, table), subprotocols=[Subprotocol(SUBPROTOCOL)], compression=None, proxy=None
    ) as connection:
        for message in (first, *messages):
            await connection.send(message if isinstance(message, bytes) else to_bytes(message))
            data = await connection.recv()
            assert isinstance(data, bytes)
            answer = from_bytes(data, FROM_FLOOR)
    return answer


def test_what_is_wrong_on_the_wire_is_refused_with_its_remedy(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        async with floor_with(MemoryEngine(lambda: NOW), folder) as floor:
            good = Hello(1, FakeJournal(1).journal_id, 2, "a test")
            assert isinstance(await said(floor, folder, "7"), Stand)
            newer = await said(floor, folder, "7", hello=replace(good, version=2))
            assert isinstance(newer, Refused)
            assert "version 2" in newer.what
            assert "Bring the older" in newer.remedy
            garbled = await said(floor, folder, "7", b"\0garbled")
            assert isinstance(garbled, Refused)
            assert not garbled.again

    asyncio.run(work())


def test_a_floor_that_is_not_there_and_one_that_is_none_are_told_apart() -> None:
    refused = ConnectionRefusedError(111, "Connection refused")
    assert "the floor is not reached: Connection refused" in str(in_words("wss://floor:1", refused))
    assert "the table plays on" in str(in_words("wss://floor:1", TimeoutError()))
    assert "no floor answers there" in str(in_words("wss://floor:1", InvalidHandshake("404")))


def test_a_certificate_that_many_machines_show_is_refused_beyond_a_few(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        async with floor_with(MemoryEngine(lambda: NOW), folder) as floor, AsyncExitStack() as stack:
            for _ in range(OF_ONE_TABLE):
                connection = await stack.enter_async_context(_connected(floor, folder))
                await connection.send(to_bytes(Hello(1, FakeJournal(1).journal_id, 2, "a test")))
                await connection.recv()
            last = await stack.enter_async_context(_connected(floor, folder))
            data = await last.recv()
            assert isinstance(data, bytes)
            assert "which machines have a copy of its key" in from_bytes(data, FROM_FLOOR).remedy

    asyncio.run(work())


def _connected(floor: str, folder: Path) -> connect:
    context = of_table(folder, "7")
    return connect(floor, ssl=context, subprotocols=[Subprotocol(SUBPROTOCOL)], compression=None, proxy=None)


def test_text_and_a_database_that_is_away_end_the_connection_and_nothing_else(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    class Away(MemoryEngine):
        async def open_journal(self, table: str, journal: bytes, edition: int) -> Appended:
            raise FloorAwayError("no room on the disk\n", "database", "Make room")

    async def work() -> None:
        async with floor_with(Away(lambda: NOW), folder) as floor:
            away = await said(floor, folder, "7")
            assert away == Refused("no room on the disk ", "database", "Make room", again=True)
            async with _connected(floor, folder) as connection:
                await connection.send("text")
                data = await connection.recv()
                assert isinstance(data, bytes)
                assert "text" in from_bytes(data, FROM_FLOOR).what

    asyncio.run(work())
