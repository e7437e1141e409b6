"""Both engines keep a tournament's events: each behind the last one, once, and so that a change is seen."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import asyncpg
import pytest

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.floor.engine import Engine
from feltd.floor.players import Player
from feltd.floor.postgres import PostgresEngine
from feltd.floor.streams import LINE_MOST, MemoryStreams, StreamEnd, Streams, TableEntry, Told, proven, start_of
from tests.floor.conftest import as_owner, emptied
from tests.floor.postgres_support import Server

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]
CAUSE = TableEntry(bytes(range(16)), 7)


async def written(streams: Streams, tournament: str, *lines: str) -> None:
    """A tournament with these events."""
    await streams.begin(tournament)
    for seq, line in enumerate(lines):
        assert (await streams.add(tournament, seq, line)).told is Told.ADDED


def test_an_event_is_added_behind_the_one_that_its_sender_knew(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        streams = floor.tournaments
        assert await streams.begin("may-cup")
        assert not await streams.begin("may-cup")
        assert await streams.begin("june-cup")
        first = await streams.add("may-cup", 0, '{"ev":"a"}')
        assert (first.told, first.seq) == (Told.ADDED, 1)
        late = await streams.add("may-cup", 0, '{"ev":"b"}')
        assert (late.told, late.seq, late.chain) == (Told.MOVED_ON, 1, first.chain)
        assert (await streams.add("may-cup", 2, '{"ev":"b"}')).told is Told.MOVED_ON
        assert (await streams.add("may-cup", 1, '{"ev":"b"}')).seq == 2
        assert (await streams.add("may-cop", 0, '{"ev":"a"}')).told is Told.UNKNOWN
        kept = await streams.events("may-cup", 0, 9)
        assert [(event.seq, event.line) for event in kept] == [(1, '{"ev":"a"}'), (2, '{"ev":"b"}')]
        assert await streams.events("may-cup", 1, 9) == kept[1:]
        assert await streams.events("may-cup", 0, 1) == kept[:1]
        assert await streams.all() == [proven("may-cup", None, kept), StreamEnd("june-cup", 0, start_of("june-cup"))]
        assert proven("may-cup", proven("may-cup", None, kept[:1]), kept[1:]) == proven("may-cup", None, kept)

    engine(work)


def test_an_event_whose_answer_was_lost_is_sent_again_and_stands_once(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        streams = floor.tournaments
        await written(streams, "cup", "one", "two")
        again = await streams.add("cup", 0, "one")
        assert (again.told, again.seq) == (Told.THERE, 2)
        assert len(await streams.events("cup", 0, 9)) == 2

    engine(work)


def test_a_tables_entry_has_one_event_in_a_tournament(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        streams = floor.tournaments
        await written(streams, "cup", "one")
        await written(streams, "other")
        assert (await streams.add("cup", 1, "two", CAUSE)).told is Told.ADDED
        assert (await streams.add("cup", 2, "three", CAUSE)).told is Told.CAUSE_KNOWN
        assert (await streams.add("cup", 2, "three", replace(CAUSE, seq=8))).told is Told.ADDED
        assert (await streams.add("other", 0, "two", CAUSE)).told is Told.ADDED
        assert [event.cause for event in await streams.events("cup", 0, 9)] == [None, CAUSE, replace(CAUSE, seq=8)]

    engine(work)


def test_of_directors_who_decide_at_once_each_sees_what_the_others_did(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        streams = floor.tournaments
        await streams.begin("cup")
        lost = 0

        async def decides(director: int) -> None:
            nonlocal lost
            for step in range(5):
                while True:
                    known = await streams.events("cup", 0, 99)
                    answer = await streams.add("cup", len(known), f"{director} takes seat {len(known) + 1}, {step}")
                    if answer.told is Told.ADDED:
                        break
                    assert answer.told is Told.MOVED_ON
                    lost += 1

        await asyncio.gather(*(decides(director) for director in range(4)))
        kept = await streams.events("cup", 0, 99)
        assert [event.line.split(",")[0].rpartition(" ")[2] for event in kept] == [str(n) for n in range(1, 21)]
        assert proven("cup", None, kept).seq == 20

    engine(work)


def test_many_events_are_added_all_or_none(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        streams = floor.tournaments
        await written(streams, "cup", "one")
        answers = await streams.add_all("cup", 1, ("two", "three"))
        assert [(answer.told, answer.seq) for answer in answers] == [(Told.ADDED, 2), (Told.ADDED, 3)]
        again = await streams.add_all("cup", 1, ("two", "three"))
        assert {answer.told for answer in again} == {Told.THERE}
        [late] = await streams.add_all("cup", 1, ("four", "five"))
        assert (late.told, late.seq) == (Told.MOVED_ON, 3)
        [unknown] = await streams.add_all("cop", 0, ("one", "two"))
        assert unknown.told is Told.UNKNOWN
        with pytest.raises(ValueError, match="one line"):
            await streams.add_all("cup", 3, ("four", "two\nlines"))
        assert [event.line for event in await streams.events("cup", 0, 9)] == ["one", "two", "three"]
        tokens = [Player(f"{number}" * 16, f"10{number}", f"Mx {number}") for number in (1, 2)]
        assert await streams.players.keep_all("cup", tokens) == ["1" * 16, "2" * 16]
        assert await streams.players.keep_all("cup", [replace(tokens[0], token="9" * 16)]) == ["1" * 16]

    engine(work)


_DIES: tuple[str, ...] = (
    "CREATE FUNCTION pg_temp_dies() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$",
    "CREATE TRIGGER dies BEFORE INSERT ON floor.tournament_event FOR EACH ROW WHEN (NEW.line = 'fortieth') "
    "EXECUTE FUNCTION pg_temp_dies()",
)
"""A server that ends the session that adds this event."""


def test_a_connection_that_dies_in_the_middle_of_many_events_has_added_none(postgres: Server) -> None:
    """Of a sheet of some forty entries, at the fortieth."""

    async def work() -> None:
        await emptied(postgres)
        await as_owner(postgres, *_DIES)
        floor = await PostgresEngine.open(postgres.address("floord"))
        try:
            await written(floor.tournaments, "cup", "one")
            lines = [f"line {number}" for number in range(2, 40)]
            with pytest.raises(FloorAwayError):
                await floor.tournaments.add_all("cup", 1, [*lines, "fortieth", "last"])
            assert [event.line for event in await floor.tournaments.events("cup", 0, 99)] == ["one"]
            assert len(await floor.tournaments.add_all("cup", 1, lines)) == 38
        finally:
            await floor.close()
            await as_owner(postgres, "DROP TRIGGER dies ON floor.tournament_event", "DROP FUNCTION pg_temp_dies")

    asyncio.run(work())


def test_what_is_no_id_and_no_line_is_refused(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        streams = floor.tournaments
        for bad in ("", "-cup", "Cup", "a" * 41, "cup\n", "a b"):
            with pytest.raises(ValueError, match="is no tournament's id"):
                await streams.begin(bad)
        await streams.begin("cup")
        for line in ("x" * (LINE_MOST + 1), "two\nlines", "a\0b", "ü" * (LINE_MOST // 2 + 1)):
            with pytest.raises(ValueError, match="one line"):
                await streams.add("cup", 0, line)
        assert (await streams.add("cup", 0, "ü" * (LINE_MOST // 2))).told is Told.ADDED

    engine(work)


def test_an_event_that_was_changed_left_out_or_put_in_is_found() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        await written(streams, "cup", "one", "two", "three")
        kept = await streams.events("cup", 0, 9)
        changed = [kept[0], replace(kept[1], line="too"), kept[2]]
        for damaged in (changed, [kept[0], kept[2]], [kept[0], *kept], kept[1:], kept[::-1]):
            with pytest.raises(CustodyError, match="does not follow from event"):
                proven("cup", None, damaged)
        with pytest.raises(CustodyError, match="event 1 does not follow from event 0"):
            proven("other", None, kept)

    asyncio.run(work())


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM floor.tournament_event",
        "INSERT INTO floor.tournament (id, chain) VALUES ('x', sha256('x'))",
        "UPDATE floor.tournament SET seq = 1",
        "DELETE FROM floor.tournament_event",
    ],
)
def test_the_daemons_role_adds_events_and_does_nothing_else_to_a_tournament(postgres: Server, statement: str) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(postgres.address("floord"))
        try:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(work())


def test_the_owner_changes_no_event_by_mistake_and_a_change_on_the_disk_is_found(postgres: Server) -> None:
    async def work() -> None:
        await emptied(postgres)
        floor = await PostgresEngine.open(postgres.address("floord"))
        try:
            await written(floor.tournaments, "cup", "one", "two")
            statement = "UPDATE floor.tournament_event SET line = 'too' WHERE seq = 2"
            with pytest.raises(asyncpg.RaiseError, match="what is kept stays as it is"):
                await as_owner(postgres, statement)
            await as_owner(postgres, "SET session_replication_role = replica; " + statement)
            with pytest.raises(CustodyError, match="event 2 does not follow from event 1"):
                proven("cup", None, await floor.tournaments.events("cup", 0, 9))
        finally:
            await floor.close()

    asyncio.run(work())
