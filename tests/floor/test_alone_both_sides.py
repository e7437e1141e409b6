"""Drills: floord ends at a level and in a break, and the network goes in the middle of a move, at either table."""

from pathlib import Path

import pytest

from tests.floor.tending_support import TendedFloor, run, seated
from tests.floor.test_tending_alone import clocks, levels, playing


def test_a_floord_that_is_away_when_a_level_begins_tells_it_once_and_the_tables_have_counted_on(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=2390.0)
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.time.pass_(60)  # nobody looks: floord is not there
        await floor.restart()
        await floor.settle()
        assert levels(floor) == [2, 3]
        assert clocks(one) == clocks(two) == [(True, 2390.0)], "both are at the same second as the tournament"
        await floor.restart()
        await floor.settle()
        assert levels(floor) == [2, 3], "a level begins once"
        floor.close()

    run(work)


def test_a_floord_that_ends_in_a_break_ends_the_break_for_all_once_it_is_back(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=1190.0)
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.time.pass_(30)
        await floor.settle()
        assert clocks(one)[-1] == clocks(two)[-1] == (False, 1200.0)
        floor.time.pass_(100)
        await floor.restart()
        await floor.settle()
        assert clocks(one)[-1] == (False, 1200.0), "the break goes on"
        floor.time.pass_(500)
        await floor.restart()
        await floor.settle()
        assert clocks(one)[-1] == clocks(two)[-1]
        assert clocks(one)[-1][0] is True
        assert levels(floor) == [1, 2]
        floor.close()

    run(work)


def seat_orders(floor: TendedFloor, table: str) -> list[tuple[str, int]]:
    """Who a table was told to seat, or to take away."""
    told = [order["event"] for order in floor.tables[table].obeyed]
    return [(one["ev"], one["seat"]) for one in told if one["ev"] in ("seat.in", "seat.out")]


@pytest.mark.parametrize("cut", ["T1", "T2"])
def test_a_table_that_is_cut_off_in_the_middle_of_a_move_comes_to_it_by_itself(tmp_path: Path, cut: str) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        before = {name: len(seat_orders(floor, name)) for name in floor.tables}
        await floor.at.say({"ev": "moved", "entry": 4, "table": "T2", "seat": 3})
        floor.cut(cut)
        floor.time.pass_(60)
        await floor.settle()
        assert floor.tables[cut].seats == ([1, 2, 3, 4] if cut == "T1" else [1, 2]), "nothing reached it"
        other = "T2" if cut == "T1" else "T1"
        assert floor.tables[other].seats == [1, 2, 3], "the other one is what the tournament says"
        await floor.connect(cut)
        await floor.settle()
        assert [floor.tables[name].seats for name in ("T1", "T2")] == [[1, 2, 3], [1, 2, 3]]
        told = {name: seat_orders(floor, name)[before[name] :] for name in floor.tables}
        assert told == {"T1": [("seat.out", 4)], "T2": [("seat.in", 3)]}, "each step once"
        assert [line.ev for line in floor.directing.fold("cup").lines].count("moved") == 1
        floor.close()

    run(work)
