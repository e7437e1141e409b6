"""A table that writes more than any that plays: what is too long is named, what came before it is kept."""

import asyncio
import os
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from feltd.custody.certificates import context_of_floor
from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import FROM_FLOOR, MESSAGE_MOST, Beat, Hello, Refused, Rows, Stand, from_bytes, to_bytes
from feltd.custody.rows import BATCH_MOST, ROW_MOST, chains_of, taken_of
from feltd.door.pit.state import PitSince
from feltd.floor.custody import within_bounds
from feltd.floor.engine import BATCHES_BYTES, AlarmKind, Batch, Engine
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.room import Room
from feltd.floor.serving import receiving
from feltd.page.pit.shown import table_as_json
from feltd.text.language import Language, speaking
from tests.floor.custody_support import FakeJournal
from tests.floor.test_scenes import Run
from tests.floor.test_uplink import _connected, said
from tests.floor.tls_support import HOST, casino, own
from tests.running import eventually

NOW = 1_700_000_000.0
LONG = bytes(ROW_MOST + 1)


class Written(FakeJournal):
    """A journal of rows that somebody has written by force."""

    def write(self, *rows: bytes) -> None:
        """Write these bytes as the next rows."""
        self.chains += chains_of(self.chains[-1], rows)[1:]
        self.rows += rows

    def message(self, first: int = 1) -> Rows:
        """All rows from there on, as a table sends them."""
        return Rows(
            first, self.chains[first - 1], self.chains[-1], len(self.rows), first - 1, tuple(self.rows[first - 1 :])
        )


def written(*rows: bytes) -> Written:
    journal = Written(1)
    journal.write(*rows)
    return journal


def test_what_is_taken_ends_before_a_row_that_is_too_long_or_too_much() -> None:
    assert taken_of([]) == 0
    assert taken_of([b"a", bytes(ROW_MOST)]) == 2
    assert taken_of([b"a", LONG, b"b"]) == 1
    assert taken_of([bytes(ROW_MOST)] * 3) == BATCH_MOST // ROW_MOST


sizes = st.lists(st.sampled_from([1, 80, ROW_MOST // 2, ROW_MOST, ROW_MOST + 1]), max_size=6)


@given(sizes)
def test_the_rows_that_are_taken_are_the_first_ones_and_of_their_chain(found: list[int]) -> None:
    journal = written(*map(bytes, found))
    message, long = within_bounds(journal.message())
    many = len(message.rows)
    assert message.rows == tuple(journal.rows[:many])
    assert message.chain == chains_of(message.before, message.rows)[-1]
    assert sum(map(len, message.rows)) <= BATCH_MOST
    if long is not None:
        assert (long.entry, long.size) == (many + 1, ROW_MOST + 1)
    elif many < len(found):  # the rest comes at the next turn
        assert many > 0


def test_rows_of_another_chain_are_still_found_out() -> None:
    message, _ = within_bounds(replace(written(b"a", LONG).message(), chain=bytes(32)))
    assert (message.rows, message.chain) == ((b"a",), bytes(32))


def test_an_entry_that_is_too_long_is_named_and_what_lies_before_it_is_kept(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7", "8")

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        book = PitBook(engine, lambda: NOW)
        async with receiving(engine, HOST, 0, context_of_floor(own(folder, "floor")), pit=book) as server:
            floor = f"wss://{HOST}:{server.sockets[0].getsockname()[1]}"
            bad = written(b"one", b"two", LONG, b"four")
            hello = Hello(1, bad.journal_id, 2, "a test")
            for first in (1, 3):
                async with _connected(floor, folder) as connection:
                    await connection.send(to_bytes(hello))
                    assert isinstance(await answer(connection.recv()), Stand)
                    await connection.send(to_bytes(bad.message(first)))
                    if first == 1:
                        stand = await answer(connection.recv())
                        assert isinstance(stand, Stand)
                        assert (stand.seq, stand.chain) == (2, bad.chains[2])
                    refused = await answer(connection.recv())
                    assert isinstance(refused, Refused)
                    assert refused.what.startswith(f"entry 3 has {ROW_MOST + 1} bytes, the floor takes {ROW_MOST}")
                    assert "set-aside" in refused.remedy
            good = Hello(1, FakeJournal(2).journal_id, 2, "a test")
            assert await said(floor, folder, "8", Beat(NOW, 0), hello=good)
            await book.look_at_alarms()
        [alarm] = engine.kept_alarms
        assert (alarm.table, alarm.kind, alarm.seq, alarm.times) == ("7", AlarmKind.SIZE, 3, 2)
        [table] = [one for one in book.news(PitSince("", 0)).tables if one.name == "7"]
        with speaking(Language.GERMAN):
            [item] = [one for one in table_as_json(table)["items"] if one["cause"] == "size"]
        assert item["text"].startswith("Größe: Eintrag 3 hat")
        assert item["action"].startswith("Herausfinden, was so viel geschrieben hat")

    asyncio.run(work())


async def answer(coming: Awaitable[str | bytes]) -> Stand | Refused:
    data = await coming
    assert isinstance(data, bytes)
    found: Stand | Refused = from_bytes(data, FROM_FLOOR)
    return found


@pytest.mark.parametrize("away", [False, True])
def test_a_message_that_is_too_long_to_be_read_is_named_too(tmp_path: Path, away: bool) -> None:
    folder = casino(tmp_path / "casino", "7")

    class Away(MemoryEngine):
        async def raise_alarm(self, alarm: object) -> None:
            alarms.append(alarm)
            raise FloorAwayError("no room", "database", "Make room")

    alarms: list[object] = []
    engine = Away(lambda: NOW) if away else MemoryEngine(lambda: NOW)

    async def work() -> None:
        async with receiving(engine, HOST, 0, context_of_floor(own(folder, "floor"))) as server:
            floor = f"wss://{HOST}:{server.sockets[0].getsockname()[1]}"
            async with _connected(floor, folder) as connection:
                with suppress(ConnectionClosed):  # it ends while this is still on its way, or behind it
                    await connection.send(os.urandom(MESSAGE_MOST + 1))
                await connection.wait_closed()
            await eventually(lambda: len(alarms if away else engine.kept_alarms) == 1)

    asyncio.run(work())
    if not away:
        [alarm] = engine.kept_alarms
        assert (alarm.kind, alarm.seq) == (AlarmKind.SIZE, 0)
        assert "a message is longer than the floor takes" in alarm.text


def test_what_was_taken_in_before_there_was_a_bound_is_read_in_pieces(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = written(*(bytes(BATCHES_BYTES // 2 + n) for n in range(6)))
        await floor.open_journal("7", journal.journal_id, 2)
        for n in range(1, 7):
            await floor.append_many([journal.batch("7", n, n)])
        read: list[Batch] = []
        while found := await floor.batches(journal.journal_id, len(read), 20):
            assert sum(len(row) for batch in found[:-1] for row in batch.rows) <= BATCHES_BYTES
            read += found
        assert [row for batch in read for row in batch.rows] == journal.rows

    engine(work)


# -- room


async def hold(room: Room, size: int, until: asyncio.Event, told: list[str], name: str) -> None:
    async with room.entered() as mine:
        told.append(name)
        mine(size)
        await until.wait()
        if name == "fails":
            raise ValueError(name)


def test_who_finds_no_room_waits_and_all_come_in_their_turn() -> None:
    async def work() -> None:
        room, told = Room(10), list[str]()
        ends = {name: asyncio.Event() for name in ("first", "second", "gone", "fails", "large", "last")}
        tasks = {
            name: asyncio.create_task(hold(room, 10 if name == "large" else 6, ends[name], told, name)) for name in ends
        }
        await eventually(lambda: told == ["first", "second"])
        assert room.held == 12
        tasks["gone"].cancel()
        ends["first"].set()
        await eventually(lambda: told == ["first", "second", "fails"])
        for name in ("fails", "second"):
            ends[name].set()
        await eventually(lambda: told[3:] == ["large"])
        assert room.held == 10
        for name in ("large", "last"):
            ends[name].set()
        found = await asyncio.gather(*tasks.values(), return_exceptions=True)
        assert [type(one) for one in found if one is not None] == [asyncio.CancelledError, ValueError]
        assert (told[4:], room.held) == (["last"], 0)

    asyncio.run(work())


def test_who_goes_away_in_its_turn_lets_the_next_one_in() -> None:
    async def work() -> None:
        room, told, end = Room(1), list[str](), asyncio.Event()
        tasks = [asyncio.create_task(hold(room, 1, end, told, name)) for name in ("first", "second", "third")]
        await eventually(lambda: told == ["first"])
        end.set()
        await tasks[0]
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (told[-1], room.held) == ("third", 0)

    asyncio.run(work())
