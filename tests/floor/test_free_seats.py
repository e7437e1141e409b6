"""Which seats are free at the tables of a cash game: by the record of each real table, and how old that is."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feltd.books.shipped import waiting_sources
from feltd.custody.messages import Beat, Stand
from feltd.door.commands import CommandRefused, StepRefused
from feltd.door.pit.directing import Step
from feltd.door.pit.waiting import RoomAsk, SeatsKnown, TableFree
from feltd.floor.free_seats import LAG_MOST, Known, free_seats
from feltd.floor.given_seats import UNHEARD_FOR
from feltd.floor.groups import EVERYTHING, NOTHING, Sight
from feltd.floor.streams import MemoryStreams, StreamAnswer
from floor_fsm.waiting.book import load_waiting_books
from tests.floor.directing_support import LEA
from tests.floor.tending_support import TendedFloor, run
from tests.floor.waiting_support import GAME, ROOM, AtDesk, joins, waiting

TABLES = [{"table": "T1", "seats": [1, 2, 3, 4, 5]}, {"table": "T2", "seats": [1, 2]}]


class Cash:
    """Waiting lists beside two real tables: three sit at T1, two at T2."""

    def __init__(self, folder: Path, streams: MemoryStreams | None = None) -> None:
        self.floor = TendedFloor(folder, T1=(1, 2, 4), T2=(1, 2))
        self.lists = waiting(streams or MemoryStreams(), lambda: self.floor.time.wall, line_of=self.floor.book.line)
        self.desk = AtDesk(self.lists)

    async def opened(self) -> "Cash":
        """With a list of one game, whose tables are T1 and T2, and two people who wait."""
        await self.desk.opened(people=2)
        await self.desk.say({"ev": "game.tables", "game": "nl-1-2", "tables": TABLES})
        return self

    async def told(self) -> "Cash":
        """Both tables are connected, and their records are here."""
        for name in ("T1", "T2"):
            if name not in self.floor.reaches:
                await self.floor.connect(name)
        await self.floor.up()
        for name in ("T1", "T2"):  # a table of these tests plays a tournament's book
            self.options(name)["tournament"] = False
        return self

    def options(self, name: str) -> dict[str, object]:
        """What the pit has of how a table plays."""
        line = self.floor.book.line(name)
        assert line is not None
        assert line.fold.play is not None
        options: dict[str, object] = line.fold.play["options"]
        return options

    def free(self, sight: Sight | None = None) -> list[tuple[str, tuple[int, ...], SeatsKnown]]:
        """The free seats by table, and how they are known."""
        news = self.lists.news(RoomAsk("cash"), sight) if sight is not None else self.desk.news()
        return [(one.table, one.free, one.known) for one in news.free]


def test_a_tables_own_record_says_which_seats_are_free_and_a_held_one_is_not(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await Cash(tmp_path).opened()
        assert cash.free() == [("T1", (), SeatsKnown.NEVER), ("T2", (), SeatsKnown.NEVER)]
        await cash.told()
        assert cash.free() == [("T1", (3, 5), SeatsKnown.NOW), ("T2", (), SeatsKnown.NOW)]
        assert [tile.free for tile in cash.lists.tiles()] == [2]
        await cash.desk.say({"ev": "waiting.called", "number": 1, "table": "T1", "seat": 3})
        assert cash.free()[0] == ("T1", (5,), SeatsKnown.NOW), "the seat is held for who was called"
        cash.floor.tables["T1"].play({"ev": "seat.in", "seat": 3})
        cash.floor.tables["T2"].play({"ev": "seat.out", "seat": 2})
        await cash.desk.say({"ev": "waiting.sat_down", "number": 1})
        await cash.told()
        assert sorted(cash.free()) == [("T1", (5,), SeatsKnown.NOW), ("T2", (2,), SeatsKnown.NOW)]
        cash.floor.close()

    run(work)


def test_a_table_that_is_away_or_behind_shows_what_its_record_said_and_since_when(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await (await Cash(tmp_path).opened()).told()
        heard = cash.floor.time.wall
        line = cash.floor.book.line("T1")
        assert line is not None
        cash.floor.book.said("T1", Stand(line.stand, b""), Beat(heard, line.stand + LAG_MOST))
        assert cash.free()[0] == ("T1", (3, 5), SeatsKnown.NOW), "a table that plays has some entries on their way"
        cash.floor.book.said("T1", Stand(line.stand, b""), Beat(heard, line.stand + LAG_MOST + 1))
        assert cash.free()[0] == ("T1", (3, 5), SeatsKnown.BEHIND)
        cash.floor.cut("T1")
        cash.floor.time.pass_(900)
        assert cash.desk.news().free[0] == TableFree("nl-1-2", "T1", (3, 5), SeatsKnown.AWAY, heard)
        assert [tile.free for tile in cash.lists.tiles()] == [0], "nobody is sent to a seat of an old record"
        await cash.told()
        assert cash.free()[0] == ("T1", (3, 5), SeatsKnown.NOW)
        line.head = None
        assert cash.free()[0][2] is SeatsKnown.BEHIND, "it has not said where its record ends"
        cash.floor.close()

    run(work)


def test_a_table_that_is_back_offers_no_seat_before_it_has_said_where_its_record_ends(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await (await Cash(tmp_path).opened()).told()
        cash.floor.cut("T1")
        cash.floor.tables["T1"].play({"ev": "seat.in", "seat": 3})
        await cash.floor.connect("T1")
        assert cash.free()[0] == ("T1", (3, 5), SeatsKnown.BEHIND), "somebody sat down in seat 3 while it was away"
        assert [tile.free for tile in cash.lists.tiles()] == [0]
        await cash.told()
        assert cash.free()[0] == ("T1", (5,), SeatsKnown.NOW)
        cash.floor.close()

    run(work)


def test_a_seat_that_somebody_took_is_offered_to_nobody_before_the_table_has_told_of_them(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await (await Cash(tmp_path).opened()).told()
        await cash.desk.say({"ev": "waiting.called", "number": 1, "table": "T1", "seat": 3})
        await cash.desk.say({"ev": "waiting.sat_down", "number": 1})
        assert cash.free()[0] == ("T1", (5,), SeatsKnown.NOW), "the dealer has not pressed yet"
        cash.floor.time.pass_(UNHEARD_FOR)
        assert cash.free()[0] == ("T1", (3, 5), SeatsKnown.NOW), "nobody came: the table would have told"
        await cash.desk.say({"ev": "waiting.called", "number": 2, "table": "T1", "seat": 3})
        await cash.desk.say({"ev": "waiting.sat_down", "number": 2})
        cash.floor.tables["T1"].play({"ev": "seat.in", "seat": 3})
        await cash.told()
        assert cash.free()[0] == ("T1", (5,), SeatsKnown.NOW)
        cash.floor.tables["T1"].play({"ev": "seat.out", "seat": 3})
        await cash.told()
        assert cash.free()[0] == ("T1", (3, 5), SeatsKnown.NOW), "they have left: it is free at once"
        cash.floor.close()

    run(work)


class OtherTurns(MemoryStreams):
    """Streams that let others have their turn before they keep an event, as a database does."""

    async def add_beside(
        self, tournament: str, expected: int, line: str, others: Mapping[str, bytes | None]
    ) -> StreamAnswer:
        await asyncio.sleep(0)
        return await super().add_beside(tournament, expected, line, others)


class Rooms:
    """Two rooms of one floor: `late` opened its lists behind those of `cash`, and both have two who wait."""

    def __init__(self, cash: Cash) -> None:
        self.cash = cash

    async def say(self, room: str, event: Mapping[str, Any]) -> None:
        """A step at the desk of a room."""
        lists = self.cash.lists
        await lists.step(Step(room, lists.news(RoomAsk(room)).seq, event, LEA))

    async def opened(self) -> "Rooms":
        """With the game and the people of `late`."""
        await self.cash.lists.open(replace(ROOM, id="late", title="Late games"))
        for event in (GAME, joins(1), joins(2)):
            await self.say("late", event)
        return self


def test_a_table_is_of_one_room_and_a_seat_that_another_room_gives_is_free_in_none(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await (await Cash(tmp_path).opened()).told()
        rooms = await Rooms(cash).opened()
        call = {"ev": "waiting.called", "number": 1, "table": "T1", "seat": 3}
        named = {"ev": "game.tables", "game": "nl-1-2", "tables": [TABLES[0]]}
        for event in (named, call):
            with pytest.raises(StepRefused, match="T1 is a table of the lists Cash games: take it from a game there"):
                await rooms.say("late", event)
        await cash.desk.say({**named, "tables": [TABLES[1]]})
        await rooms.say("late", call)
        with pytest.raises(StepRefused, match="seat 3 of T1 is held for somebody on the lists Late games") as refused:
            await cash.desk.say({"ev": "game.tables", "game": "nl-1-2", "tables": []}, call)
        assert refused.value.clause == "ours"
        await cash.desk.say({**named, "tables": TABLES})
        assert cash.free()[0] == ("T1", (5,), SeatsKnown.NOW), "it is held on the other lists"
        await rooms.say("late", {"ev": "waiting.sat_down", "number": 1})
        assert cash.free()[0] == ("T1", (5,), SeatsKnown.NOW)
        await cash.desk.say({**named, "tables": [TABLES[1]]})
        await rooms.say("late", named)
        await rooms.say("late", {"ev": "waiting.taken_off", "number": 2})
        await rooms.say("late", {"ev": "room.closed"})
        await cash.desk.say({**named, "tables": TABLES}, {**call, "seat": 5})
        cash.floor.close()

    run(work)


def test_of_two_rooms_that_take_one_table_at_once_one_has_it(tmp_path: Path) -> None:
    async def work() -> None:
        cash = Cash(tmp_path, OtherTurns())
        await cash.desk.opened(people=2)
        rooms = await Rooms(cash).opened()
        named = {"ev": "game.tables", "game": "nl-1-2", "tables": [TABLES[0]]}
        done = await asyncio.gather(*(rooms.say(room, named) for room in ("cash", "late")), return_exceptions=True)
        assert [str(one)[:20] for one in done if one is not None] == ["T1 is a table of the"]
        cash.floor.close()

    run(work)


def test_the_table_with_the_fewest_players_is_offered_first_where_the_book_has_it(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await (await Cash(tmp_path).opened()).told()
        cash.floor.tables["T2"].play({"ev": "seat.out", "seat": 2})
        await cash.told()
        assert cash.free() == [("T2", (2,), SeatsKnown.NOW), ("T1", (3, 5), SeatsKnown.NOW)]
        room = cash.lists.folds()[0].room
        assert room is not None
        in_order = free_seats(room.lists, Known(cash.floor.book.line, room.lists.held_at), EVERYTHING, balanced=False)
        assert [one.table for one in in_order] == ["T1", "T2"], "as they were named, by a book of before"
        cash.floor.cut("T2")
        assert [one[0] for one in cash.free()] == ["T1", "T2"], "which is away is offered by nobody"
        cash.floor.close()

    run(work)


def test_a_book_of_before_has_no_row_of_balanced_tables_and_is_read_all_the_same() -> None:
    text = waiting_sources()["onyx-cash.toml"]
    before = text[: text.index("[balance]")]
    assert load_waiting_books({"onyx-cash.toml": before})["onyx-cash"].balance is None
    assert load_waiting_books({"onyx-cash.toml": text})["onyx-cash"].balance is not None


def test_a_closed_table_and_one_that_plays_a_tournament_have_no_free_seat(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await (await Cash(tmp_path).opened()).told()
        cash.options("T1")["tournament"] = True
        cash.floor.tables["T2"].play({"ev": "table.close"})
        await cash.floor.up()
        assert cash.free() == [("T1", (), SeatsKnown.TOURNAMENT), ("T2", (), SeatsKnown.CLOSED)]
        cash.floor.close()

    run(work)


def test_who_does_not_see_a_table_of_a_game_names_no_others_for_it(tmp_path: Path) -> None:
    async def work() -> None:
        cash = await Cash(tmp_path).opened()
        desk = AtDesk(cash.lists, sight=Sight(frozenset({"T2"})))
        for tables in ([TABLES[1]], [{"table": "T9", "seats": [1, 2]}]):
            with pytest.raises(CommandRefused, match=r"T[19] is none of the tables that you see"):
                await desk.say({"ev": "game.tables", "game": "nl-1-2", "tables": tables})
        cash.floor.close()

    run(work)


@pytest.mark.parametrize(("sight", "tables"), [(Sight(frozenset({"T2"})), ["T2"]), (None, ["T1", "T2"])])
def test_free_seats_are_shown_of_tables_that_somebody_sees(
    tmp_path: Path, sight: Sight | None, tables: list[str]
) -> None:
    async def work() -> None:
        cash = await (await Cash(tmp_path).opened()).told()
        assert [one[0] for one in cash.free(sight)] == tables
        assert cash.lists.tiles(NOTHING) == ()
        cash.floor.close()

    run(work)
