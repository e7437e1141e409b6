"""Drills at connected tables: a director's second order while the first is under way, or while a table deals."""

from pathlib import Path

import pytest

from floor_fsm.drawing import commitment_of
from floor_fsm.state.seating import Seating
from tests.floor.directing_support import entry
from tests.floor.tending_support import TendedFloor, run, seat
from tests.floor.test_alone_second_fault import begun, outs, wrong
from tests.floor.test_tending_race_levels import begin_race, card, near_the_third_level
from tests.floor_fsm.support import SECRETS


def moved(number: int, table: str, at: int) -> dict[str, object]:
    return {"ev": "moved", "entry": number, "table": table, "seat": at}


def seats(floor: TendedFloor) -> tuple[list[int], list[int]]:
    """The seats with a player, at T1 and at T2."""
    return floor.tables["T1"].seats, floor.tables["T2"].seats


def require_as_the_tournament_says(floor: TendedFloor) -> None:
    """Who sits at each table is who the tournament has there, and nothing is amiss."""
    tournament = floor.directing.fold("cup").tournament
    assert tournament is not None
    seating = tournament.parts.of(Seating)
    assert seats(floor) == (sorted(seating.at("T1")), sorted(seating.at("T2")))
    for table in floor.tables.values():
        told = {order["event"]["seat"]: order["event"]["entry"] for order in table.obeyed
                if order["event"]["ev"] == "seat.entry"}  # fmt: skip
        assert {at: told[at] for at in table.seats} == dict(seating.at(table.name))
    assert wrong(floor) == []


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("taken", [False, True])
@pytest.mark.parametrize("restarts", [False, True])
def test_who_is_moved_while_a_race_is_dealt_has_what_it_brings(
    tmp_path: Path, number: int, restarts: bool, taken: bool
) -> None:
    """Entry 3 takes no part in it, entry 2 wins it, and entry 1 loses the last chips in it.

    `taken`: another entry has the seat by the end of the race.
    """

    async def work() -> None:
        floor = await near_the_third_level(tmp_path)
        begin_race(floor.tables["T1"])
        await floor.at.say(moved(number, "T2", 3))
        await floor.settle()
        if taken:
            await floor.at.say(seat(7, "T1", number))
            await floor.settle()
        if restarts:
            await floor.restart()
        card(floor.tables["T1"], "As", "race:2")
        await floor.settle()
        assert outs(floor) == [1]
        told = [line.event for line in floor.directing.fold("cup").lines if line.ev == "race.told"]
        assert [event["table"] for event in told] == ["T1"]
        require_as_the_tournament_says(floor)
        floor.close()

    run(work)


@pytest.mark.parametrize(
    "refused",
    [
        {"ev": "seat.in", "seat": 1},
        {"ev": "race.start", "chip": 10_000, "new_chip": 50_000, "odd": {"4": 1}, "last": [4]},
    ],
)
def test_a_race_is_told_though_its_table_refuses_an_event_in_the_midst_of_it(
    tmp_path: Path, refused: dict[str, object]
) -> None:
    """Floor and tournament waited for it for ever, and who had lost the last chips sat on."""

    async def work() -> None:
        floor = await near_the_third_level(tmp_path)
        one = floor.tables["T1"]
        begin_race(one)
        await floor.settle()
        one.play(refused)
        await floor.settle()
        card(one, "As", "race:2")
        await floor.settle()
        assert outs(floor) == [1]
        [told] = [line.event for line in floor.directing.fold("cup").lines if line.ev == "race.told"]
        assert (told["odd"], told["last"]) == ([[1, 2], [2, 3]], [1])
        require_as_the_tournament_says(floor)
        floor.close()

    run(work)


@pytest.mark.parametrize("number", [2, 4])
def test_who_has_just_won_the_hand_is_moved_before_its_end_has_come(tmp_path: Path, number: int) -> None:
    async def work() -> None:
        floor = await begun(tmp_path)
        floor.tables["T1"].hand()
        await floor.at.say(moved(number, "T2", 3))
        await floor.settle()
        assert outs(floor) == [1, 3]
        assert seats(floor) == ([6 - number], [1, 2, 3])
        require_as_the_tournament_says(floor)
        floor.close()

    run(work)


@pytest.mark.parametrize("back", [("T1", 4), ("T1", 3), ("T2", 4)])
@pytest.mark.parametrize("restarts", [False, True])
def test_who_is_moved_twice_in_one_hand_sits_where_the_last_move_says(
    tmp_path: Path, back: tuple[str, int], restarts: bool
) -> None:
    async def work() -> None:
        floor = await begun(tmp_path)
        one = floor.tables["T1"]
        await floor.at.say({"ev": "entry.out", "entry": 3})
        await floor.settle()
        one.folded("act")
        await floor.at.say(moved(4, "T2", 3))
        await floor.settle()
        await floor.at.say(moved(4, *back))
        if restarts:
            await floor.restart()
        await floor.settle()
        one.folded(rest=True)
        await floor.settle()
        require_as_the_tournament_says(floor)
        assert outs(floor) == [3]
        floor.close()

    run(work)


@pytest.mark.parametrize("restarts", [False, True])
def test_a_redraw_that_is_ordered_while_a_move_waits_for_the_hand_is_what_the_tables_come_to(
    tmp_path: Path, restarts: bool
) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        for name in floor.tables:
            await floor.connect(name)
        await floor.at.opened()
        secret = SECRETS[0]
        await floor.at.say(
            {"ev": "draw.committed", "commitment": commitment_of(secret)}, *map(entry, range(1, 7)),
            *(seat(number, "T1", number) for number in range(1, 5)), seat(5, "T2", 1), seat(6, "T2", 2),
        )  # fmt: skip
        await floor.settle()
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "late.closed"}, {"ev": "entry.out", "entry": 3}, {"ev": "entry.out", "entry": 1})
        await floor.settle()
        two.folded("act")
        await floor.at.say(moved(6, "T1", 3))
        await floor.settle()
        await floor.at.say({"ev": "redrawn", "occasion": "final_table", "tables": ["T1"], "secret": secret.hex()})
        await floor.settle()
        if restarts:
            await floor.restart()
            await floor.settle()
        two.folded(rest=True)
        await floor.settle()
        assert two.seats == []
        require_as_the_tournament_says(floor)
        assert outs(floor) == [3, 1]
        assert len(one.seats) == 4
        floor.close()

    run(work)
