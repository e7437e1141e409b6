"""Drills: the network or the floor is away at a level, in a break, in a move, in hand for hand; both sides after it."""

from pathlib import Path
from typing import Any

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import CommandRefused, StepRefused
from feltd.floor.tending import AWAY_AFTER, Tending
from feltd.text.catalogue import trouble
from feltd.text.language import Language, speaking
from floor_fsm.state.hands import Places
from tests.floor.tending_support import TableHere, TendedFloor, first_hand_released, run, seated

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


async def played_alone(floor: TendedFloor) -> TableHere:
    """T1 is cut off in hand 1, in which two go out there; T2 has finished it, and the director goes on without T1."""
    await first_hand_released(floor)
    one = floor.tables["T1"]
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
    return one


def final(floor: TendedFloor) -> dict[int, int]:
    """The places that do not change any more: of each entry the first of its places."""
    fold = floor.directing.fold("cup")
    assert fold.tournament is not None
    return {entry: finish.first for entry, finish in fold.tournament.parts.of(Places).final.items()}


@pytest.mark.parametrize("named", [(1, 3), (1,), ()])
def test_a_hand_that_the_director_says_for_a_table_is_that_one_when_the_table_tells_it_itself(
    tmp_path: Path, named: tuple[int, ...]
) -> None:
    """The report joins the hand once, also where the director knew of one player, or of none."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        one = await played_alone(floor)
        stacks = {1: 3500, 3: 2000}
        out = [{"entry": entry, "stack": stacks[entry], "put_in": stacks[entry]} for entry in named]
        await floor.at.say({"ev": "hand.over", "table": "T1", "hand": 1, "out": out})
        await floor.connect("T1")
        await floor.settle()
        fold, state = floor.directing.fold("cup"), floor.directing.fold("cup").state()
        told = [line.event["hand"] for line in fold.lines if line.ev == "hand.over" and line.event["table"] == "T1"]
        assert told == [1, 1], "no hand of another number, and nobody out beside a hand"
        assert "entry.out" not in [line.ev for line in fold.lines]
        assert state["Hands"]["play"]["tables"]["T1"] | {"away": False} == {
            "at": "done", "hand": 1, "away": False, "excused": True, "owes": [], "said": [],
        }  # fmt: skip
        assert final(floor) == {3: 6, 1: 5}
        assert one.seats == [2, 4]
        await floor.at.say({"ev": "hand.released"}, {"ev": "hand.over", "table": "T2", "hand": 2, "out": []})
        play: Any = fold.state()["Hands"]["play"]
        assert play["tables"]["T1"]["at"] == "plays", "it has not played hand 2 yet"
        floor.close()

    run(work)


def test_hand_for_hand_ends_once_the_director_has_decided_without_a_tables_report(tmp_path: Path) -> None:
    """What that table tells afterwards is no hand of that spell: who is out there is placed higher."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await played_alone(floor)
        end = {"ev": "hand_for_hand.ended"}
        with pytest.raises(StepRefused, match="table T1 has not told the end of a hand"):
            await floor.at.say(end)
        await floor.at.say({"ev": "place.decided", "order": 1, "groups": []}, end)
        await floor.at.say({"ev": "hand.over", "table": "T2", "out": [{"entry": 5, "stack": 100, "put_in": 100}]})
        assert final(floor) == {5: 6}
        await floor.connect("T1")
        await floor.settle()
        assert final(floor) == {5: 6, 3: 5, 1: 4}
        [first, _] = floor.tending.tables(floor.directing.fold("cup"))
        assert first.wrong == ()
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


def test_what_one_table_told_by_force_leaves_the_others_their_orders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tend = Tending._tend

    async def fails(tending: Tending, table: str, *rest: Any) -> None:
        if table == "T1":
            raise OverflowError("nobody thought of it")
        await tend(tending, table, *rest)

    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=10.0)
        monkeypatch.setattr(Tending, "_tend", fails)
        await floor.at.say({"ev": "clock.stands"})
        await floor.settle()
        assert clocks(floor.tables["T1"]) == [(True, 10.0)]
        assert [running for running, _ in clocks(floor.tables["T2"])] == [True, False]
        line = floor.book.line("T1")
        assert line is not None
        [words] = line.of_tournament
        assert words.startswith("what this table has told could not be looked at")
        with speaking(Language.GERMAN):
            assert trouble(f"tournament: {words}").startswith("Turnier: was dieser Tisch gemeldet hat")
        floor.close()

    run(work)
    assert caplog.text.count("OverflowError: nobody thought of it") == 1, "it is said once"


def test_a_database_that_is_away_is_no_tables_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: Any) -> None:
        raise FloorAwayError("away", "database", "wait")

    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await playing(floor, elapsed=10.0)
        monkeypatch.setattr(Tending, "_hands", away)
        with pytest.raises(FloorAwayError):
            await floor.tending.look()
        floor.close()

    run(work)


async def in_hand_for_hand(folder: Path) -> TendedFloor:
    """A floor whose tables have been told that hand for hand has begun."""
    floor = TendedFloor(folder)
    await seated(floor)
    await floor.settle()
    await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"})
    await floor.settle()
    return floor


def test_a_table_that_is_off_when_floord_starts_again_is_away_in_hand_for_hand_too(tmp_path: Path) -> None:
    """floord had forgotten that it ever reached the table, and the barrier waited for it with nobody told."""

    async def work() -> None:
        floor = await in_hand_for_hand(tmp_path)
        floor.cut("T2")
        await floor.restart()
        await floor.tending.look()
        floor.time.pass_(AWAY_AFTER - 1)
        await floor.book.look_elsewhere({"T2": "another:1"})
        await floor.tending.look()
        await floor.book.look_elsewhere({})
        floor.time.pass_(AWAY_AFTER - 1)
        await floor.tending.look()
        assert "table.away" not in told(floor), "another floord had it"
        floor.time.pass_(2.0)
        await floor.tending.look()
        assert told(floor)[-1] == "table.away"
        await floor.connect("T2")
        await floor.settle()
        assert told(floor)[-1] == "table.back"
        floor.close()

    run(work)


def test_of_two_floords_the_second_to_say_that_a_table_is_away_blames_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        floor = await in_hand_for_hand(tmp_path)
        other = floor.beside()
        floor.cut("T2")
        await other.look()
        floor.time.pass_(AWAY_AFTER + 1)
        tell = other.directing.tell

        async def second(*values: Any) -> Any:
            monkeypatch.undo()
            await floor.tending.look()
            return await tell(*values)

        monkeypatch.setattr(other.directing, "tell", second)
        await other.tending.look()
        assert told(floor).count("table.away") == 1
        line = other.book.line("T2")
        assert line is not None
        assert line.of_tournament == ()
        floor.close()

    run(work)


def test_where_it_is_not_taken_that_a_table_is_away_its_tile_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuses(*_: Any) -> None:
        raise CommandRefused("not now")

    async def work() -> None:
        floor = await in_hand_for_hand(tmp_path)
        floor.cut("T2")
        monkeypatch.setattr(floor.directing, "tell", refuses)
        floor.time.pass_(AWAY_AFTER + 1)
        await floor.tending.look()
        line = floor.book.line("T2")
        assert line is not None
        assert line.of_tournament == ("table.away of this table is not taken: not now",)
        floor.close()

    run(work)


def test_a_bust_that_is_not_taken_stays_on_the_tile_until_that_player_is_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next hand of the table was taken, and the notice of who still plays in the tournament's list was gone."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        await seated(floor)
        await floor.settle()
        one, tell = floor.tables["T1"], floor.directing.tell

        async def refuses(cup: str, event: Any, cause: Any) -> Any:
            if event["ev"] == "hand.over":
                raise CommandRefused("the database was put back")
            return await tell(cup, event, cause)

        one.hand()
        monkeypatch.setattr(floor.directing, "tell", refuses)
        await floor.up()
        await floor.tending.look()
        monkeypatch.undo()
        line, fold = floor.book.line("T1"), floor.directing.fold("cup")
        assert line is not None
        wrong: tuple[str, ...] = ("hand.over of this table is not taken: the database was put back",)
        assert line.of_tournament == wrong
        await floor.tending._tell("T1", fold, {"ev": "hand.over", "table": "T1", "out": []}, None)
        await floor.tending.look()
        assert line.of_tournament == wrong, "who was out still has a seat"
        await floor.at.say({"ev": "entry.out", "entry": 1})
        await floor.tending.look()
        assert line.of_tournament == wrong
        await floor.at.say({"ev": "entry.out", "entry": 3})
        await floor.tending.look()
        assert line.of_tournament == ()
        floor.close()

    run(work)


def told(floor: TendedFloor) -> list[str]:
    return [line.ev for line in floor.directing.fold("cup").lines]
