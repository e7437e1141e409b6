"""Directors at floord's socket: two desks at once, and one at the shell."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS
from feltd.door.asking.pit_door import PitDoor
from feltd.door.commands import MovedOn, NoDatabaseError, StepRefused
from feltd.door.pit.directing import Entering, Step, TournamentAsk
from feltd.door.serving.listener import listening
from feltd.door.wire.messages import MOST_TO_TABLE
from feltd.floor.commanding import Desk
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.streams import MemoryStreams
from feltd.page.pit.tournaments.asking import NotShownError, law_of
from floor_fsm.errors import Reason
from tests.floor.directing_support import CUP, LEA, MAX, TERMS, At, Losing, directing, entry
from tests.running import eventually, running


def test_two_desks_at_the_socket_see_each_others_steps_and_race_for_a_seat(tmp_path: Path) -> None:
    async def work() -> None:
        engine = MemoryEngine(lambda: 0.0)
        floor, book = directing(engine.tournaments), PitBook(engine)
        desk, place = Desk(engine), tmp_path / "pit"
        async with listening(place, os.getuid(), PitReception(Pit(desk, book, engine, floor), book)):
            doors = [PitDoor(place), PitDoor(place)]
            async with running(doors[0].run()), running(doors[1].run()), running(floor.watch()):
                await eventually(lambda: all(door.away is None for door in doors))
                assert await doors[0].tournaments("lea") == ()
                changed = asyncio.Event()
                doors[1].on_changed(changed.set)
                assert (await doors[0].open(CUP)).seq == 1
                await changed.wait()
                assert [tile.id for tile in await doors[1].tournaments("max")] == ["cup"]
                for seq, event in enumerate((TERMS, entry(1), entry(2)), 1):
                    await doors[0].step(Step("cup", seq, event, LEA))
                news = await doors[1].tournament(TournamentAsk("cup", 2))
                assert (news.seq, [line.ev for line in news.lines]) == (4, ["entry", "entry"])
                assert news.state is not None
                given = {"ev": "seat.given", "entry": 1, "table": "T1", "seat": 1}
                both = await asyncio.gather(
                    doors[0].step(Step("cup", 4, given, LEA)),
                    doors[1].step(Step("cup", 4, {**given, "entry": 2}, MAX)),
                    return_exceptions=True,
                )
                [lost] = [one for one in both if isinstance(one, MovedOn)]
                assert "came first, with seat.given (event 5)" in str(lost)
                with pytest.raises(StepRefused) as refused:
                    await doors[1].step(Step("cup", 5, TERMS, MAX))
                assert (refused.value.reason, refused.value.clause) == (Reason.OPEN_ALREADY, None)
                sheet = tuple({**entry(number), "name": f"Mx {number:077}"} for number in range(1000, 2700))
                assert len(json.dumps(sheet)) > MOST_TO_TABLE
                assert (await doors[1].enter(Entering("cup", 5, sheet, MAX))).seq == 1705
                engine.tournaments.kept["cup"].append(engine.tournaments.kept["cup"][0])
                await eventually(lambda: floor.fold("cup").wrong is not None)
        without, door = PitReception(Pit(desk, book, engine), book), PitDoor(place)
        async with listening(place, os.getuid(), without), running(door.run()):
            await eventually(lambda: door.away is None)
            assert await door.tournaments("lea") == ()
            with pytest.raises(NoDatabaseError, match="no database"):
                await door.tournament(TournamentAsk("cup", 0))

    asyncio.run(work())


def test_a_director_at_the_shell_makes_lists_steps_and_sees(tmp_path: Path) -> None:
    file, steps = tmp_path / "floor.toml", tmp_path / "steps.jsonl"
    words = 'certificate = "c"\nkey = "k"\nauthority = "a"\ndatabase = "postgresql:///floor"\n'
    file.write_text(f'[floor]\n{words}socket = "pit"\n')
    opening = ("open", "cup", "--title", "Tuesday cup", "--book", "onyx", "--why", "announced")

    def run(*command: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["floor", "tournament", "--config", str(file), *command])
        return done.exit_code, done.output

    async def work() -> None:
        engine = MemoryEngine(lambda: 0.0)
        engine.tournaments = streams = Losing()
        floor, book = directing(streams), PitBook(engine)
        async with listening(tmp_path / "pit", os.getuid(), PitReception(Pit(Desk(engine), book, engine, floor), book)):

            async def ran(*command: str) -> tuple[int, str]:
                return await asyncio.to_thread(run, *command)

            assert await ran("list") == (FINE, "")
            assert await ran(*opening) == (FINE, "cup: event 1\n")
            code, told = await ran(*opening)
            assert (code, "choose another id" in told) == (PROBLEMS, True)
            steps.write_text(f"# terms\n{json.dumps(TERMS)}\n\n{json.dumps(entry(1))}\n{json.dumps(entry(1))}\n{{}}")
            code, told = await ran("step", "cup", str(steps), "--why", "as announced")
            lines = told.splitlines()
            assert code == PROBLEMS
            assert [json.loads(line)["ev"] for line in lines[:2]] == ["tournament.open", "entry"]
            assert lines[2:] == [f"feltd: {steps}:5:", "feltd: refused: entry 1 is Mx 1's"]
            assert await ran("list") == (
                FINE,
                "cup: Tuesday cup (onyx), entries; entries 1, with a seat 0, tables 2, event 3\n",
            )
            code, told = await ran("show", "cup", "--since", "2")
            shown = json.loads(told)
            assert (shown["seq"], shown["event"]["by"]["place"]) == (3, "floor's shell")
            code, told = await ran("show", "cup", "--state")
            assert json.loads(told)["state"]["Entries"]["by_number"]["1"]["name"] == "Mx 1"
            steps.write_text(json.dumps(entry(2)))
            code, told = await ran("step", "cup", str(steps), "--why", "late", "--expected", "2")
            assert (code, "came first, with entry" in told) == (PROBLEMS, True)
            streams.lose = True
            code, told = await ran("step", "cup", str(steps), "--why", "late")
            assert (code, "not known" in told) == (3, True)
            for bad in ("{", "[]"):
                steps.write_text(bad)
                code, told = await ran("step", "cup", str(steps), "--why", "late")
                assert (code, f"{steps}:1:" in told) == (2, True)
            streams.kept["cup"][1] = replace(streams.kept["cup"][1], line="{}")
            floor._runs.clear()
            await floor.look()
            assert "does not follow" in (await ran("list"))[1]
            assert "does not follow" in (await ran("show", "cup"))[1]

    asyncio.run(work())
    file.write_text(f"[floor]\n{words}")
    code, told = run("list")
    assert code != FINE
    assert "names no `socket`" in told


def test_a_page_reads_the_book_that_the_tournament_was_made_under() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        at = await At(directing(streams)).opened()
        whole = at.floor.news(TournamentAsk("cup", 0))
        assert law_of(whole.book, whole.law).id == "onyx"
        assert at.floor.news(TournamentAsk("cup", 1)).law == ""
        for text in ("", "id = 3", whole.law.replace('"onyx"', '"other"', 1)):
            with pytest.raises(NotShownError, match="bring it to the floor's version"):
                law_of(whole.book, text)

    asyncio.run(work())
