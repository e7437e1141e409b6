"""What players carry from table to table: tables are told of it, and tell their own; on both sides also when alone."""

from pathlib import Path
from typing import Any

from feltd.floor.table_values import ConductAt
from feltd.floor.wanted import carried_news
from floor_fsm.play.people import Conduct
from floor_fsm.state.floor import People
from tests.floor.tending_support import TableHere, TendedFloor, run, seated
from tests.floor.test_tending_entries import events, facts, told


def conduct(floor: TendedFloor, entry: int) -> Conduct:
    tournament = floor.directing.fold("cup").tournament
    assert tournament is not None
    return tournament.parts.of(People).of(entry)


def left(table: TableHere, seat: int) -> int | None:
    shown: list[dict[str, Any]] = [*table.bench.keeper.table.view()["seats"]]  # type: ignore[list-item]
    found: int | None = next(one["penalty"] for one in shown if one["seat"] == seat)
    return found


async def tended(folder: Path, seats: tuple[int, ...] = ()) -> TendedFloor:
    """Entries 1 to 4 sit at T1, 5 and 6 at T2, and both tables have been told so."""
    floor = TendedFloor(folder, T1=seats)
    await seated(floor)
    await floor.settle()
    return floor


def test_a_penalty_of_the_desk_is_sat_out_at_the_table_and_counted_once(tmp_path: Path) -> None:
    """Onyx, Penalties 3: rounds of the button."""

    async def work() -> None:
        floor = await tended(tmp_path)
        one = floor.tables["T1"]
        assert told(one, "seat.conduct") == [], "nobody carries anything"
        await floor.at.say({"ev": "penalty", "entry": 1, "penalty": "rounds", "number": 1})
        await floor.settle()
        assert told(one, "seat.conduct") == [{"seat": 1, "entry": 1, "order": 1, "left": 1, "imposed": 1}]
        assert left(one, 1) == 1
        await floor.settle()
        assert len(told(one, "seat.conduct")) == 1
        await floor.at.say({"ev": "penalty", "entry": 1, "penalty": "rounds", "number": 2})
        await floor.settle()
        assert (left(one, 1), conduct(floor, 1).rounds_left) == (3, 3)
        assert events(floor, "penalty.left") == [], "the table has it as the tournament has it"
        floor.close()

    run(work)


def test_a_penalty_of_the_table_is_told_to_the_tournament_and_goes_along_with_a_move(tmp_path: Path) -> None:
    """Imposed by hand at the table; the other table has it before its next hand, the first one no more."""

    async def work() -> None:
        floor = await tended(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        one.play({"ev": "penalty", "seat": 1, "orbits": 2})
        await floor.settle()
        assert conduct(floor, 1).rounds_left == 2
        assert told(one, "seat.conduct") == [], "it knows its own"
        await floor.at.say({"ev": "moved", "entry": 1, "table": "T2", "seat": 3})
        await floor.settle()
        assert (left(two, 3), conduct(floor, 1).rounds_left) == (2, 2)
        await floor.at.say({"ev": "penalty.left", "entry": 1, "left": 0, "rounds": True})
        await floor.settle()
        assert left(two, 3) is None, "the director took it off"
        assert conduct(floor, 1).rounds_left == 0
        floor.close()

    run(work)


def test_what_the_table_counts_down_is_told_until_the_player_is_back(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await tended(tmp_path, (1, 2, 3, 4))
        one = floor.tables["T1"]
        await floor.at.say({"ev": "penalty", "entry": 3, "penalty": "rounds", "number": 2})
        await floor.settle()
        known = [conduct(floor, 3).rounds_left]
        for _ in range(20):
            one.folded()
            await floor.settle()
            assert conduct(floor, 3).rounds_left == (left(one, 3) or 0)
            known.append(conduct(floor, 3).rounds_left)
            if not known[-1]:
                break
        assert sorted(set(known), reverse=True) == [2, 1, 0]
        assert len(events(floor, "penalty.left")) == 2, "each once"
        assert not conduct(floor, 3).absent
        assert len(told(one, "seat.conduct")) == 1
        floor.close()

    run(work)


def test_absence_is_told_both_ways_and_goes_along(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await tended(tmp_path)
        one, two = floor.tables["T1"], floor.tables["T2"]
        one.play({"ev": "seat.away", "seat": 2})
        await floor.settle()
        assert conduct(floor, 2).absent
        assert len(events(floor, "absence")) == 1
        await floor.at.say({"ev": "moved", "entry": 2, "table": "T2", "seat": 3})
        await floor.settle()
        assert told(two, "seat.conduct") == [
            {"seat": 3, "entry": 2, "order": 1, "left": 0, "imposed": 0, "absent": True}
        ]
        two.play({"ev": "seat.back", "seat": 3})
        await floor.settle()
        assert not conduct(floor, 2).absent
        await floor.at.say({"ev": "absence", "entry": 2, "absent": True})
        await floor.settle()
        assert told(two, "seat.conduct")[-1]["absent"] is True
        assert conduct(floor, 2).absent, "what the desk decided is not taken back by what the table knew before"
        floor.close()

    run(work)


def test_time_banks_of_a_desk_reach_the_table_and_the_next_one(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await tended(tmp_path)
        await floor.at.say({"ev": "time_banks", "entry": 5, "number": 1})
        await floor.settle()
        two, one = floor.tables["T2"], floor.tables["T1"]
        assert told(two, "seat.conduct")[-1]["banks"] == 1
        await floor.at.say({"ev": "entry.out", "entry": 1}, {"ev": "moved", "entry": 5, "table": "T1", "seat": 1})
        await floor.settle()
        assert told(one, "seat.conduct")[-1]["banks"] == 1
        assert conduct(floor, 5).time_banks == 1
        floor.close()

    run(work)


def test_a_table_that_was_away_takes_the_penalty_over_and_what_it_counted_alone_is_told(tmp_path: Path) -> None:
    """On both sides: the desk imposes one while the table is away, and the table imposes one of its own."""

    async def work() -> None:
        floor = await tended(tmp_path)
        one = floor.tables["T1"]
        floor.cut("T1")
        await floor.at.say({"ev": "penalty", "entry": 1, "penalty": "rounds", "number": 1})
        one.play({"ev": "penalty", "seat": 1, "orbits": 2}, {"ev": "seat.away", "seat": 4})
        await floor.settle()
        assert (left(one, 1), conduct(floor, 1).rounds_left) == (2, 1)
        await floor.connect("T1")
        await floor.settle()
        assert (left(one, 1), conduct(floor, 1).rounds_left) == (3, 3), "each counts, once"
        assert conduct(floor, 4).absent
        told_before = len(one.obeyed)
        await floor.restart()
        await floor.settle()
        assert len(one.obeyed) == told_before, "a floor that starts anew tells nothing twice"
        assert (left(one, 1), conduct(floor, 1).rounds_left) == (3, 3)
        floor.close()

    run(work)


def test_what_is_carried_waits_until_the_last_hand_at_the_old_table_is_over(tmp_path: Path) -> None:
    """The player is moved in the midst of a hand: what the old table counts on goes along."""

    async def work() -> None:
        floor = await tended(tmp_path, (1, 2, 3, 4))
        one, two = floor.tables["T1"], floor.tables["T2"]
        await floor.at.say({"ev": "penalty", "entry": 1, "penalty": "rounds", "number": 2})
        await floor.settle()
        one.hand("card.placed")
        await floor.settle()
        assert facts(floor, "T1").in_round
        await floor.at.say({"ev": "moved", "entry": 1, "table": "T2", "seat": 3})
        await floor.settle()
        assert 3 in two.seats
        assert told(two, "seat.conduct") == [], "it still plays the hand at the other table"
        one.play({"ev": "penalty", "seat": 1, "orbits": 1})
        await floor.settle()
        floor.cut("T1")
        await floor.settle()
        assert told(two, "seat.conduct")[-1]["left"] == 3, "a table that is away holds nobody up"
        assert left(two, 3) == 3
        floor.close()

    run(work)


async def sits_out_a_hand(floor: TendedFloor) -> None:
    """Entry 1 has two rounds to sit out, and T1 plays the hand behind which one of them is over."""
    one = floor.tables["T1"]
    await floor.at.say({"ev": "penalty", "entry": 1, "penalty": "rounds", "number": 2})
    await floor.settle()
    for _ in range(3):
        one.folded()
        await floor.settle()
    assert conduct(floor, 1).rounds_left == 2
    one.folded("act")
    await floor.settle()


def test_who_moved_in_the_midst_of_a_hand_from_a_table_that_is_away_sits_it_out_once(tmp_path: Path) -> None:
    """The old table counts the hand while it is away, and others after it at which the player is not."""

    async def work() -> None:
        floor = await tended(tmp_path, (1, 2, 3, 4))
        one, two = floor.tables["T1"], floor.tables["T2"]
        await sits_out_a_hand(floor)
        floor.cut("T1")
        await floor.at.say({"ev": "moved", "entry": 1, "table": "T2", "seat": 3})
        await floor.settle()
        assert left(two, 3) == 2, "nobody knows what the old table counts"
        one.folded(rest=True)
        assert left(one, 1) == 1
        for _ in range(4):
            one.folded()
        assert left(one, 1) is None, "the empty chair has sat out the other one too"
        await floor.connect("T1")
        await floor.settle()
        assert (left(two, 3), conduct(floor, 1).rounds_left) == (1, 1)
        assert 1 not in one.seats
        assert len(events(floor, "penalty.left")) == 1
        before = len(two.obeyed)
        await floor.restart()
        await floor.settle()
        assert (left(two, 3), conduct(floor, 1).rounds_left, len(two.obeyed)) == (1, 1, before)
        floor.close()

    run(work)


def test_a_hand_at_the_new_table_before_it_was_told_of_a_penalty_changes_nothing(tmp_path: Path) -> None:
    """It waits for the old table, and its own snapshot has no penalty: that says nothing of what is left."""

    async def work() -> None:
        floor = await tended(tmp_path, (1, 2, 3, 4))
        one, two = floor.tables["T1"], floor.tables["T2"]
        await sits_out_a_hand(floor)
        one.folded(rest=True)
        one.folded("act")
        await floor.settle()
        assert conduct(floor, 1).rounds_left == 1
        await floor.at.say({"ev": "moved", "entry": 1, "table": "T2", "seat": 3})
        await floor.settle()
        assert 3 in two.seats
        two.folded()
        await floor.settle()
        assert (conduct(floor, 1).rounds_left, conduct(floor, 1).imposed) == (1, 2)
        assert len(events(floor, "penalty.left")) == 1, "that of the first table"
        one.folded(rest=True)
        await floor.settle()
        assert (left(two, 3), conduct(floor, 1).rounds_left) == (1, 1)
        floor.close()

    run(work)


def test_two_floords_tell_the_same_and_it_counts_once(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await tended(tmp_path)
        one, beside = floor.tables["T1"], floor.beside()
        one.play({"ev": "penalty", "seat": 1, "orbits": 2})
        await floor.up()
        await beside.look()
        await floor.settle()
        await beside.look()
        assert conduct(floor, 1).rounds_left == 2
        assert left(one, 1) == 2
        floor.close()

    run(work)


def test_the_banks_that_a_player_has_used_are_read_from_the_tables_own_snapshot(tmp_path: Path) -> None:
    """The Star 7.46: what is left of them is told to the tournament, and goes along."""

    async def work() -> None:
        floor = await tended(tmp_path, (1, 2, 3, 4))
        one = floor.tables["T1"]
        await floor.at.say({"ev": "time_banks", "entry": 3, "number": 3})
        await floor.settle()
        one.folded()
        await floor.settle()
        known = facts(floor, "T1").conducts
        assert known["3"] == ConductAt(order=1, banks=3)
        assert known["2"] == ConductAt(), "who has used none has all of them"
        tournament = floor.directing.fold("cup").tournament
        assert tournament is not None
        assert list(carried_news(tournament.parts, "T1", facts(floor, "T1"), lambda _: False)) == []
        facts(floor, "T1").conducts = {**known, "3": ConductAt(order=1, banks=2)}  # as after a bank that was used
        await floor.tending.look()
        assert conduct(floor, 3).time_banks == 2
        assert len(events(floor, "time_banks")) == 2
        assert len(told(one, "seat.conduct")) == 1, "the table knows it"
        floor.close()

    run(work)
