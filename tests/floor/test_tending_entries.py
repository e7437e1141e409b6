"""What tables of a tournament are told of entries, places and races, and what they tell of races, each once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import StepNotKnownError
from feltd.floor.streams import MemoryStreams, TableEntry
from feltd.floor.table_facts import TableFacts
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Places
from tests.floor.directing_support import TERMS
from tests.floor.tending_support import TableHere, TendedFloor, run, seat_entry, seated

REBUYS = {
    **TERMS,
    "re_entries": 0,
    "rebuy": {"price": 20_000, "house": 1_000, "chips": 30_000, "most": 1, "until_level": 3, "below": 30_000},
    "add_on": {"price": 10_000, "chips": 50_000, "until_level": 4},
}


def events(floor: TendedFloor, name: str) -> list[dict[str, Any]]:
    """The events of one name that the tournament has taken."""
    return [dict(line.event) for line in floor.directing.fold("cup").lines if line.ev == name]


def lose_the_answer_about(monkeypatch: pytest.MonkeyPatch, name: str, first: int) -> None:
    """The database is away when it is told of an event of this name the `first` time, counted from 1, and once."""
    add, asked = MemoryStreams.add, list[str]()

    async def away(self: MemoryStreams, cup: str, expected: int, line: str, cause: TableEntry | None = None) -> Any:
        if f'"ev":"{name}"' in line:
            asked.append(line)
            if len(asked) == first:
                raise FloorAwayError("nobody answers", "database", "Ask again")
        return await add(self, cup, expected, line, cause)

    monkeypatch.setattr(MemoryStreams, "add", away)


def told(table: TableHere, name: str) -> list[dict[str, Any]]:
    """The events of one name that a table was given, without the name."""
    events = [order["event"] for order in table.obeyed if order["event"]["ev"] == name]
    return [{key: value for key, value in event.items() if key != "ev"} for event in events]


def facts(floor: TendedFloor, table: str) -> TableFacts:
    line = floor.book.line(table)
    assert line is not None
    return line.fold.facts


def places(table: TableHere) -> list[tuple[int, int, int, bool]]:
    shown: Any = table.bench.keeper.table.view()["tournament"]
    return [(one["entry"], one["first"], one["last"], one["final"]) for one in shown["places"]]


def test_a_table_is_told_each_entry_once_and_what_it_buys(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2))
        await seated(floor, terms=REBUYS)
        await floor.settle()
        two = floor.tables["T2"]
        assert told(two, "seat.entry") == [told_of(1, 5), told_of(2, 6)]
        await floor.at.say({"ev": "rebuy", "entry": 5, "paid": 21_000, "stake": 12_000})
        await floor.settle()
        await floor.at.say({"ev": "add_on", "entry": 5, "paid": 10_000})
        await floor.settle()
        assert told(two, "seat.entry")[2:] == [
            told_of(1, 5, cents=60_000, rebuys=1), told_of(1, 5, cents=110_000, rebuys=1, add_ons=1),
        ]  # fmt: skip
        said = len(two.obeyed)
        await floor.settle()
        assert len(two.obeyed) == said
        floor.close()

    run(work)


def told_of(at: int, number: int, **bought: int) -> dict[str, object]:
    return {key: value for key, value in seat_entry(at, number, **bought).items() if key != "ev"}


def test_who_takes_a_seat_in_a_round_is_not_who_had_it(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        one.hand("betting.closed")
        await floor.at.say({"ev": "moved", "entry": 2, "table": "T2", "seat": 3})
        await floor.at.say({"ev": "moved", "entry": 6, "table": "T1", "seat": 2})
        await floor.settle()
        assert "seat.out" not in [order["event"]["ev"] for order in one.obeyed]
        one.play({"ev": "supervisor", "decision": "void", "staff": "Ada", "reason": "the deck was foul"})
        await floor.settle()
        assert {"ev": "seat.out", "seat": 2} in [order["event"] for order in one.obeyed]
        assert one.seats == [1, 2, 3, 4]
        assert facts(floor, "T1").entries["2"].entry == 6
        floor.close()

    run(work)


def test_a_place_is_final_when_the_floor_tells_it_and_is_dropped_when_the_entry_is_back(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        one.hand()
        await floor.settle()
        assert places(one) == [(1, 5, 5, False), (3, 6, 6, False)], "entries are still taken: no place is final"
        await floor.at.say({"ev": "late.closed"})
        await floor.settle()
        assert places(one) == [(1, 5, 5, True), (3, 6, 6, True)]
        assert told(one, "tournament.placed") == [
            {"entry": 1, "first": 5, "last": 5}, {"entry": 3, "first": 6, "last": 6},
        ]  # fmt: skip
        await floor.at.say({"ev": "entry.back", "entry": 1, "table": "T2", "seat": 3})
        await floor.settle()
        assert places(one) == [(3, 6, 6, True)], "who plays on at another table has no place here"
        await floor.at.say({"ev": "entry.back", "entry": 3})
        await floor.settle()
        assert places(one) == []
        assert one.seats == [2, 3, 4]
        fold = floor.directing.fold("cup")
        assert fold.tournament is not None
        assert fold.tournament.parts.of(Places).said == {}
        assert fold.tournament.parts.of(Entries).standing(Standing.OUT) == ()
        floor.close()

    run(work)


def test_who_was_moved_in_the_round_of_their_last_hand_is_out_all_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        one.hand("betting.closed")
        floor.cut("T1")
        await floor.at.say({"ev": "moved", "entry": 3, "table": "T2", "seat": 4})
        await floor.settle()
        assert floor.tables["T2"].seats == [1, 2, 4]
        one.hand("betting.closed", rest=True)
        await floor.connect("T1")
        await floor.settle()
        fold = floor.directing.fold("cup")
        outs = [(line.ev, line.event.get("entry") or line.event["out"]) for line in fold.lines if "out" in line.event]
        outs += [(line.ev, line.event["entry"]) for line in fold.lines if line.ev == "entry.out"]
        assert outs == [("hand.over", [{"entry": 1, "stack": 3500, "put_in": 3500}]), ("entry.out", 3)]
        assert (one.seats, floor.tables["T2"].seats) == ([2, 4], [1, 2])
        assert floor.tending.tables(fold)[0].wrong == ()
        floor.close()

    run(work)


def test_a_race_is_ordered_at_all_tables_and_each_tells_its_own_once(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.settle()
        assert told(one, "tournament.race") == told(two, "tournament.race") == [{"chip": 25, "new_chip": 100}]
        floor.cut("T2")
        one.race({"1": 3, "2": 1}, winner=1)
        two.race({"1": 2, "2": 2}, winner=1)
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert fold.tournament is not None
        race = fold.tournament.parts.of(Stacks).race
        assert race is not None
        assert race.waits_for == ("T2",), "the network was away in the middle of it"
        await floor.connect("T2")
        await floor.settle()
        assert fold.tournament.parts.of(Stacks).race is None
        raced = [line.event for line in fold.lines if line.ev == "race.told"]
        assert [(one["table"], one["odd"], one["chips"], one["out"]) for one in raced] == [
            ("T1", [[1, 3], [2, 1]], [[1, 1]], 100), ("T2", [[1, 2], [2, 2]], [[1, 1]], 100),
        ]  # fmt: skip
        assert len(told(one, "tournament.race")) == 1, "who has raced is not told that the race is over"
        await floor.settle()
        assert [line.ev for line in fold.lines].count("race.told") == 2
        assert [table.wrong for table in floor.tending.tables(fold)] == [(), ()]
        floor.close()

    run(work)


def test_a_race_is_told_although_a_later_hand_was_told_before_it(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.settle()
        one.race({"1": 3, "2": 1}, winner=1)
        one.hand()
        await floor.settle()
        assert [step["cause"]["seq"] for step in (*events(floor, "race.told"), *events(floor, "hand.over"))] == sorted(
            step["cause"]["seq"] for step in (*events(floor, "race.told"), *events(floor, "hand.over"))
        ), "the race was before the hand"
        assert [line.ev for line in floor.directing.fold("cup").lines if line.ev in ("race.told", "hand.over")] == [
            "hand.over", "race.told",
        ]  # fmt: skip
        assert [step["table"] for step in events(floor, "race.told")] == ["T1"]
        again = floor.beside()
        await again.look()
        assert len(events(floor, "race.told")) == 1
        floor.close()

    run(work)


def test_a_race_that_was_over_before_the_order_is_not_the_one_that_was_ordered(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        one.race({"1": 3, "2": 1}, winner=1)
        await floor.settle()
        floor.time.pass_(1.0)
        await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.settle()
        assert events(floor, "race.told") == []
        assert told(one, "tournament.race") == [{"chip": 25, "new_chip": 100}]
        one.race({"3": 2, "4": 2}, winner=3)
        await floor.settle()
        assert [step["odd"] for step in events(floor, "race.told")] == [[[3, 2], [4, 2]]]
        floor.close()

    run(work)


def test_a_race_that_a_table_ran_while_it_was_cut_off_is_the_one_that_was_ordered_meanwhile(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        floor.cut("T1")
        await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
        one.race({"1": 3, "2": 1}, winner=1)
        await floor.connect("T1")
        await floor.settle()
        assert [step["table"] for step in events(floor, "race.told")] == ["T1"]
        assert told(one, "tournament.race") == [], "it has raced already"
        floor.close()

    run(work)


def test_a_race_that_the_tournament_has_not_heard_of_for_an_outage_is_told_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.settle()
        floor.tables["T1"].race({"1": 3, "2": 1}, winner=1)
        await floor.up()
        lose_the_answer_about(monkeypatch, "race.told", first=1)
        with pytest.raises(StepNotKnownError):
            await floor.tending.look()
        await floor.settle()
        assert [step["table"] for step in events(floor, "race.told")] == ["T1"]
        floor.close()

    run(work)


def test_what_two_floords_see_is_told_once_and_neither_says_that_it_was_not_taken(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.at.say({"ev": "late.closed"}, {"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.settle()
        other = floor.beside()
        await other.directing.look()
        one = floor.tables["T1"]
        one.race({"1": 3, "2": 1}, winner=1)
        one.hand()
        await floor.up()
        await other.follow()
        await asyncio.gather(floor.tending.look(), other.tending.look())
        await asyncio.gather(floor.tending.settled(), other.tending.settled())
        await floor.settle()
        await other.look()
        assert [len(events(floor, name)) for name in ("race.told", "hand.over", "hand.began")] == [1, 1, 1]
        for seen in (floor.tending.tables(floor.directing.fold("cup")), other.tending.tables(other.fold)):
            assert [table.wrong for table in seen] == [(), ()]
        assert sorted(places(one)) == [(1, 5, 5, True), (3, 6, 6, True)]
        assert [entry.entry for entry in facts(floor, "T1").entries.values()] == [2, 4]
        assert one.seats == [2, 4]
        floor.close()

    run(work)


def test_two_who_are_out_before_hand_for_hand_had_begun_are_both_told_over_an_outage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        one.hand("betting.closed")
        await floor.settle()
        await floor.at.say({"ev": "late.closed"}, {"ev": "hand_for_hand.began", "why": "bubble"})
        one.hand("betting.closed", rest=True)
        await floor.up()
        lose_the_answer_about(monkeypatch, "entry.out", first=2)
        with pytest.raises(StepNotKnownError):
            await floor.tending.look()
        await floor.tending.settled()
        await floor.settle()
        assert sorted(step["entry"] for step in events(floor, "entry.out")) == [1, 3]
        assert floor.tending.tables(floor.directing.fold("cup"))[0].wrong == ()
        floor.close()

    run(work)
