"""Waiting lists run by floord: kept with who and why, the same after a restart, names beside the stream."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.door.asking.pit_door import PitDoor
from feltd.door.commands import CommandRefused, MovedOn, NoDatabaseError, StepNotKnownError, StepRefused
from feltd.door.pit.directing import Opening, Step
from feltd.door.pit.waiting import LINES_MOST, RoomAsk, RoomTile
from feltd.door.serving.listener import listening
from feltd.floor import waiting as of_floor
from feltd.floor.commanding import Desk
from feltd.floor.engine import Engine
from feltd.floor.forgetting import Forgetting, StillPlayedError
from feltd.floor.groups import NOTHING, Sight
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.players import MemoryPlayers, Player
from feltd.floor.streams import MemoryStreams, StreamAnswer, StreamEvent, TableEntry
from floor_fsm.errors import Reason
from tests.floor.directing_support import CUP, LEA, MAX, At, Clock, Losing, directing, entry
from tests.floor.waiting_support import GAME, ROOM, AtDesk, joins, waiting
from tests.running import eventually, running

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]
CALLED = {"ev": "waiting.called", "number": 1, "table": "T1", "seat": 4}


def test_a_desks_steps_are_kept_with_who_and_why_and_a_restart_has_the_same_lists(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        clock = Clock()
        desk = await AtDesk(waiting(floor.waiting, clock)).opened(people=3)
        clock.now += 90
        done = await desk.say(CALLED)
        assert done.outputs == ({"kind": "seat.held", "number": 1, "table": "T1", "seat": 4, "until": 390.0},)
        news = desk.news()
        assert (news.title, news.book, news.seq, news.t, news.wrong) == ("Cash games", "onyx-cash", 6, 90.0, None)
        assert [rule.clause for rule in news.rules] == [
            "Cash 1",
            "ours",
            "ours",
            "ours",
            "Alternates 1",
            "Cash 14",
            "Cash 1",
        ]
        line = news.lines[-1]
        assert (line.ev, line.who, line.why, line.number, line.name, line.table, line.seat) == (
            "waiting.called", "Lea", "as announced", 1, "Mx 1", "T1", 4,
        )  # fmt: skip
        assert desk.floor.tiles() == (RoomTile("cash", "Cash games", "onyx-cash", 6, 1, 2, 1),)
        again = AtDesk(waiting(floor.waiting, clock))
        await again.floor.look()
        assert again.news() == news
        await again.floor.look()
        assert directing(floor.tournaments).tiles() == ()

    engine(work)


def test_names_stand_beside_the_stream_and_are_let_go_once_nobody_waits_under_them(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        desk = await AtDesk(waiting(floor.waiting)).opened(people=3)
        kept = "\n".join(event.line for event in await floor.waiting.events("cash", 0, 100))
        assert [word for number in (1, 2, 3) for word in (f"Mx {number}", f'"p{number}"') if word in kept] == []
        names = Forgetting(directing(floor.tournaments), floor.tournaments.players, desk.floor)
        [told] = await names.of_person("p2")
        assert (told["waiting"], told["name"], told["waits"]) == (
            "cash", "Mx 2", [{"game": "nl-1-2", "number": 2, "since": 0.0}],
        )  # fmt: skip
        with pytest.raises(StillPlayedError, match="waits for a seat"):
            await names.erase("p2", "lea", "asked for it")
        await desk.say({"ev": "waiting.taken_off", "number": 2}, {"ev": "waiting.taken_off", "number": 3})
        assert [line.name for line in desk.news().lines[-2:]] == ["Mx 2", "Mx 3"]
        assert await names.erase("p2", "lea", "asked for it") == ["cash"]
        assert await names.let_go_waited(24) == 0, "the name was said just now"
        assert await names.let_go_waited(-1) == 1
        await desk.floor.look()
        assert [str(line.name)[:7] for line in desk.news().lines[-2:]] == ["player-", "player-"]
        assert desk.names() == ["Mx 1"]
        assert [one.why for one in await floor.tournaments.players.erasures()] == [
            "asked for it", "-1 hours after the name was said",
        ]  # fmt: skip

    engine(work)


def test_a_person_of_a_tournament_and_of_a_list_is_told_and_erased_in_both(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        at = await At(directing(floor.tournaments)).opened(entries=2)
        desk = await AtDesk(waiting(floor.waiting)).opened(people=1)
        names = Forgetting(at.floor, floor.tournaments.players, desk.floor)
        found = await names.of_person("p1")
        assert sorted(one.get("tournament") or one["waiting"] for one in found) == ["cash", "cup"]
        await desk.say({"ev": "waiting.taken_off", "number": 1})
        await at.say({"ev": "tournament.cancelled", "refund": True})
        assert sorted(await names.erase("p1", "lea", "asked for it")) == ["cash", "cup"]
        with pytest.raises(CommandRefused, match="the short name cup already"):
            await desk.floor.open(replace(ROOM, id="cup"))
        with pytest.raises(CommandRefused, match="there is a tournament cash already"):
            await at.floor.open(replace(CUP, id="cash"))

    engine(work)


def test_of_two_desks_at_two_floords_the_second_is_told_who_came_first(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        one = await AtDesk(waiting(floor.waiting)).opened(people=1)
        two = AtDesk(waiting(floor.waiting), MAX)
        await two.floor.look()
        await one.say(joins(2))
        with pytest.raises(MovedOn, match=r"Lea came first, with waiting\.joined \(event 4\)"):
            await two.say(CALLED)
        assert two.names() == ["Mx 1", "Mx 2"]
        with pytest.raises(MovedOn, match="at event 4, not at 9"):
            await two.floor.step(Step("cash", 9, CALLED, MAX))
        await one.say(joins(3))
        with pytest.raises(MovedOn, match="another desk has named this person first"):
            await two.say({**joins(3), "name": "Mx 3a"})
        assert two.floor.news(RoomAsk("cash")).seq == 4, "it is read before the next step"
        with pytest.raises(MovedOn):
            await two.say(CALLED)
        assert two.names()[:2] == ["Mx 1", "Mx 2"]

    engine(work)


def test_what_is_refused_is_not_kept_and_says_reason_clause_and_name() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        desk = await AtDesk(waiting(streams)).opened(people=2)
        with pytest.raises(StepRefused) as refused:
            await desk.say({**CALLED, "number": 2})
        assert (refused.value.reason, refused.value.clause) == (Reason.OTHERS_WAIT_LONGER, "ours")
        assert refused.value.words.startswith("Mx 1 (number 1) waits longer")
        with pytest.raises(StepRefused, match=r"Mx 1 waits for Hold'em 1/2 already, under number 1 \(Cash 1\)"):
            await desk.say({**joins(3), "person": "P 1", "name": "Mx 1"})
        for event, words in (
            ({"ev": "waiting.slept"}, "no event of waiting lists"),
            ({**CALLED, "cause": {"journal": "0" * 32, "seq": 1}}, "tables tell those themselves"),
        ):
            with pytest.raises(CommandRefused, match=words):
                await desk.say(event)
        seeing = AtDesk(desk.floor, sight=Sight(frozenset({"T2"})))
        with pytest.raises(CommandRefused, match="T1 is none of the tables that you see"):
            await seeing.say(CALLED)
        await seeing.say({**CALLED, "table": "T2"})
        assert desk.news().seq == len(streams.kept["cash"]) == 5
        assert desk.floor.tiles(NOTHING) == ()
        with pytest.raises(CommandRefused, match="there are: none yet"):
            desk.floor.news(RoomAsk("cash"), NOTHING)

    asyncio.run(work())


@pytest.mark.parametrize("ev", ["waiting.joined", "waiting.corrected"])
@pytest.mark.parametrize(("person", "name"), [(" ", "Anna Meier"), ("\u2003", "Anna Meier"), ("p1", " ")])
def test_a_name_without_a_card_is_refused_and_never_in_the_stream(ev: str, person: str, name: str) -> None:
    async def work() -> None:
        streams = MemoryStreams()
        desk = await AtDesk(waiting(streams)).opened(people=1)
        said = {"ev": ev, "number": 1, "person": person, "name": name}
        with pytest.raises(CommandRefused, match="type the name, and again in place of a card"):
            await desk.say({**joins(2), **said, "number": 2} if ev == "waiting.joined" else said)
        assert [event.line for event in streams.kept["cash"] if "Anna" in event.line] == []
        assert len(await streams.players.of("cash")) == 1

    asyncio.run(work())


@pytest.mark.parametrize(
    ("opening", "words"),
    [
        (replace(ROOM, book="star"), "there are: onyx-cash"),
        (replace(ROOM, title="two\nlines"), "printable"),
        (replace(ROOM, id="Cash"), "no tournament's id"),
        (replace(ROOM, by=replace(LEA, why="")), "say who decides"),
    ],
)
def test_lists_that_cannot_be_made_are_not(opening: Opening, words: str) -> None:
    async def work() -> None:
        streams = MemoryStreams()
        with pytest.raises(CommandRefused, match=words):
            await waiting(streams).open(opening)
        with pytest.raises(CommandRefused, match="sees no table"):
            await waiting(streams).open(ROOM, NOTHING)
        assert streams.kept == {}

    asyncio.run(work())


@pytest.mark.parametrize("keeps", [True, False])
def test_where_the_answer_is_lost_nobody_knows_and_the_next_step_looks_first(keeps: bool) -> None:
    async def work() -> None:
        streams = Losing()
        desk = await AtDesk(waiting(streams)).opened(people=2)
        streams.lose, streams.keeps = True, keeps
        with pytest.raises(StepNotKnownError, match="look again"):
            await desk.say(CALLED)
        streams.deaf = True
        with pytest.raises(StepNotKnownError, match="cannot be read now"):
            await desk.say(CALLED)
        streams.deaf = False
        if keeps:
            with pytest.raises(MovedOn):
                await desk.say(CALLED)
        else:
            await desk.say(CALLED)
        assert [event.line.count("waiting.called") for event in streams.kept["cash"]].count(1) == 1
        assert desk.news().lists["waits"][0]["held"]["seat"] == 4

    asyncio.run(work())


def test_a_step_that_is_cut_off_is_looked_for_and_one_that_is_there_already_is_taken() -> None:
    async def work() -> None:
        class Odd(MemoryStreams):
            cut = twice = False

            async def add(self, room: str, expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
                if self.cut:
                    raise asyncio.CancelledError
                answer = await super().add(room, expected, line, cause)
                return await super().add(room, expected, line, cause) if self.twice else answer

        streams = Odd()
        desk = await AtDesk(waiting(streams)).opened(people=1)
        streams.cut = True
        with pytest.raises(asyncio.CancelledError):
            await desk.say(CALLED)
        streams.cut, streams.twice = False, True
        assert (await desk.say(CALLED)).seq == 4
        assert desk.news().lists["waits"][0]["held"]["table"] == "T1"

    asyncio.run(work())


def test_a_database_that_is_away_keeps_nothing_and_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        class Away(MemoryPlayers):
            async def keep_all(self, tournament: str, players: object) -> list[str]:
                raise FloorAwayError("nobody answers", "database", "Ask again")

        class NotBegun(MemoryStreams):
            async def begin(self, tournament: str) -> bool:
                raise FloorAwayError("nobody answers", "database", "Ask again")

        streams = MemoryStreams(players=Away())
        desk = await AtDesk(waiting(streams)).opened()
        with pytest.raises(CommandRefused, match="nothing was kept"):
            await desk.say(joins(1))
        with pytest.raises(CommandRefused, match="nothing was kept"):
            await waiting(NotBegun()).open(ROOM)
        streams = Losing()
        other = await AtDesk(waiting(streams)).opened(people=1)
        monkeypatch.setattr(of_floor, "LOOK_EVERY", 0.0)
        floor = waiting(streams)
        streams.deaf = True
        watching = asyncio.ensure_future(floor.watch())
        for _ in range(5):
            await asyncio.sleep(0)
        streams.deaf = False
        await eventually(lambda: len(floor.tiles()) == 1)
        assert floor.news(RoomAsk("cash")) == other.news()
        watching.cancel()

    asyncio.run(work())


def test_a_stream_that_was_changed_is_told_and_one_that_was_put_back_is_followed() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        desk = await AtDesk(waiting(streams)).opened(people=2)
        del streams.kept["cash"][-1]
        await desk.floor.look()
        assert desk.names() == ["Mx 1"]
        kept = streams.kept["cash"]
        kept[1] = StreamEvent(2, kept[1].chain, kept[1].line.replace("1/2", "9/9"))
        changed = waiting(streams)
        await changed.look()
        assert "does not follow" in str(changed.tiles()[0].wrong)
        with pytest.raises(CommandRefused, match="nobody can go on"):
            await AtDesk(changed).say(CALLED)
        other = MemoryStreams()
        await other.begin("cash")
        await other.add("cash", 0, json.dumps({"ev": "another"}))
        unread = waiting(other)
        await unread.look()
        assert "Another feltd" in str(unread.tiles()[0].wrong)
        news = unread.news(RoomAsk("cash"))
        assert (news.lists, news.rules, news.t) == ({}, (), 0.0)
        await other.add("cash", 1, "{}")
        await unread.look()
        other.kept["cash"].clear()
        await unread.look()

    asyncio.run(work())


def test_lines_have_a_bound_and_the_names_of_those_who_wait_stay() -> None:
    async def work() -> None:
        desk = await AtDesk(waiting(MemoryStreams())).opened(people=1)
        for number in range(2, 3 * LINES_MOST):
            await desk.say({**joins(number), "person": "somebody", "name": "Somebody"})
            await desk.say({"ev": "waiting.taken_off", "number": number})
        assert len(desk.news().lines) == LINES_MOST
        await desk.say({"ev": "waiting.taken_off", "number": 1})
        assert desk.news().lines[-1].name == "Mx 1"
        assert entry(1)["person"] == "p1"

    asyncio.run(work())


def test_a_name_is_kept_for_the_time_that_was_set_after_it_was_said() -> None:
    async def work() -> None:
        clock = Clock()
        players = MemoryPlayers(clock=clock)
        streams = MemoryStreams(players=players)
        desk = await AtDesk(waiting(streams, clock)).opened(people=1)
        names = Forgetting(directing(MemoryStreams(players=players)), players, desk.floor)
        await desk.say({"ev": "waiting.taken_off", "number": 1})
        clock.now += 23 * 3600
        assert await names.let_go_waited(24) == 0
        clock.now += 2 * 3600
        assert await names.let_go_waited(24) == 1
        assert await players.of("cash") == list[Player]()
        assert GAME["game"] == "nl-1-2"

    asyncio.run(work())


def test_desks_ask_at_the_socket_and_without_a_database_there_are_no_lists(tmp_path: Path) -> None:
    async def work() -> None:
        engine = MemoryEngine(lambda: 0.0)
        book, floor = PitBook(engine), waiting(engine.waiting)
        place, door = tmp_path / "pit", PitDoor(tmp_path / "pit")
        served = PitReception(Pit(Desk(engine), book, engine, waiting=floor), book)
        async with listening(place, os.getuid(), served), running(door.run()):
            await eventually(lambda: door.away is None)
            assert await door.waiting_rooms("lea") == ()
            assert (await door.open_room(ROOM)).seq == 1
            assert (await door.room_step(Step("cash", 1, GAME, LEA))).seq == 2
            assert [room.games for room in await door.waiting_rooms("lea")] == [1]
            news = await door.waiting_room(RoomAsk("cash", "lea"))
            assert (news.lists["games"][0]["name"], news.lines[-1].who) == ("Hold'em 1/2", "Lea")
            with pytest.raises(StepRefused) as refused:
                await door.room_step(Step("cash", 2, GAME, LEA))
            assert refused.value.reason == Reason.NUMBER_IS_TAKEN
        without, door = PitReception(Pit(Desk(engine), book, engine), book), PitDoor(place)
        async with listening(place, os.getuid(), without), running(door.run()):
            await eventually(lambda: door.away is None)
            assert await door.waiting_rooms("lea") == ()
            with pytest.raises(NoDatabaseError, match="no database"):
                await door.waiting_room(RoomAsk("cash", "lea"))

    asyncio.run(work())
