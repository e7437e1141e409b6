"""Tables of a tournament come to what it says, and what their hands bring becomes its events, once."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feltd.door import CommandRefused, Person
from feltd.door.obeying import TournamentCommand
from feltd.door.pit.directing import TournamentAsk
from feltd.door.pit.state import PitSince
from feltd.floor.commanding import NOT_DONE_AFTER
from feltd.floor.folding import Fold
from feltd.floor.table_facts import TableFacts, Told
from feltd.floor.table_orders import AGAIN_AFTER
from feltd.floor.table_values import HandEnded
from feltd.floor.tending import AWAY_AFTER
from feltd.record.entries import Row
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.hands import Places
from floor_fsm.state.tables import Blinds, Tables
from tests.floor.directing_support import CUP, TERMS, At, entry
from tests.floor.tending_support import TableHere, TendedFloor, run, seat, seat_entry, seated

CUP_ITSELF = Person("tournament cup", "floord", "tournament", "floor")


def test_players_are_seated_moved_and_taken_away_by_the_tournament_and_each_hand_is_told_once(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4, 7))
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        assert (one.seats, two.seats) == ([1, 2, 3, 4], [1, 2])
        assert [order["event"] for order in two.obeyed] == [
            {"ev": "seat.in", "seat": 1}, {"ev": "seat.in", "seat": 2}, seat_entry(1, 5), seat_entry(2, 6),
            {"ev": "tournament.field", "entrants": 6, "remaining": 6},
        ]  # fmt: skip
        assert one.obeyed[0]["event"] == {"ev": "seat.out", "seat": 7}
        assert two.obeyed[0]["why"].endswith("entry 5 sits down here")
        assert two.obeyed[0]["person"]["signature"] == "tournament cup"

        one.hand()
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert fold.tournament is not None
        parts = fold.tournament.parts
        assert [one.number for one in parts.of(Entries).standing(Standing.OUT)] == [1, 3]
        assert parts.of(Tables).blinds["T1"] == Blinds(1, 2, 1)
        assert one.seats == [2, 4], "who lost the last chips has left the seat"
        over = next(line for line in fold.lines if line.ev == "hand.over")
        assert over.event["out"] == [
            {"entry": 1, "stack": 3500, "put_in": 3500}, {"entry": 3, "stack": 2000, "put_in": 2000},
        ]  # fmt: skip
        ladder = parts.of(Places).ladder
        assert ladder is not None
        assert [gone.groups for gone in ladder.gone] == [((1,), (3,))], "nobody has to decide who is placed higher"
        journal = one.bench.journal.reader.journal_id
        assert over.event["cause"]["journal"] == journal.hex()
        assert two.obeyed[-1]["event"] == {"ev": "tournament.field", "entrants": 6, "remaining": 4}

        await floor.at.say({"ev": "moved", "entry": 6, "table": "T1", "seat": 1})
        await floor.settle()
        assert (one.seats, two.seats) == ([1, 2, 4], [1])
        seq = fold.seq
        again = TendedFloor.__new__(TendedFloor)
        again.__dict__ |= floor.__dict__
        again.tending = type(floor.tending)(floor.directing, floor.desk, floor.book, lambda: floor.time.wall)
        await again.settle()
        assert fold.seq == seq, "another floord that starts now tells nothing a second time"
        news = floor.directing.news(TournamentAsk("cup", 0))
        assert news.tables == ()
        assert [(table.name, table.reached, table.seats, table.wrong) for table in floor.tending.tables(fold)] == [
            ("T1", True, (1, 2, 4), ()), ("T2", True, (1,), ()),
        ]  # fmt: skip
        floor.close()

    run(work)


def test_a_table_that_was_away_comes_to_what_the_tournament_says_and_its_hands_are_told_then(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        floor.cut("T1")
        one.hand()
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert not any(line.ev == "hand.over" for line in fold.lines)
        assert [table.reached for table in floor.tending.tables(fold)] == [False, True]
        await floor.connect("T1")
        await floor.settle()
        assert one.seats == [2, 4]
        assert sum(line.ev == "hand.over" for line in fold.lines) == 1
        assert two.obeyed[-1]["event"]["remaining"] == 4

        two.silent = True
        await floor.at.say({"ev": "moved", "entry": 4, "table": "T2", "seat": 3})
        await floor.settle()
        [why] = floor.tending.tables(fold)[1].wrong
        assert "seat.in is not known" in why
        two.silent = False
        floor.time.pass_(AGAIN_AFTER)
        await floor.settle()
        assert two.seats == [1, 2], "before its record tells what became of it, nothing is sent"
        floor.time.pass_(NOT_DONE_AFTER)
        await floor.settle()
        assert two.seats == [1, 2, 3]
        assert one.seats == [2]
        assert floor.tending.tables(fold)[1].wrong == ()
        floor.close()

    run(work)


def test_a_table_whose_file_lets_nobody_seat_players_there_is_named_and_asked_seldom(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        floor.tables["T2"].may = False
        await seated(floor)
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert floor.tending.tables(fold)[1].wrong == ("seat.in is refused: no tournament here",)
        [tile] = [table for table in floor.book.news(PitSince("", 0)).tables if table.name == "T2"]
        assert tile.wrong == ("tournament: seat.in is refused: no tournament here",)
        asked = len(floor.engine.orders)
        await floor.settle()
        assert len(floor.engine.orders) == asked
        floor.time.pass_(AGAIN_AFTER)
        await floor.settle()
        again = len(floor.engine.orders)
        assert again > asked
        floor.tables["T2"].may = True
        floor.time.pass_(AGAIN_AFTER)
        await floor.settle()
        assert len(floor.engine.orders) == again, "each time it waits twice as long"
        floor.time.pass_(AGAIN_AFTER)
        await floor.settle()
        assert floor.tables["T2"].seats == [1, 2]
        [tile] = [table for table in floor.book.news(PitSince("", 0)).tables if table.name == "T2"]
        assert tile.wrong == ()
        floor.close()

    run(work)


def test_nobody_comes_or_goes_in_a_round_and_a_void_round_puts_nobody_out(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        one.hand("betting.closed")
        taken = TournamentCommand("1" * 32, CUP_ITSELF, "moved", {"ev": "seat.out", "seat": 2}, floor.time.wall + 5)
        with pytest.raises(CommandRefused, match="a round is in progress"):
            await one.obeying.take(taken)
        await floor.at.say({"ev": "moved", "entry": 2, "table": "T2", "seat": 4})
        before = len(one.obeyed)
        await floor.settle()
        assert one.seats == [1, 2, 3, 4]
        assert "seat.out" not in [order["event"]["ev"] for order in one.obeyed[before:]]
        assert floor.tables["T2"].seats == [1, 2, 4]
        assert one.obeyed[-1]["event"] == {"ev": "tournament.moves", "comes": [], "goes": [2], "waits": None}
        one.play({"ev": "supervisor", "decision": "void", "staff": "Ada", "reason": "the deck was foul"})
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert fold.tournament is not None
        assert fold.tournament.parts.of(Entries).standing(Standing.OUT) == ()
        assert one.seats == [1, 3, 4]
        assert one.obeyed[-1]["event"] == {"ev": "tournament.moves", "comes": [], "goes": [], "waits": None}
        floor.close()

    run(work)


def test_hand_for_hand_is_released_to_all_tables_and_an_all_in_waits_for_the_others(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]

        def tournament(table: TableHere) -> Any:
            return table.bench.keeper.table.view()["tournament"]

        await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"})
        await floor.settle()
        assert tournament(one)["hand_for_hand"]
        assert tournament(two)["hand_for_hand"]
        assert "tournament.go" not in [order["event"]["ev"] for order in one.obeyed]
        await floor.at.say({"ev": "hand.released"})
        await floor.settle()
        assert [table.obeyed[-1]["event"] for table in (one, two)] == [{"ev": "tournament.go"}] * 2
        one.hand("betting.closed")
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert [line.ev for line in fold.lines][-1] == "all_in.held"
        assert one.bench.keeper.table.view()["prompt"] == {"wait": "go"}
        two.folded()
        await floor.settle()
        if one.bench.keeper.table.view()["prompt"] == {"wait": "go"}:
            await floor.at.say({"ev": "all_ins.turned"})
            await floor.settle()
        assert one.bench.keeper.table.view()["prompt"] != {"wait": "go"}
        one.hand("betting.closed", rest=True)
        await floor.settle()
        over = [(line.event["table"], line.event["hand"]) for line in fold.lines if line.ev == "hand.over"]
        assert over == [("T2", 1), ("T1", 1)]
        assert [order["event"]["ev"] for order in two.obeyed].count("tournament.go") == 1, "no second hand is released"
        await floor.at.say({"ev": "hand_for_hand.ended"})
        await floor.settle()
        assert not tournament(one)["hand_for_hand"]
        floor.close()

    run(work)


def test_in_hand_for_hand_a_table_that_is_away_is_told_once_and_told_again_when_it_is_back(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        one = floor.tables["T1"]
        await floor.settle()
        one.hand("betting.closed")
        await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"})
        await floor.settle()
        if one.bench.keeper.table.view()["prompt"] == {"wait": "go"}:
            one.play({"ev": "tournament.go"})
        one.hand("betting.closed", rest=True)
        await floor.settle()
        fold = floor.directing.fold("cup")
        outs = [line.event["entry"] for line in fold.lines if line.ev == "entry.out"]
        assert outs == [1, 3], "a hand that had begun before has no number in hand for hand"
        floor.cut("T2")
        await floor.tending.look()
        floor.time.pass_(AWAY_AFTER + 1)
        await floor.tending.look()
        floor.time.pass_(AWAY_AFTER + 1)
        await floor.tending.look()
        assert [line.ev for line in fold.lines].count("table.away") == 1
        await floor.connect("T2")
        await floor.settle()
        assert [line.ev for line in fold.lines][-1] == "table.back"
        floor.close()

    run(work)


def test_the_clock_of_all_tables_is_told_and_told_again_only_where_it_differs(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        levels = [{"seconds": 1200.0, "blinds": [100, 200]}, {"seconds": 1200.0, "blinds": [200, 400]}]
        await floor.at.say({"ev": "schedule", "levels": levels}, {"ev": "clock.put", "running": True, "elapsed": 60.0})
        await floor.settle()
        two = floor.tables["T2"]
        clocks = [order["event"] for order in two.obeyed if order["event"]["ev"] == "tournament.clock"]
        assert clocks == [{"ev": "tournament.clock", "running": True, "elapsed": 60.0}]
        fold = floor.directing.fold("cup")
        assert [line.event["level"] for line in fold.lines if line.ev == "level.began"] == [1]
        floor.time.pass_(300)
        await floor.settle()
        assert two.obeyed[-1]["event"] == clocks[0]
        await floor.at.say({"ev": "clock.stands"})
        await floor.settle()
        assert two.obeyed[-1]["event"] == {"ev": "tournament.clock", "running": False, "elapsed": 360.0}
        await floor.at.say({"ev": "clock.put", "running": True, "elapsed": 1199.0})
        floor.time.pass_(5)
        await floor.settle()
        assert [line.event["level"] for line in fold.lines if line.ev == "level.began"] == [1, 2]
        floor.close()

    run(work)


def test_a_table_in_two_tournaments_is_nobodys_and_that_is_told(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.settle()
        await floor.directing.open(replace(CUP, id="other"))
        other = At(floor.directing, "other")
        await other.say(TERMS, entry(1), seat(1, "T1", 4))
        floor.tables["T1"].obeyed.clear()
        await floor.settle()
        assert floor.tables["T1"].obeyed == []
        [first, _] = floor.tending.tables(floor.directing.fold("cup"))
        assert first.wrong == ("two tournaments seat players here: cup, other",)
        assert floor.tending.tables(floor.directing.fold("other"))[0] == first
        floor.close()

    run(work)


def test_who_was_said_to_be_out_before_the_table_could_tell_it_is_no_news_then(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one, fold = floor.tables["T1"], floor.directing.fold("cup")
        one.hand("betting.closed")
        await floor.at.say({"ev": "entry.out", "entry": 1}, {"ev": "entry.out", "entry": 3})
        one.hand("betting.closed", rest=True)
        await floor.settle()
        assert floor.tending.tables(fold)[0].wrong == ()
        assert "seat.unclaimed" not in [line.ev for line in fold.lines]
        floor.close()

    run(work)


def test_facts_are_kept_with_the_fold_and_what_was_refused_is_none(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one = floor.tables["T1"]
        one.play({"ev": "seat.in", "seat": 2}, {"ev": "seat.in", "seat": 6}, {"ev": "seat.out", "seat": 6})
        one.hand()
        await floor.up()
        line = floor.book.line("T1")
        assert line is not None
        assert list(line.fold.facts.seats) == [1, 2, 3, 4]
        assert Fold.from_text(line.fold.to_text()).facts == line.fold.facts
        one.play({"ev": "table.close"})
        await floor.up()
        assert list(line.fold.facts.seats) == []
        floor.close()

    run(work)


@pytest.mark.parametrize(
    ("kind", "name", "body"),
    [
        ("host", "snapshot", '{"seats":{"x":{}}}'),
        ("host", "snapshot", '{"seats":{},"tournament":{"places":[1]},"spots":3}'),
        ("event", "seat.in", '{"seat":"x"}'), ("event", "stack", '{"seat":1}'), ("event", "tournament.clock", "{}"),
        ("event", "tournament.field", '{"entrants":true}'), ("event", "table.open", "{}"),
        ("output", "prompt", '{"prompt":3}'),
    ],
)  # fmt: skip
def test_rows_of_another_shape_change_nothing_that_matters(kind: str, name: str, body: str) -> None:
    facts = TableFacts(in_round=True, told=Told(hand_for_hand=True))
    facts.over = HandEnded(1, 2, 3.0)
    row = Row(9, kind, name, 1.0, 1.0, 2.0, 1, None, None, None, None, None, body, None, None)
    facts.take(row)
    assert facts.seats == ()
    assert all(hand.out == () for hand in facts.hands)
