"""Drills: a table is cut off through a break and the level behind it, deals alone, and is back within a hand."""

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from feltd.door.pit.directing import Opening
from table_fsm.events import TableOpen
from tests.floor.directing_support import LEA, TERMS, entry
from tests.floor.tending_support import TableHere, TendedFloor, run, seat
from tests.floor.test_alone_second_fault import wrong
from tests.floor.test_tending_alone import levels
from tests.floor.test_tending_hands_clock import BOOKS, clocks, floor_seconds, level, seconds

LEVELS: Final = [
    {"seconds": 1200.0, "blinds": [100, 100], "break_after": 600.0},
    {"seconds": 1200.0, "blinds": [100, 200]},
    {"seconds": 1200.0, "blinds": [200, 300]},
    {"seconds": 1200.0, "blinds": [200, 400]},
]
"""The first levels of the structure that the tables have, with a break behind the first one."""
BIG: Final = {1: 100, 2: 200, 3: 300, 4: 400}
"""The big blind of each level."""


async def near_the_break(folder: Path, book: str) -> TendedFloor:
    """Four players at each table; 100 seconds of level 1 are left, and the clock runs."""
    options: dict[str, Any] = {"structure": "two-bullet", "tournament": True}
    floor = TendedFloor(folder, opening=TableOpen(t=0.0, rulebook=BOOKS[book], options=options, seats=[], button=4))
    for table in floor.tables:
        await floor.connect(table)
    await floor.directing.open(Opening("cup", "Tuesday cup", book, LEA))
    await floor.at.say({**TERMS, "late_until": 1}, *(entry(number) for number in range(1, 9)))
    await floor.at.say(*(seat(number, "T1", number) for number in range(1, 5)))
    await floor.at.say(*(seat(number, "T2", number - 4) for number in range(5, 9)))
    await floor.at.say({"ev": "schedule", "levels": LEVELS})
    await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 1100.0})
    await floor.settle()
    return floor


def begin(table: TableHere) -> int:
    """The table deals a hand up to its first decision. Returns the largest blind that was asked for."""
    table.folded("post")
    prompt: Any = table.bench.keeper.table.view()["prompt"]
    largest: int = max(prompt["post"].values())
    table.folded("act", rest=True)
    return largest


async def pass_(floor: TendedFloor, until: float) -> None:
    """Time passes up to this second of the wall clock, and floord looks now and then."""
    while floor.time.wall < until:
        floor.time.pass_(min(100.0, until - floor.time.wall))
        await floor.settle()


async def come_back(floor: TendedFloor, *, restarts: bool) -> None:
    """T1 is back, where `restarts` at a floord that has just started."""
    if restarts:
        await floor.restart()
    await floor.connect("T1")
    await floor.settle()


@pytest.mark.parametrize("book", sorted(BOOKS))
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize(
    ("dealt_at", "back", "dealt", "told", "next_"),
    [
        (0.0, 99.5, 1, None, 2),
        (0.0, 100.0, 1, (False, 1200.0), 2),
        (500.0, 699.5, 2, (False, 1200.0), 2),
        (500.0, 700.0, 2, (True, 1200.0), 2),
        (1350.0, 1400.0, 3, (True, 1900.0), 2),
        (1350.0, 1899.5, 3, (True, 2399.5), 3),
        (1350.0, 1900.0, 3, (True, 2400.0), 3),
        (2520.0, 2600.0, 4, (True, 3100.0), 3),
    ],
)
def test_a_hand_that_a_table_dealt_alone_keeps_its_level_and_the_next_one_has_the_tournaments(
    tmp_path: Path, book: str, restarts: bool, dealt_at: float, back: float, dealt: int,
    told: tuple[bool, float] | None, next_: int,
) -> None:  # fmt: skip
    """The Star 7.20. The table knew of no break, so its clock is ten minutes ahead once the break is over.

    The last moment of level 1, of the break and of level 2, the first ones behind them, and between them.
    """

    async def work() -> None:
        floor = await near_the_break(tmp_path, book)
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.cut("T1")
        left = floor.time.wall
        await pass_(floor, left + dealt_at)
        assert begin(one) == BIG[dealt]
        await pass_(floor, left + back)
        await come_back(floor, restarts=restarts)
        assert clocks(one) == [(True, 1100.0), *([told] if told else [])]
        assert level(one) == dealt, "the hand that is dealt has its level to its end"
        assert seconds(one) == pytest.approx(floor_seconds(floor), abs=0.5)
        assert seconds(two) == pytest.approx(floor_seconds(floor), abs=0.5)
        floor.cut("T1")  # and away again in the same hand
        one.folded(rest=True)
        await come_back(floor, restarts=restarts)
        runs = [running for running, _ in clocks(one)[1:]]
        assert all(before is not after for before, after in pairwise(runs)), "nothing is told twice"
        assert [begin(table) for table in (one, two)] == [BIG[next_]] * 2
        assert wrong(floor) == []
        floor.close()

    run(work)


@pytest.mark.parametrize("book", sorted(BOOKS))
@pytest.mark.parametrize("restarts", [False, True])
def test_a_break_that_the_director_ends_early_while_a_table_is_cut_off_is_over_for_it_too(
    tmp_path: Path, book: str, restarts: bool
) -> None:
    """And the next level begins before the table, in the middle of a hand, has heard of either."""

    async def work() -> None:
        floor = await near_the_break(tmp_path, book)
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.cut("T1")
        left = floor.time.wall
        await pass_(floor, left + 200.0)
        await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 2390.0})
        await floor.settle()
        assert begin(one) == BIG[2]
        await pass_(floor, left + 220.0)
        await come_back(floor, restarts=restarts)
        assert clocks(one)[-1][0] is True
        assert seconds(one) == pytest.approx(floor_seconds(floor), abs=0.5)
        assert level(one) == 2
        assert levels(floor) == [1, 2, 3]
        one.folded(rest=True)
        await floor.settle()
        assert [begin(table) for table in (one, two)] == [BIG[3]] * 2
        assert wrong(floor) == []
        floor.close()

    run(work)
