"""Drills: the network or the floor is away at a level, in a break, in a move, in hand for hand; both sides after it."""

from pathlib import Path
from typing import Any

from tests.floor.tending_support import TableHere, TendedFloor, run, seated

LEVELS = [
    {"seconds": 1200.0, "blinds": [100, 200], "break_after": 600.0},
    {"seconds": 1200.0, "blinds": [200, 400]},
    {"seconds": 1200.0, "blinds": [300, 600]},
]


def clocks(table: TableHere) -> list[tuple[bool, float]]:
    """What a table was told of the clock: whether it runs, and the seconds that were played."""
    told = [order["event"] for order in table.obeyed if order["event"]["ev"] == "tournament.clock"]
    return [(one["running"], one["elapsed"]) for one in told]


async def playing(floor: TendedFloor, elapsed: float) -> None:
    """Both tables play, and the clock of all stands at so many seconds of play."""
    await seated(floor)
    await floor.at.say({"ev": "schedule", "levels": LEVELS}, {"ev": "clock.put", "running": True, "elapsed": elapsed})
    await floor.settle()


def levels(floor: TendedFloor) -> list[int]:
    return [line.event["level"] for line in floor.directing.fold("cup").lines if line.ev == "level.began"]


def test_a_table_that_is_cut_off_at_a_level_counts_on_and_is_told_nothing_again(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=2390.0)
        one, two = floor.tables["T1"], floor.tables["T2"]
        assert levels(floor) == [2]
        floor.cut("T1")
        floor.time.pass_(60)
        await floor.settle()
        assert levels(floor) == [2, 3]
        assert clocks(one) == clocks(two) == [(True, 2390.0)]
        await floor.connect("T1")
        await floor.settle()
        assert clocks(one) == [(True, 2390.0)], "it has counted on by itself, and is at the same second"
        floor.cut("T1")
        await floor.at.say({"ev": "clock.stands"})
        floor.time.pass_(60)
        await floor.connect("T1")
        await floor.settle()
        assert clocks(one) == [(True, 2390.0), (False, 2450.0)], "what it missed while it was cut off is told then"
        floor.close()

    run(work)


def test_a_break_that_begins_while_a_table_is_cut_off_is_told_when_it_is_back_and_ends_for_all(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=1190.0)
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.cut("T1")
        floor.time.pass_(30)
        await floor.settle()
        assert clocks(two)[-1] == (False, 1200.0)
        assert clocks(one) == [(True, 1190.0)]
        await floor.connect("T1")
        await floor.settle()
        assert clocks(one)[-1] == (False, 1200.0), "in the break all clocks stand"
        floor.cut("T1")
        floor.time.pass_(600)
        await floor.settle()
        assert clocks(two)[-1][0] is True
        await floor.connect("T1")
        await floor.settle()
        assert clocks(one)[-1] == clocks(two)[-1]
        assert levels(floor) == [1, 2]
        floor.close()

    run(work)


def test_a_floord_that_ends_in_the_middle_of_a_move_goes_on_with_it(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        two.silent = True
        await floor.at.say({"ev": "moved", "entry": 4, "table": "T2", "seat": 3})
        await floor.up()
        await floor.tending.look()
        await floor.tending.settled()
        assert (one.seats, two.seats) == ([1, 2, 3], [1, 2]), "it has left one table, and does not sit at the other"
        two.silent = False
        await floor.restart()
        floor.time.pass_(60)
        await floor.settle()
        assert (one.seats, two.seats) == ([1, 2, 3], [1, 2, 3])
        assert [line.ev for line in floor.directing.fold("cup").lines].count("moved") == 1
        floor.close()

    run(work)


def test_a_floord_that_ends_in_hand_for_hand_tells_each_hand_once_and_waits_for_the_same_tables(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"})
        await floor.settle()
        one = floor.tables["T1"]
        one.hand("betting.closed")
        await floor.settle()
        await floor.restart()
        await floor.settle()
        held = [line.ev for line in floor.directing.fold("cup").lines]
        assert held.count("all_in.held") == 1
        assert one.bench.keeper.table.view()["prompt"] == {"wait": "go"}, "the other table still plays"
        play: Any = floor.directing.fold("cup").state()["Hands"]["play"]
        assert {name: stand["at"] for name, stand in play["tables"].items()} == {"T1": "frozen", "T2": "plays"}
        await floor.at.say({"ev": "hand.over", "table": "T2", "hand": 1, "out": []}, {"ev": "all_ins.turned"})
        await floor.settle()
        one.hand("betting.closed", rest=True)
        await floor.settle()
        lines = floor.directing.fold("cup").lines
        told = [line.event for line in lines if line.ev == "hand.over" and line.event["table"] == "T1"]
        assert [(over["hand"], [out["entry"] for out in over["out"]]) for over in told] == [(1, [1, 3])]
        floor.close()

    run(work)


def test_a_hand_that_nobody_waited_for_is_told_as_that_one_once_its_table_is_back(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"})
        await floor.settle()
        one, fold = floor.tables["T1"], floor.directing.fold("cup")
        one.hand("cut")
        await floor.settle()
        floor.cut("T1")
        await floor.at.say(
            {"ev": "table.away", "table": "T1"}, {"ev": "hand.over", "table": "T2", "hand": 1, "out": []},
            {"ev": "table.excused", "table": "T1"},
        )  # fmt: skip
        one.hand("cut", rest=True)
        if one.bench.keeper.table.view()["prompt"] == {"wait": "go"}:
            one.play({"ev": "tournament.go"})
            one.hand("betting.closed", rest=True)
        await floor.connect("T1")
        await floor.settle()
        told = [line.event for line in fold.lines if line.ev == "hand.over" and line.event["table"] == "T1"]
        assert [(over["hand"], [out["entry"] for out in over["out"]]) for over in told] == [(1, [1, 3])]
        play: Any = fold.state()["Hands"]["play"]
        assert play["tables"]["T1"]["owes"] == []
        assert fold.state()["Places"]["ladder"]["gone"][-1]["awaited"] == []
        floor.close()

    run(work)


def test_an_all_in_that_a_table_turned_alone_is_told_to_the_director_until_another_hand_is_taken(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"})
        await floor.settle()
        one = floor.tables["T1"]
        one.hand("betting.closed")
        await floor.settle()
        floor.cut("T1")
        await floor.at.say({"ev": "table.away", "table": "T1"})
        one.play({"ev": "tournament.go"})
        one.hand("betting.closed", rest=True)
        await floor.connect("T1")
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert [line.ev for line in fold.lines][-1] == "table.back"
        [first, _] = floor.tending.tables(fold)
        assert "all-in was not to be turned yet" in first.wrong[0]
        out = [{"entry": 1, "stack": 3500, "put_in": 3500}, {"entry": 3, "stack": 2000, "put_in": 2000}]
        await floor.at.say(
            {"ev": "hand.over", "table": "T2", "hand": 1, "out": []}, {"ev": "all_ins.turned"},
            {"ev": "hand.over", "table": "T1", "hand": 1, "out": out},
        )  # fmt: skip
        await floor.settle()
        assert one.seats == [2, 4], "the director has entered it"
        floor.close()

    run(work)
