"""A level that begins in the middle of a chip race: at a table of the floor, and at one that is cut off."""

from dataclasses import replace
from pathlib import Path

import pytest

from floor_fsm.core.parts import Parts
from floor_fsm.state.entries import Entries
from floor_fsm.state.floor import Stacks
from table_fsm.events import TableOpen
from table_fsm.play.tournament.clock import level_of_deal
from tests.floor.directing_support import CUP, entry
from tests.floor.tending_support import TableHere, TendedFloor, run, seat
from tests.floor.test_tending_races import TERMS

NO_LIMIT = TableOpen(t=0.0, rulebook="act-2001-holdem-no-limit", options={}, seats=[], button=1)
LEVELS = [
    {"seconds": 2_400.0, "blinds": [25, 50]},
    {"seconds": 2_400.0, "blinds": [50, 100], "race_off": 25},
    {"seconds": 2_400.0, "blinds": [100, 200], "ante": 25},
]


async def near_the_third_level(folder: Path) -> TendedFloor:
    """Two tables, their chips of 25 to be raced, and ten seconds until the third level begins."""
    floor = TendedFloor(folder, opening=NO_LIMIT)
    for name in floor.tables:
        await floor.connect(name)
    await floor.directing.open(replace(CUP, book="act-2001"))
    await floor.at.say({**TERMS, "game": "holdem-no-limit"})
    await floor.at.say(*({**entry(number), "paid": 20_000} for number in range(1, 11)))
    await floor.at.say(*(seat(number, "T1", number) for number in range(1, 5)), seat(5, "T2", 1), seat(6, "T2", 2))
    await floor.at.say({"ev": "schedule", "levels": LEVELS})
    await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 4_790.0})
    await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
    await floor.settle()
    return floor


def begin_race(table: TableHere) -> None:
    """The race begins, and its first card lies."""
    table.play(
        {"ev": "shoe.deck_checked", "deck": "red", "count": 52},
        {"ev": "shoe.shuffled", "deck": "red", "count": 52},
        {"ev": "race.start", "chip": 2_500, "new_chip": 10_000, "odd": {"1": 2, "2": 3}, "last": [1]},
    )
    card(table, "2c", "race:1")


def card(table: TableHere, name: str, zone: str) -> None:
    """A card of the race."""
    shown = {"card": name, "face": "up", "deck": "red"}
    table.play({"ev": "shoe.card", **shown}, {"ev": "card.placed", "zone": zone, **shown})


def parts(floor: TendedFloor) -> Parts:
    tournament = floor.directing.fold("cup").tournament
    assert tournament is not None
    return tournament.parts


@pytest.mark.parametrize("alone", [False, True])
def test_a_level_that_begins_in_a_race_leaves_the_race_as_it_is(tmp_path: Path, alone: bool) -> None:
    async def work() -> None:
        floor = await near_the_third_level(tmp_path)
        one = floor.tables["T1"]
        if alone:
            floor.cut("T1")
        begin_race(one)
        floor.time.pass_(20.0)
        one.play({"ev": "tick"})
        await floor.settle()
        assert level_of_deal(one.bench.keeper.table._core) == parts(floor).of(Entries).level == 3
        assert one.bench.keeper.table.view()["prompt"] == {"deal": "race:2", "face": "up"}, "the race goes on"
        card(one, "As", "race:2")
        if alone:
            await floor.connect("T1")
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert [line.event["entry"] for line in fold.lines if line.ev == "entry.out"] == [1]
        told = [line.event for line in fold.lines if line.ev == "race.told"]
        assert [(step["table"], step["odd"], step["chips"]) for step in told] == [("T1", [[1, 2], [2, 3]], [[2, 1]])]
        race = parts(floor).of(Stacks).race
        assert race is not None
        assert race.waits_for == ("T2",)
        ordered = [order["event"]["ev"] for order in one.obeyed]
        assert ordered.count("tournament.race") == 1
        assert ordered.count("tournament.clock") == 1, "it has counted on by itself"
        assert floor.tending.tables(fold)[0].wrong == ()
        floor.close()

    run(work)


def test_an_order_taken_back_as_a_level_begins_leaves_the_race_that_is_dealt_to_the_table(tmp_path: Path) -> None:
    """What a table has raced stays so; no other table races, and the level is the new one at each."""

    async def work() -> None:
        floor = await near_the_third_level(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        begin_race(one)
        floor.time.pass_(20.0)
        await floor.at.say({"ev": "race.taken_back"})
        await floor.settle()
        card(one, "As", "race:2")
        two.play({"ev": "tick"})
        await floor.settle()
        assert one.bench.keeper.table._core.standing.tournament.race is None
        assert [level_of_deal(table.bench.keeper.table._core) for table in (one, two)] == [3, 3]
        floor.close()

    run(work)
