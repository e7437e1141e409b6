"""Two rooms' waiting lists, each at a desk of a floord of its own over one database: a table is of one room."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import CommandRefused, MovedOn, StepRefused
from feltd.door.pit.directing import Step
from feltd.door.pit.waiting import RoomAsk
from feltd.floor.engine import Engine
from feltd.floor.streams import MemoryStreams, StreamAnswer, Streams, Told
from feltd.floor.waiting import LOOKS_MOST, Waiting
from tests.floor.directing_support import LEA, Losing
from tests.floor.waiting_support import GAME, ROOM, joins, waiting

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]
TABLE = {"table": "T1", "seats": [1, 2, 3]}
NAMED = {"ev": "game.tables", "game": "nl-1-2", "tables": [TABLE]}
CALLED = {"ev": "waiting.called", "number": 1, "table": "T1", "seat": 2}


class Room:
    """A desk of one room at a floord of its own, which looks at what others keep when the test says so."""

    def __init__(self, streams: Streams, name: str) -> None:
        self.name = name
        self.floor: Waiting = waiting(streams)

    async def opened(self) -> "Room":
        """With one game, and two who wait."""
        await self.floor.open(replace(ROOM, id=self.name, title=f"Room {self.name}"))
        for event in (GAME, joins(1), joins(2)):
            await self.say(event)
        return self

    @property
    def seq(self) -> int:
        """The last event that the desk knows."""
        return self.floor.news(RoomAsk(self.name)).seq

    async def say(self, event: Mapping[str, Any]) -> None:
        """A step."""
        await self.floor.step(Step(self.name, self.seq, event, LEA))

    def tables(self) -> list[str]:
        """The tables of the room."""
        [game] = self.floor.news(RoomAsk(self.name)).lists["games"]
        return [one["table"] for one in game["tables"]]


async def rooms(streams: Streams) -> tuple[Room, Room]:
    """Two rooms that know of each other's beginnings."""
    one, two = await Room(streams, "one").opened(), await Room(streams, "two").opened()
    await one.floor.look()
    return one, two


@pytest.mark.parametrize("times", range(3))
def test_of_two_rooms_at_two_floords_that_take_one_table_at_once_one_has_it(engine: Run, times: int) -> None:
    async def work(floor: Engine) -> None:
        one, two = await rooms(floor.waiting)
        done = await asyncio.gather(one.say(NAMED), two.say(NAMED), return_exceptions=True)
        assert [type(fault) for fault in done if fault is not None] == [StepRefused]
        assert "T1 is a table of the lists Room" in str(next(fault for fault in done if fault is not None))
        seen = waiting(floor.waiting)
        await seen.look()
        taken = [game["tables"] for fold in ("one", "two") for game in seen.news(RoomAsk(fold)).lists["games"]]
        assert sorted(len(tables) for tables in taken) == [0, 1]

    engine(work)


def test_what_the_other_floord_kept_just_before_is_looked_at_before_the_step_is_refused_or_kept(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        one, two = await rooms(floor.waiting)
        await one.say(NAMED)
        with pytest.raises(StepRefused, match="T1 is a table of the lists Room one: take it from a game there first"):
            await two.say(CALLED)
        await one.say({**NAMED, "tables": []})
        await two.floor.look()
        await one.say(CALLED)
        with pytest.raises(StepRefused, match="seat 2 of T1 is held for somebody on the lists Room one"):
            await two.say(CALLED)
        await one.say({**joins(3), "number": 3})
        await two.say({**CALLED, "seat": 3})
        assert [held["held"]["seat"] for held in two.floor.news(RoomAsk("two")).lists["waits"] if held["held"]] == [3]

    engine(work)


def test_a_room_that_was_opened_elsewhere_meanwhile_counts_too(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        one = await Room(floor.waiting, "one").opened()
        await floor.waiting.begin("empty")
        two = await Room(floor.waiting, "two").opened()
        await two.say(NAMED)
        with pytest.raises(StepRefused, match="T1 is a table of the lists Room two"):
            await one.say(NAMED)
        assert one.tables() == []

    engine(work)


def test_lists_that_this_program_cannot_read_keep_nobody_from_a_table(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        one = await Room(floor.waiting, "one").opened()
        await floor.waiting.begin("newer")
        await floor.waiting.add("newer", 0, json.dumps({"ev": "another"}))
        await one.say(NAMED)
        await floor.waiting.add("newer", 1, json.dumps({"ev": "and another"}))
        await one.say({**NAMED, "tables": []})
        assert one.tables() == []

    engine(work)


def test_an_event_beside_others_whose_answer_was_lost_stands_whatever_others_did_since(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        streams = floor.waiting
        for stream in ("one", "two"):
            await streams.begin(stream)
        first = await streams.add("two", 0, "a")
        assert (await streams.add_beside("one", 0, "taken", {})).told is Told.OTHERS_MOVED_ON
        assert (await streams.add_beside("one", 0, "taken", {"two": first.chain})).told is Told.ADDED
        await streams.add("two", 1, "b")
        again = await streams.add_beside("one", 0, "taken", {"two": first.chain})
        assert (again.told, again.seq) == (Told.THERE, 1)
        late = await streams.add_beside("one", 1, "more", {"two": first.chain})
        assert (late.told, late.seq) == (Told.OTHERS_MOVED_ON, 1)
        assert (await streams.add_beside("one", 1, "more", {"two": None})).told is Told.ADDED
        assert (await streams.add_beside("none", 0, "a", {})).told is Told.UNKNOWN
        assert (await floor.tournaments.add_beside("none", 0, "a", {})).told is Told.UNKNOWN

    engine(work)


def test_where_other_lists_never_rest_or_cannot_be_read_nothing_is_kept() -> None:
    class Restless(Losing):
        looks = 0

        async def add_beside(
            self, tournament: str, expected: int, line: str, others: Mapping[str, bytes | None]
        ) -> StreamAnswer:
            self.looks += 1
            await self.add("two", len(self.kept["two"]), json.dumps({"ev": "another"}))
            return await MemoryStreams.add_beside(self, tournament, expected, line, {**others, "two": b"another"})

    async def work() -> None:
        streams = Restless()
        one, two = await rooms(streams)
        kept = len(streams.kept["one"])
        with pytest.raises(MovedOn, match="other waiting lists keep changing"):
            await one.say(NAMED)
        assert (streams.looks, len(streams.kept["one"]), two.tables()) == (LOOKS_MOST, kept, [])

        class Away(Restless):
            async def all(self) -> Any:
                raise FloorAwayError("nobody answers", "database", "Ask again")

        away = Away(streams.kept)
        away.players = streams.players
        one.floor._streams = away
        with pytest.raises(CommandRefused, match="nothing was kept"):
            await one.say(NAMED)

    asyncio.run(work())
