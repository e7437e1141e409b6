"""In hand for hand each table's clock is the tournament's, also where it had no hand, or was away for some."""

from pathlib import Path
from typing import Any, Final

import pytest

from feltd.door.pit.directing import Opening
from floor_fsm.core.parts import Parts
from floor_fsm.state.floor import Time
from table_fsm.events import TableOpen
from table_fsm.play.tournament.clock import elapsed, level_of_deal
from tests.floor.directing_support import LEA, TERMS, entry
from tests.floor.tending_support import TableHere, TendedFloor, run, seat

LEVELS: Final = [{"seconds": 1200.0, "blinds": [100 * n, 200 * n]} for n in range(1, 6)]
BOOKS: Final = {"star-2025": "star-2025-holdem", "onyx": "onyx-tournament"}


def parts(floor: TendedFloor) -> Parts:
    tournament = floor.directing.fold("cup").tournament
    assert tournament is not None
    return tournament.parts


def floor_seconds(floor: TendedFloor) -> float:
    """The seconds of play by the tournament's clock."""
    clock = parts(floor).of(Time).clock
    assert clock is not None
    return round(clock.told(floor.directing.fold("cup").second(floor.time.wall)).elapsed, 1)


def seconds(table: TableHere) -> float:
    """The seconds of play by the table's own clock."""
    table.play({"ev": "tick"})
    return round(elapsed(table.bench.keeper.table._core), 1)


def level(table: TableHere) -> int | None:
    """The level of the table's deal."""
    return level_of_deal(table.bench.keeper.table._core)


def clocks(table: TableHere) -> list[tuple[bool, float]]:
    """What a table was told of the clock: whether it runs, and the seconds that were played."""
    told = [order["event"] for order in table.obeyed if order["event"]["ev"] == "tournament.clock"]
    return [(one["running"], one["elapsed"]) for one in told]


async def hand_for_hand(folder: Path, book: str, began: float = 1150.0) -> TendedFloor:
    """Four players at T1, one at T2; hand for hand has begun at so many seconds of play, the clock runs."""
    options: dict[str, Any] = {"structure": "two-bullet", "tournament": True}
    opening = TableOpen(t=0.0, rulebook=BOOKS[book], options=options, seats=[], button=4)
    floor = TendedFloor(folder, opening=opening)
    for table in floor.tables:
        await floor.connect(table)
    await floor.directing.open(Opening("cup", "Tuesday cup", book, LEA))
    await floor.at.say({**TERMS, "late_until": 1}, *(entry(number) for number in range(1, 6)))
    await floor.at.say(*(seat(number, "T1", number) for number in range(1, 5)), seat(5, "T2", 1))
    await floor.at.say({"ev": "schedule", "levels": LEVELS}, {"ev": "late.closed"})
    await floor.at.say({"ev": "clock.put", "running": True, "elapsed": began})
    await floor.settle()
    await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"})
    await floor.settle()
    return floor


def test_a_table_without_a_hand_has_the_clock_of_the_others_where_each_hand_is_charged(tmp_path: Path) -> None:
    """The Star 7.19. It counted its own hands alone: levels went by, and its next hand was dealt at an old one."""

    async def work() -> None:
        floor = await hand_for_hand(tmp_path, "star-2025")
        one, two = floor.tables["T1"], floor.tables["T2"]
        for number in (1, 2, 3):
            floor.time.pass_(20.0)
            await floor.at.say({"ev": "hand.released"})
            await floor.settle()
            one.folded()
            await floor.settle()
            assert (seconds(one), seconds(two), floor_seconds(floor)) == (1150.0 + 180.0 * number,) * 3
        assert clocks(one) == [(True, 1150.0)], "it has counted by itself"
        assert clocks(two) == [(True, 1150.0 + 180.0 * number) for number in range(4)]
        assert level(two) == 2
        await floor.at.say({"ev": "hand_for_hand.ended"})
        await floor.settle()
        assert clocks(one)[-1] == clocks(two)[-1] == (True, 1690.0)
        floor.close()

    run(work)


def test_a_table_that_is_behind_is_told_the_clock_before_its_hand(tmp_path: Path) -> None:
    """The order stood behind the release: the dealer could begin the hand at the level of before."""

    async def work() -> None:
        floor = await hand_for_hand(tmp_path, "star-2025")
        one = floor.tables["T1"]
        floor.cut("T1")
        await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 2400.0})
        await floor.at.say({"ev": "hand.released"})
        await floor.connect("T1")
        await floor.settle()
        assert [order["event"]["ev"] for order in one.obeyed][-2:] == ["tournament.clock", "tournament.go"]
        one.folded("act")
        assert level(one) == 3
        await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 3600.0})
        await floor.settle()
        assert clocks(one)[-1] == (True, 2400.0), "a hand that is played is charged whole"
        one.folded(rest=True)
        await floor.settle()
        assert clocks(one)[-1] == (True, 3600.0)
        floor.close()

    run(work)


def test_a_table_that_has_played_a_hand_alone_is_not_set_back(tmp_path: Path) -> None:
    """By its record it is one hand in front, until the others have played that one."""

    async def work() -> None:
        floor = await hand_for_hand(tmp_path, "star-2025")
        one = floor.tables["T1"]
        floor.cut("T1")
        await floor.at.say({"ev": "table.away", "table": "T1"})
        one.play({"ev": "tournament.go"})
        one.folded()
        await floor.connect("T1")
        await floor.settle()
        assert seconds(one) == 1330.0
        assert floor_seconds(floor) == 1150.0
        assert clocks(one) == [(True, 1150.0)]
        floor.close()

    run(work)


def test_the_clock_that_the_director_stops_is_told_in_hand_for_hand(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await hand_for_hand(tmp_path, "star-2025")
        await floor.at.say({"ev": "clock.stands"})
        await floor.settle()
        assert [clocks(table)[-1] for table in floor.tables.values()] == [(False, 1150.0)] * 2
        await floor.at.say({"ev": "hand_for_hand.ended"})
        await floor.settle()
        floor.time.pass_(60.0)
        await floor.settle()
        assert [clocks(table)[-1] for table in floor.tables.values()] == [(False, 1150.0)] * 2
        floor.close()

    run(work)


def test_a_running_clock_stands_at_the_end_of_its_level_and_runs_on_with_the_next_hand(tmp_path: Path) -> None:
    """Onyx, Hand for Hand 6. The tables' clocks stood until hand for hand was over, all levels long."""

    async def work() -> None:
        floor = await hand_for_hand(tmp_path, "onyx")
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "hand.released"})
        await floor.settle()
        floor.time.pass_(100.0)
        one.folded()
        await floor.settle()
        assert (seconds(one), seconds(two), floor_seconds(floor)) == (1200.0,) * 3
        assert clocks(one) == clocks(two) == [(True, 1150.0)], "each stands there by itself"
        await floor.at.say({"ev": "hand.released"})
        await floor.settle()
        assert clocks(one) == [(True, 1150.0)], "the release lets it run on"
        floor.time.pass_(10.0)
        await floor.settle()
        assert clocks(two) == [(True, 1150.0), (True, 1210.0)], "it had no release"
        one.folded()
        assert [seconds(one), seconds(two)] == pytest.approx([floor_seconds(floor)] * 2, abs=3.0)
        floor.time.pass_(2000.0)
        await floor.settle()
        assert (seconds(one), seconds(two), floor_seconds(floor)) == (2400.0,) * 3
        floor.close()

    run(work)


def test_a_table_that_was_away_as_the_clock_stood_is_told_the_clock(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await hand_for_hand(tmp_path, "onyx")
        two = floor.tables["T2"]
        floor.cut("T2")
        await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 2390.0})
        floor.time.pass_(60.0)
        await floor.connect("T2")
        await floor.settle()
        assert clocks(two)[-1] == (False, 2400.0)
        await floor.at.say({"ev": "hand.released"})
        await floor.settle()
        assert clocks(two)[-1] == (True, 2400.0)
        floor.close()

    run(work)
