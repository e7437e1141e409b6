"""Chip races at tables of a tournament: who loses the last chips in one, and seats that change around a shuffle."""

from dataclasses import replace
from pathlib import Path

from floor_fsm.state.hands import Places
from floor_fsm.state.reports import Reports
from floor_fsm.state.seating import Seating
from table_fsm.events import TableOpen
from tests.floor.directing_support import CUP, entry
from tests.floor.tending_support import TendedFloor, run, seat, seat_entry

ACT = TableOpen(t=0.0, rulebook="act-2001-holdem-limit", options={}, seats=[], button=1)
TABLES = [{"table": name, "seats": [1, 2, 3, 4]} for name in ("T1", "T2")]
OPENED = {"ev": "tournament.open", "name": "Limit", "game": "holdem-limit"}
TERMS = {**OPENED, "fee": 20_000, "stack": 1_000, "tables": TABLES}


async def at_limit(folder: Path) -> TendedFloor:
    """Four players at T1, two at T2, of a tournament of ACT 2001."""
    floor = TendedFloor(folder, opening=ACT)
    for name in floor.tables:
        await floor.connect(name)
    await floor.directing.open(replace(CUP, book="act-2001"))
    await floor.at.say(TERMS, *({**entry(number), "paid": 20_000} for number in range(1, 11)))
    await floor.at.say(*(seat(number, "T1", number) for number in range(1, 5)), seat(5, "T2", 1), seat(6, "T2", 2))
    await floor.settle()
    return floor


async def racing_alone(folder: Path) -> TendedFloor:
    """The same, once chips of 25 are raced, with T1 cut off since."""
    floor = await at_limit(folder)
    await floor.at.say({"ev": "race.ordered", "chip": 25, "new_chip": 100})
    await floor.settle()
    floor.cut("T1")
    return floor


def test_who_loses_the_last_chips_in_a_race_is_out_and_the_fewest_odd_chips_place_lower(tmp_path: Path) -> None:
    """ACT 2001, 4.8: one player receives all the small chips, so others may have nothing left."""

    async def work() -> None:
        floor = await racing_alone(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        one.race({"1": 2, "2": 3, "3": 1, "4": 3}, winner=4, chips=(2_500, 10_000), last=[1, 3, 4])
        two.race({"1": 1}, winner=1, chips=(2_500, 10_000), last=[1])
        await floor.connect("T1")
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert fold.tournament is not None
        assert [line.event["entry"] for line in fold.lines if line.ev == "entry.out"] == [3, 1], (
            "who won is none of them"
        )
        assert list(fold.tournament.parts.of(Seating).at("T1")) == one.seats == [2, 4]
        assert two.seats == [1, 2], "an only holder keeps what there is"
        ladder = fold.tournament.parts.of(Places).ladder
        assert ladder is not None
        places = ladder.places(10)
        assert places[3].first > places[1].first
        raced = [line.event for line in fold.lines if line.ev == "race.told"]
        assert {step["table"] for step in raced} == {"T1", "T2"}
        before = fold.seq
        await floor.restart()
        await floor.settle()
        assert floor.directing.fold("cup").seq == before, "each is told once"
        floor.close()

    run(work)


def test_who_loses_the_last_chips_in_a_race_whose_order_was_taken_back_is_out(tmp_path: Path) -> None:
    """The table deals it to its end: nobody was told, and the players without chips sat on."""

    async def work() -> None:
        floor = await racing_alone(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "race.taken_back"}, {"ev": "entry.out", "entry": 3})
        one.race({"1": 2, "2": 3, "3": 1, "4": 3}, winner=4, chips=(2_500, 10_000), last=[1, 3, 4])
        await floor.connect("T1")
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert [line.event["entry"] for line in fold.lines if line.ev == "entry.out"] == [3, 1], "3 a person had said"
        assert [line.ev for line in fold.lines if line.ev in ("race.told", "seat.unclaimed")] == []
        assert (one.seats, two.seats) == ([2, 4], [1, 2])
        await floor.at.say({"ev": "entry.back", "entry": 1})
        await floor.settle()
        before = fold.seq
        await floor.restart()
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert fold.tournament is not None
        assert (fold.seq, 1 in fold.tournament.parts.of(Seating).places) == (before, True), "a person's word holds"
        floor.close()

    run(work)


def test_an_order_after_one_that_was_taken_back_is_told_by_its_own_race(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await racing_alone(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "race.taken_back"}, {"ev": "race.ordered", "chip": 25, "new_chip": 100})
        await floor.connect("T1")
        await floor.settle()
        for table, odd in ((one, {"1": 2, "2": 3}), (two, {"1": 1})):
            table.race(odd, winner=max(map(int, odd)), chips=(2_500, 10_000), last=[1])
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert [line.event["entry"] for line in fold.lines if line.ev == "entry.out"] == [1]
        assert [line.event["table"] for line in fold.lines if line.ev == "race.told"] == ["T1", "T2"]
        floor.close()

    run(work)


def test_a_director_places_those_who_went_out_in_one_race_anew(tmp_path: Path) -> None:
    """They were placed by their odd chips, then by their seats, and no step of the desk changed that."""

    async def work() -> None:
        floor = await racing_alone(tmp_path)
        one = floor.tables["T1"]
        one.race({"1": 2, "2": 3, "3": 1}, winner=2, chips=(2_500, 10_000), last=[1, 3])
        await floor.at.say({"ev": "late.closed"})
        await floor.connect("T1")
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert fold.tournament is not None
        places = fold.tournament.parts.of(Places)
        assert {entry: finish.first for entry, finish in places.final.items()} == {3: 10, 1: 9}
        ladder = places.ladder
        assert ladder is not None
        await floor.at.say({"ev": "place.decided", "order": ladder.gone[0].order, "groups": [[1, 3]]})
        await floor.settle()
        final = fold.tournament.parts.of(Places).final
        assert {entry: (placed.first, placed.last) for entry, placed in final.items()} == {3: (9, 10), 1: (9, 10)}
        floor.close()

    run(work)


def test_who_was_moved_before_the_race_is_told_is_out_by_it_and_who_is_out_already_is_not_told(tmp_path: Path) -> None:
    """The table was cut off: nobody knew at the desk that the player walks without chips."""

    async def work() -> None:
        floor = await racing_alone(tmp_path)
        one = floor.tables["T1"]
        one.race({"1": 2, "2": 3, "3": 1}, winner=2, chips=(2_500, 10_000), last=[1, 3])
        await floor.at.say({"ev": "moved", "entry": 1, "table": "T2", "seat": 4}, {"ev": "entry.out", "entry": 3})
        await floor.connect("T1")
        await floor.settle()
        assert [line.event["entry"] for line in floor.directing.fold("cup").lines if line.ev == "entry.out"] == [3, 1]
        floor.close()

    run(work)


def test_a_tables_word_takes_no_player_of_another_table_out(tmp_path: Path) -> None:
    """Who has a table's certificate could end the tournament of anybody by the number of their entry."""

    async def work() -> None:
        floor = await racing_alone(tmp_path)
        one = floor.tables["T1"]
        one.play({"ev": "seat.out", "seat": 3}, {"ev": "seat.in", "seat": 3}, {**seat_entry(3, 5), "cents": 20_000})
        one.race({"1": 2, "2": 3, "3": 1}, winner=2, chips=(2_500, 10_000), last=[3])
        await floor.connect("T1")
        await floor.settle()
        for _ in range(2):
            fold = floor.directing.fold("cup")
            assert fold.tournament is not None
            assert "entry.out" not in [line.ev for line in fold.lines]
            assert 5 in fold.tournament.parts.of(Seating).at("T2").values()
            assert [(one.table, one.seat) for one in fold.tournament.parts.of(Reports).open] == [("T1", 3)]
            await floor.restart()
            await floor.settle()
        floor.close()

    run(work)


def test_a_shuffled_pack_that_waits_for_its_cut_keeps_nobody_at_the_table(tmp_path: Path) -> None:
    """One player alone is never cut for: the table would keep that player, and take in nobody, for ever."""

    async def work() -> None:
        floor = await at_limit(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        two.play({"ev": "shoe.deck_checked", "deck": "blue", "count": 52})
        two.play({"ev": "shoe.shuffled", "deck": "blue", "count": 52})
        assert two.bench.keeper.table.view()["phase"] == "cutting"
        await floor.at.say({"ev": "entry.out", "entry": 1}, {"ev": "entry.out", "entry": 2})
        await floor.at.say({"ev": "table.broken", "table": "T2", "to": [[5, "T1", 1], [6, "T1", 2]]})
        await floor.settle()
        assert (one.seats, two.seats) == ([1, 2, 3, 4], [])
        floor.close()

    run(work)
