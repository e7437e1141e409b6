"""Tables of a tournament that break, rest for a night, or bring floord something that it cannot do."""

import asyncio
import logging
from pathlib import Path

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import StepRefused
from feltd.door.pit.directing import TournamentPhase
from feltd.floor import tending
from feltd.floor.engine import Ordered
from feltd.floor.table_orders import AGAIN_AFTER
from tests.floor.directing_support import entry
from tests.floor.tending_support import TendedFloor, run, seat, seat_entry, seated
from tests.running import eventually, running


def test_a_table_that_is_broken_is_emptied_and_nothing_else_is_told_to_it(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "entry.out", "entry": 1}, {"ev": "entry.out", "entry": 2})
        await floor.at.say({"ev": "table.broken", "table": "T2", "to": [[5, "T1", 1], [6, "T1", 2]]})
        told = len(two.obeyed)
        await floor.settle()
        assert (one.seats, two.seats) == ([1, 2, 3, 4], [])
        assert [order["event"]["ev"] for order in two.obeyed[told:]] == ["seat.out", "seat.out"]
        floor.close()

    run(work)


def test_a_race_and_a_calling_off_that_were_mistakes_are_taken_back_at_the_tables(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        sat = one.seats, two.seats
        await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.settle()
        assert {"ev": "tournament.race", "chip": 25, "new_chip": 100} in [order["event"] for order in one.obeyed]
        await floor.at.say({"ev": "race.taken_back"})
        await floor.settle()
        for table in (one, two):
            assert table.obeyed[-1]["event"] == {"ev": "tournament.race", "chip": None, "new_chip": None}
        await floor.at.say({"ev": "tournament.cancelled", "refund": True})
        await floor.settle()
        assert (one.seats, two.seats) == ([], [])
        await floor.at.say({"ev": "tournament.taken_back"})
        await floor.settle()
        assert (one.seats, two.seats) == sat
        floor.close()

    run(work)


def test_a_table_that_was_broken_by_mistake_has_its_players_again(tmp_path: Path) -> None:
    """Away meanwhile or not: it is told who sits there now."""

    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "entry.out", "entry": 1}, {"ev": "entry.out", "entry": 2})
        broken = {"ev": "table.broken", "table": "T2", "to": [[5, "T1", 1], [6, "T1", 2]]}
        back = {"ev": "table.taken_back", "table": "T2", "players": "back"}
        await floor.at.say(broken)
        await floor.settle()
        assert (one.seats, two.seats) == ([1, 2, 3, 4], [])
        await floor.at.say(back)
        await floor.settle()
        assert (one.seats, two.seats) == ([3, 4], [1, 2])
        assert two.obeyed[-1]["event"]["ev"] != "seat.out"
        floor.cut("T2")
        await floor.at.say(broken)
        await floor.settle()
        assert two.seats == [1, 2], "it has not heard of it"
        told = len(two.obeyed)
        await floor.at.say(back)
        await floor.connect("T2")
        await floor.settle()
        assert (one.seats, two.seats) == ([3, 4], [1, 2])
        assert not [order for order in two.obeyed[told:] if order["event"]["ev"] in ("seat.in", "seat.out")]
        floor.close()

    run(work)


def test_during_the_night_nobody_is_taken_from_a_table(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.settle()
        bags = [
            {
                "ev": "stack.bagged",
                "entry": n,
                "first": "A",
                "first_chips": 30_000,
                "second": "B",
                "second_chips": 30_000,
            }
            for n in range(1, 7)
        ]
        await floor.at.say(*bags, {"ev": "suspended"})
        told = sum(len(table.obeyed) for table in floor.tables.values())
        floor.tables["T1"].play({"ev": "seat.out", "seat": 1})
        await floor.settle()
        assert sum(len(table.obeyed) for table in floor.tables.values()) == told
        await floor.at.say({"ev": "resumed"})
        await floor.settle()
        assert floor.tables["T1"].seats == [1, 2, 3, 4]
        floor.close()

    run(work)


def test_when_a_session_is_over_the_tables_are_empty_and_the_next_one_fills_them_anew(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        for name in floor.tables:
            await floor.connect(name)
        await floor.at.opened(entries=4)
        await floor.at.say(
            {"ev": "session.began", "session": "1A", "entries": [1, 2, 3]},
            *(seat(number, "T1", number) for number in (1, 2)), seat(3, "T2", 1),
        )  # fmt: skip
        await floor.settle()
        assert (floor.tables["T1"].seats, floor.tables["T2"].seats) == ([1, 2], [1])
        count = {"first": "A", "first_chips": 30_000, "second": "B", "second_chips": 30_000}
        await floor.at.say(
            *({"ev": "stack.bagged", "entry": number, **count} for number in (1, 2, 3)), {"ev": "session.ended"}
        )
        await floor.settle()
        assert (floor.tables["T1"].seats, floor.tables["T2"].seats) == ([], [])
        assert floor.directing.fold("cup").phase() is TournamentPhase.SUSPENDED
        await floor.at.say({"ev": "session.taken_back"})
        await floor.settle()
        assert (floor.tables["T1"].seats, floor.tables["T2"].seats) == ([1, 2], [1]), "its end was a mistake"
        assert floor.directing.fold("cup").phase() is TournamentPhase.PLAYING
        await floor.at.say({"ev": "session.ended"})
        await floor.settle()
        assert (floor.tables["T1"].seats, floor.tables["T2"].seats) == ([], [])
        await floor.at.say({"ev": "session.began", "session": "2"}, seat(4, "T1", 1), seat(1, "T1", 4))
        await floor.settle()
        assert floor.tables["T1"].seats == [1, 4]
        assert seat_entry(4, 1) in [order["event"] for order in floor.tables["T1"].obeyed]
        assert floor.directing.fold("cup").phase() is TournamentPhase.PLAYING
        floor.close()

    run(work)


def test_where_the_database_is_away_an_order_is_tried_again(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        add_order = floor.engine.add_order

        async def away(ordered: Ordered) -> None:
            raise FloorAwayError("nobody answers", "database", "Ask again")

        floor.engine.add_order = away  # type: ignore[method-assign]
        await floor.settle()
        [one, _] = floor.tending.tables(floor.directing.fold("cup"))
        assert "seat.in was not sent: database: nobody answers" in one.wrong[0]
        floor.engine.add_order = add_order  # type: ignore[method-assign]
        floor.time.pass_(AGAIN_AFTER)
        await floor.settle()
        assert floor.tables["T1"].seats == [1, 2, 3, 4]
        floor.close()

    run(work)


def test_what_one_look_cannot_do_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        monkeypatch.setattr(tending, "LOOK_EVERY", 0.0)
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.up()
        look, faults = floor.tending.look, [ValueError("odd"), FloorAwayError("nobody answers", "database", "Ask")]

        async def looked() -> None:
            if faults:
                raise faults.pop()
            await look()

        monkeypatch.setattr(floor.tending, "look", looked)
        with caplog.at_level(logging.ERROR, "feltd.floor"):
            async with running(floor.tending.run()):
                await eventually(lambda: floor.tables["T1"].obeyed)
        assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ValueError]
        await asyncio.sleep(0)
        floor.close()

    run(work)


def test_a_level_ends_late_entry_though_more_places_are_to_be_paid_and_the_tile_says_what_is_due(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        levels = [{"seconds": 60.0, "blinds": [100 * n, 200 * n]} for n in range(1, 11)]
        await floor.at.say(
            {"ev": "payouts.set", "percent": ["30", "20", "10", "10", "10", "10", "10"]},
            {"ev": "schedule", "levels": levels}, {"ev": "clock.put", "running": True, "elapsed": 0.0},
        )  # fmt: skip
        await floor.settle()
        assert not floor.directing.tiles()[0].payouts_due
        floor.time.pass_(365)
        await floor.settle()
        [tile] = floor.directing.tiles()
        assert tile.payouts_due
        with pytest.raises(StepRefused, match="late entry is over"):
            await floor.at.say(entry(7))
        await floor.at.say({"ev": "payouts.set", "percent": ["60", "40"]})
        assert not floor.directing.tiles()[0].payouts_due
        floor.close()

    run(work)


def test_a_level_that_the_tournament_does_not_take_is_on_its_tables_tiles_until_it_does(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        schedule = {"ev": "schedule", "levels": [{"seconds": 60.0, "blinds": [100, 200]}], "doubling_minutes": 1}
        await floor.at.say(schedule, {"ev": "clock.put", "running": True, "elapsed": 6100.0})
        fold = floor.directing.fold("cup")
        for _ in range(3):
            await floor.settle()
        for table in floor.tending.tables(fold):
            assert [words.split(":")[0] for words in table.wrong] == ["level 102 is not begun"]
        assert sum("is not begun" in record.message for record in caplog.records) == 1, "it is not tried all the time"
        floor.time.pass_(60)
        await floor.settle()
        assert "level 103 is not begun" in floor.tending.tables(fold)[0].wrong[0]
        await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 200.0})
        await floor.settle()
        assert [table.wrong for table in floor.tending.tables(fold)] == [(), ()]
        floor.close()

    run(work)
