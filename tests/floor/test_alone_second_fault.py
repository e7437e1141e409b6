"""Drills: a second thing happens while a table or floord is away: in a move, at a level, in a break, hand for hand."""

from pathlib import Path
from typing import Any

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import StepNotKnownError
from feltd.floor.streams import MemoryStreams, StreamAnswer
from tests.floor.tending_support import TableHere, TendedFloor, run, seated
from tests.floor.test_tending_alone import clocks, final, levels, playing


async def begun(folder: Path) -> TendedFloor:
    """Four players at T1, two at T2; both tables have heard of all of them."""
    floor = TendedFloor(folder, T1=(1, 2, 3, 4))
    await seated(floor)
    await floor.settle()
    return floor


def outs(floor: TendedFloor) -> list[int]:
    """Who went out, in the order in which the tournament was told."""
    lines = floor.directing.fold("cup").lines
    told = [line.event for line in lines if line.ev in ("hand.over", "entry.out")]
    return [entry for event in told for entry in [one["entry"] for one in event.get("out", ())] or [event["entry"]]]


def wrong(floor: TendedFloor) -> list[str]:
    return [words for table in floor.tending.tables(floor.directing.fold("cup")) for words in table.wrong]


def in_hand_for_hand(table: TableHere) -> bool:
    told: Any = table.bench.keeper.table.view()["tournament"]
    return bool(told and told["hand_for_hand"])


@pytest.mark.parametrize("restarts", [False, True])
def test_who_is_moved_twice_while_the_first_table_is_cut_off_sits_where_the_last_move_says(
    tmp_path: Path, restarts: bool
) -> None:
    async def work() -> None:
        floor = await begun(tmp_path)
        floor.cut("T1")
        await floor.at.say({"ev": "moved", "entry": 4, "table": "T2", "seat": 3})
        await floor.settle()
        assert floor.tables["T2"].seats == [1, 2, 3]
        await floor.at.say({"ev": "moved", "entry": 4, "table": "T1", "seat": 4})
        if restarts:
            await floor.restart()
        floor.time.pass_(60)
        await floor.settle()
        assert floor.tables["T2"].seats == [1, 2], "who goes goes at once"
        before = len(floor.tables["T1"].obeyed)
        await floor.connect("T1")
        await floor.settle()
        assert floor.tables["T1"].seats == [1, 2, 3, 4]
        told = [order["event"]["ev"] for order in floor.tables["T1"].obeyed[before:]]
        assert not {"seat.in", "seat.out"} & set(told), "it has the player already, and was told of no move"
        assert wrong(floor) == []
        floor.close()

    run(work)


@pytest.mark.parametrize("at", ["shoe.card", "betting.closed"])
@pytest.mark.parametrize("restarts", [False, True])
def test_two_who_change_seats_in_a_round_of_a_table_that_is_cut_off_change_them_once_it_is_back(
    tmp_path: Path, at: str, restarts: bool
) -> None:
    """Entry 2 goes to T2's seat 3, and entry 6 to the seat that is free then, before T1 has heard of either."""

    async def work() -> None:
        floor = await begun(tmp_path)
        one = floor.tables["T1"]
        one.hand(at)
        await floor.settle()
        floor.cut("T1")
        await floor.at.say({"ev": "moved", "entry": 2, "table": "T2", "seat": 3})
        await floor.at.say({"ev": "moved", "entry": 6, "table": "T1", "seat": 2})
        await floor.settle()
        assert floor.tables["T2"].seats == [1, 3]
        if restarts:
            await floor.restart()
        one.hand(at, rest=True)
        await floor.connect("T1")
        await floor.settle()
        assert outs(floor) == [1, 3]
        assert one.seats == [2, 4]
        told = [order["event"] for order in one.obeyed]
        last = [event for event in told if event["ev"] == "seat.entry" and event["seat"] == 2][-1]
        assert last["entry"] == 6, "the table knows that another entry sits there now"
        assert floor.tables["T2"].seats == [1, 3]
        assert wrong(floor) == []
        floor.close()

    run(work)


@pytest.mark.parametrize("moves", [1, 3])
@pytest.mark.parametrize("restarts", [False, True])
def test_who_is_moved_from_a_table_that_is_cut_off_and_goes_out_in_its_hand_leaves_a_table_in_its_round(
    tmp_path: Path, restarts: bool, moves: int
) -> None:
    """The other table deals by then: it keeps the seat until its round is over, and nobody is out twice."""

    async def work() -> None:
        floor = await begun(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        one.hand("betting.closed")
        floor.cut("T1")
        await floor.at.say({"ev": "moved", "entry": moves, "table": "T2", "seat": 4})
        await floor.settle()
        assert two.seats == [1, 2, 4]
        two.folded("act")
        one.hand("betting.closed", rest=True)
        if restarts:
            await floor.restart()
        await floor.connect("T1")
        await floor.settle()
        assert sorted(outs(floor)) == [1, 3]
        two.folded(rest=True)
        await floor.settle()
        assert (one.seats, two.seats) == ([2, 4], [1, 2])
        assert sorted(outs(floor)) == [1, 3], "once"
        await floor.at.say({"ev": "late.closed"})
        assert final(floor) == {1: 5, 3: 6}, "of one hand, whoever had more is placed higher"
        assert wrong(floor) == []
        floor.close()

    run(work)


@pytest.mark.parametrize("restarts", [False, True])
def test_a_table_that_was_cut_off_through_the_whole_of_hand_for_hand_is_not_in_it(
    tmp_path: Path, restarts: bool
) -> None:
    async def work() -> None:
        floor = await begun(tmp_path)
        one = floor.tables["T1"]
        floor.cut("T1")
        await floor.at.say(
            {"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "table.away", "table": "T1"},
            {"ev": "hand_for_hand.ended"},
        )  # fmt: skip
        one.hand()  # by itself, as before
        if restarts:
            await floor.restart()
        await floor.connect("T1")
        await floor.settle()
        assert not in_hand_for_hand(one)
        assert outs(floor) == [1, 3]
        assert one.seats == [2, 4]
        assert "tournament.go" not in [order["event"]["ev"] for order in one.obeyed]
        assert wrong(floor) == []
        floor.close()

    run(work)


def test_a_floord_that_ends_between_two_of_one_hand_goes_on_with_the_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entry 1 had more, and was moved in the hand: it is told behind entry 3, also by the next floord."""

    async def work() -> None:
        floor = await begun(tmp_path)
        one = floor.tables["T1"]
        one.hand("betting.closed")
        floor.cut("T1")
        await floor.at.say({"ev": "moved", "entry": 1, "table": "T2", "seat": 4})
        one.hand("betting.closed", rest=True)
        add = MemoryStreams.add

        async def ends(of: MemoryStreams, tournament: str, expected: int, line: str, *rest: Any) -> StreamAnswer:
            if '"entry.out"' in line:
                raise FloorAwayError("floord ends here", "the test", "start it again")
            return await add(of, tournament, expected, line, *rest)

        with monkeypatch.context() as patched:
            patched.setattr(MemoryStreams, "add", ends)
            await floor.connect("T1")
            with pytest.raises(StepNotKnownError):
                await floor.settle()
        assert outs(floor) == [3]
        await floor.restart()
        await floor.settle()
        await floor.at.say({"ev": "late.closed"})
        assert (outs(floor), final(floor)) == ([3, 1], {1: 5, 3: 6})
        seq = floor.at.seq
        await floor.restart()
        await floor.settle()
        assert floor.at.seq == seq, "the hand is told"
        assert wrong(floor) == []
        floor.close()

    run(work)


def test_a_clock_that_a_director_puts_while_a_table_is_cut_off_at_a_level_is_the_tables_too(tmp_path: Path) -> None:
    """The table has counted into level 3 by itself, and the director has gone back to the first second of level 2."""

    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=2390.0)
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.cut("T1")
        floor.time.pass_(11)
        await floor.settle()
        assert levels(floor) == [2, 3]
        await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 1200.0})
        await floor.settle()
        assert clocks(two)[-1] == (True, 1200.0)
        await floor.restart()
        floor.time.pass_(5)
        await floor.connect("T1")
        await floor.settle()
        assert clocks(one)[-1] == (True, 1205.0)
        assert clocks(two)[-1] == (True, 1200.0), "it counts on by itself"
        assert levels(floor) == [2, 3], "level 3 has begun once: it does not begin anew"
        floor.time.pass_(1200)
        await floor.settle()
        assert levels(floor) == [2, 3]
        floor.close()

    run(work)


@pytest.mark.parametrize("late", [-0.5, 0.0, 0.5])
def test_a_table_that_comes_back_at_the_end_of_a_break_has_the_clock_of_the_others(tmp_path: Path, late: float) -> None:
    """The last moment of the break, its end, and the first moment behind it."""

    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=1190.0)
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.time.pass_(10)
        await floor.settle()
        assert clocks(one)[-1] == clocks(two)[-1] == (False, 1200.0)
        floor.cut("T1")
        floor.time.pass_(600 + late)
        await floor.settle()
        await floor.connect("T1")
        await floor.settle()
        assert clocks(one)[-1][0] is clocks(two)[-1][0] is (late >= 0)
        assert clocks(one)[-1] == clocks(two)[-1]
        assert wrong(floor) == []
        floor.close()

    run(work)
