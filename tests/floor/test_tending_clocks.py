"""No table's clock says who is out, nor who was out first: its record does, and what came to the floor first."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from feltd.floor.arriving import Entry, MemoryArrivals
from feltd.floor.engine import Seen
from feltd.floor.table_facts import ORDERED_MOST, TableFacts
from feltd.floor.tending import Tending
from feltd.floor.tournament_fold import Fold
from feltd.record.entries import Row
from feltd.record.notes import BY_HAND_NOTE
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.hands import Places
from tests.feltd.table_support import FakeTime
from tests.floor.tending_support import TableHere, TendedFloor, run, seat, seated

FOUR = (1, 2, 3, 4)


def out(floor: TendedFloor) -> list[int]:
    """Who is out."""
    tournament = floor.directing.fold("cup").tournament
    assert tournament is not None
    return [one.number for one in tournament.parts.of(Entries).standing(Standing.OUT)]


async def eight(floor: TendedFloor) -> None:
    """Four players at each table, entries over. The rows of T2 go up first."""
    for name in ("T2", "T1"):
        await floor.connect(name)
    await floor.at.opened(entries=8)
    await floor.at.say(*(seat(number, "T1" if number < 5 else "T2", 1 + (number - 1) % 4) for number in range(1, 9)))
    await floor.at.say({"ev": "late.closed"})
    await floor.settle()


def test_the_first_busts_of_a_table_whose_clock_is_slow_count(tmp_path: Path) -> None:
    """A hand that ended before the seats were given, by the table's clock, was taken for one of another evening."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR)
        slow = FakeTime()
        slow.wall -= 3600.0
        floor.tables["T1"] = TableHere("T1", tmp_path / "slow", slow, FOUR)
        await seated(floor)
        await floor.settle()
        floor.tables["T1"].hand()
        await floor.settle()
        assert out(floor) == [1, 3]
        floor.close()

    run(work)


def test_a_hand_of_the_evening_before_puts_nobody_out(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR)
        floor.tables["T1"].hand()
        floor.time.pass_(60.0)
        await seated(floor)
        await floor.settle()
        assert out(floor) == []
        floor.close()

    run(work)


@pytest.mark.parametrize("off", [600.0, -600.0])
def test_a_hand_of_the_evening_before_puts_nobody_out_by_a_clock_that_is_off(tmp_path: Path, off: float) -> None:
    """A fast clock had it end behind the first seat: two players were out before they had sat down."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR)
        clock = FakeTime()
        clock.wall += off
        floor.tables["T1"] = table = TableHere("T1", tmp_path / "off", clock, FOUR)
        await floor.connect("T1")
        table.hand()
        await floor.up()
        for time in (floor.time, clock):
            time.pass_(60.0)
        await seated(floor)
        await floor.settle()
        assert out(floor) == []
        await floor.restart()
        await floor.settle()
        assert out(floor) == []
        floor.close()

    run(work)


def test_a_hand_that_a_table_played_without_the_floor_counts_by_its_clock(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR)
        await seated(floor)
        floor.cut("T1")
        floor.time.pass_(60.0)
        floor.tables["T1"].hand()
        await floor.connect("T1")
        await floor.settle()
        assert out(floor) == [1, 3]
        floor.close()

    run(work)


@pytest.mark.parametrize("told_again", [False, True])
def test_a_hand_of_before_puts_nobody_out_behind_a_clock_that_was_set_right(tmp_path: Path, told_again: bool) -> None:
    """How far the clock was off the day before was added to the hand's time: players were out before their first."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR)
        clock = FakeTime()
        clock.wall -= 3600.0
        floor.tables["T1"] = table = TableHere("T1", tmp_path / "off", clock, FOUR)
        floor.offsets["T1"] = 3600.0
        await floor.connect("T1")
        await floor.up()
        floor.cut("T1")
        clock.wall += 3600.0
        for time in (floor.time, clock):
            time.pass_(60.0)
        table.hand()
        for time in (floor.time, clock):
            time.pass_(600.0)
        floor.offsets.clear()
        if told_again:
            floor.offsets["T1"] = 0.0
        await seated(floor)
        await floor.settle()
        assert out(floor) == []
        floor.close()

    run(work)


async def heard_late(floor: TendedFloor) -> None:
    """Both tables have played a hand; that of T2 goes up first, and nobody has looked at either."""
    await eight(floor)
    floor.tables["T2"].hand()
    await floor.up()
    floor.time.pass_(30.0)
    floor.tables["T1"].hand()
    await floor.up()


def over(fold: Fold) -> list[str]:
    """The tables whose hands are over, in order."""
    return [line.event["table"] for line in fold.lines if line.ev == "hand.over"]


@pytest.mark.parametrize("kept", [False, True])
def test_who_is_out_first_is_the_same_after_a_start(tmp_path: Path, kept: bool) -> None:
    """The order was in the process alone: behind a start the tables came by their names, and places were swapped."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR, T2=FOUR)
        await heard_late(floor)
        if kept:
            await floor.book.keep()
        await floor.restart()
        await floor.settle()
        assert over(floor.directing.fold("cup")) == ["T2", "T1"]
        floor.close()

    run(work)


def test_another_floord_tells_the_same_order(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR, T2=FOUR)
        await heard_late(floor)
        other = floor.beside()
        await other.look()
        assert over(other.fold) == ["T2", "T1"]
        floor.close()

    run(work)


def test_who_is_out_at_two_tables_is_out_in_the_order_in_which_the_floor_got_it(tmp_path: Path) -> None:
    """They were out in the order of the opening, whichever table told first."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR, T2=FOUR)
        fast = FakeTime()
        fast.wall += 20.0
        floor.tables["T2"] = TableHere("T2", tmp_path / "fast", fast, FOUR)
        await eight(floor)
        for name in ("T1", "T2"):
            floor.tables[name].hand()
        await floor.settle()
        assert over(floor.directing.fold("cup")) == ["T2", "T1"]
        tournament = floor.directing.fold("cup").tournament
        assert tournament is not None
        places = {entry: finish.first for entry, finish in tournament.parts.of(Places).final.items()}
        assert places == {5: 7, 7: 8, 1: 5, 3: 6}
        floor.close()

    run(work)


def test_a_hand_that_cannot_be_looked_at_leaves_those_of_other_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR, T2=FOUR)
        await eight(floor)
        hand = Tending._hand

        async def fails(tending: Tending, table: str, *rest: Any) -> None:
            if table == "T1":
                raise OverflowError("nobody thought of it")
            await hand(tending, table, *rest)

        monkeypatch.setattr(Tending, "_hand", fails)
        for name in ("T1", "T2"):
            floor.tables[name].hand()
        await floor.settle()
        assert out(floor) == [5, 7]
        [words] = floor.tending.tables(floor.directing.fold("cup"))[0].wrong
        assert words.startswith("what this table has told could not be looked at")
        monkeypatch.undo()
        await floor.settle()
        assert sorted(out(floor)) == [1, 3, 5, 7], "it is looked at again"
        floor.close()

    run(work)


def test_the_record_says_where_the_orders_of_each_tournament_begin() -> None:
    def noted(facts: TableFacts, seq: int, who: object, role: str = "tournament", note: str = BY_HAND_NOTE) -> None:
        said = f'"{who}"' if isinstance(who, str) else who
        body = f'{{"note":"{note}","who":{said},"role":"{role}"}}'
        facts.take(Row(seq, "host", "note", 1.0, 1.0, 2.0, None, None, None, None, None, None, body, None, None))

    facts = TableFacts()
    noted(facts, 3, "tournament cup")
    noted(facts, 5, "tournament cup")
    noted(facts, 6, "tournament else", role="floor")
    noted(facts, 7, "floord")
    noted(facts, 8, "null")
    noted(facts, 9, 7)
    noted(facts, 10, "tournament noted", note="another")
    assert facts.ordered == {"cup": 3}
    for number in range(ORDERED_MOST):
        noted(facts, 20 + number, f"tournament {number}")
    assert list(facts.ordered) == [str(number) for number in range(ORDERED_MOST)]


async def together(_arrivals: MemoryArrivals, entries: Sequence[Entry]) -> list[float]:
    """All of them were in one write."""
    return [1.0] * len(entries)


@pytest.mark.parametrize("how", ["as it is", "after a start", "elsewhere"])
def test_of_hands_that_came_in_one_write_a_clock_that_is_known_to_be_slow_places_nobody_lower(
    tmp_path: Path, how: str
) -> None:
    """A table was over first by its own clock, 20 s slow: its players went out before those who had gone first."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR, T2=FOUR)
        slow = FakeTime()
        slow.wall -= 20.0
        floor.tables["T1"] = TableHere("T1", tmp_path / "slow", slow, FOUR)
        await eight(floor)
        for name in ("T2", "T1"):
            floor.tables[name].hand()
            for time in (floor.time, slow):
                time.pass_(1.0)
        floor.offsets["T1"] = 20.0
        await floor.up()
        status = next(one for one in await floor.engine.status() if one.table == "T1")
        await floor.engine.note_seen(Seen("T1", status.journal, status.stand.seq, 20.0, 0.1))
        if how == "after a start":
            floor.offsets.clear()
            await floor.restart()
        with patch.object(MemoryArrivals, "came", together):
            if how == "elsewhere":
                other = floor.beside()
                await other.book.look_elsewhere({"T1": "db1:1", "T2": "db1:1"})
                await other.look()
                assert over(other.fold) == ["T2", "T1"]
            else:
                await floor.settle()
                assert over(floor.directing.fold("cup")) == ["T2", "T1"]
        floor.close()

    run(work)


@pytest.mark.parametrize("first", ["T1", "T2"])
def test_of_hands_that_came_in_one_write_the_one_that_was_over_first_was_over_first(tmp_path: Path, first: str) -> None:
    """They counted by the names of their tables: T1's players were placed lower, whoever had gone before."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR, T2=FOUR)
        for name in floor.tables:
            await floor.connect(name)
        await floor.at.opened(entries=8)
        await floor.at.say(*(seat(number, "T1", number) for number in range(1, 5)))
        await floor.at.say(*(seat(number, "T2", number - 4) for number in range(5, 9)))
        await floor.settle()
        for name in (first, *(name for name in floor.tables if name != first)):
            floor.tables[name].hand()
            floor.time.pass_(1.0)
        with patch.object(MemoryArrivals, "came", together):
            await floor.settle()
        over = [line.event["table"] for line in floor.directing.fold("cup").lines if line.ev == "hand.over"]
        assert (over[0], len(over)) == (first, 2)
        floor.close()

    run(work)


@pytest.mark.parametrize("off", [7200.0, -7200.0])
def test_a_race_is_told_whatever_the_tables_clock_says(tmp_path: Path, off: float) -> None:
    """That of a slow table was over before the order by its clock: it was told to race the same chips for ever."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=FOUR)
        clock = FakeTime()
        clock.wall += off
        floor.tables["T1"] = table = TableHere("T1", tmp_path / "off", clock, FOUR)
        await seated(floor)
        table.race({"1": 3, "2": 1}, winner=1)
        await floor.settle()
        await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.settle()
        table.race({"1": 1, "2": 3}, winner=1)
        await floor.settle()
        fold = floor.directing.fold("cup")
        raced = [line.event["odd"] for line in fold.lines if line.ev == "race.told" and line.event["table"] == "T1"]
        assert raced == [[[1, 1], [2, 3]]], "the race of before is none"
        assert [one["event"]["ev"] for one in table.obeyed].count("tournament.race") == 1
        await floor.restart()
        await floor.settle()
        assert [one["event"]["ev"] for one in table.obeyed].count("tournament.race") == 1
        floor.close()

    run(work)
