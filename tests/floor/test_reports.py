"""What a table tells that cannot be: the rest is taken, and a person is told until somebody has looked at it."""

from pathlib import Path
from typing import Any

import pytest

from feltd.books.shipped import tournament_sources
from feltd.custody.errors import FloorAwayError
from feltd.door.commands import StepNotKnownError
from feltd.floor.directing import Directing
from feltd.floor.own_record import OwnRecord
from feltd.floor.refusals_kept import RefusalsKept
from feltd.floor.streams import MemoryStreams, StreamAnswer, TableEntry
from feltd.floor.table_values import HandEnded, WentOutAt
from feltd.floor.tending import Tending
from feltd.floor.told_hands import has_told, of_seat, went_out
from floor_fsm.core.event import CHIPS_MOST
from floor_fsm.state.hands import Places
from floor_fsm.state.reports import Reports
from floor_fsm.state.seating import Seating
from tests.floor.directing_support import At
from tests.floor.tending_support import TendedFloor, run, seat, seated
from tests.floor.test_refusals_kept import on_record

LOOK = "look at it, then settle it at the desk: "
UNCLAIMED = "is out, and no entry of the tournament has that seat"
WRONG = "entry 1 put 3500 chips in, and had 100: count again"


class LosesTheHand(MemoryStreams):
    """A database that keeps a hand, and whose answer is lost."""

    lost = False

    async def add(self, tournament: str, expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
        """See `Streams`."""
        answer = await super().add(tournament, expected, line, cause)
        if '"hand.over"' in line and not self.lost:
            self.lost = True
            raise FloorAwayError("the connection has ended", "database", "Ask again")
        return answer


async def recording(folder: Path, streams: MemoryStreams | None = None) -> TendedFloor:
    """Players at two tables of a tournament whose refusals are on the floor's record. `streams`: its database."""
    floor = TendedFloor(folder, T1=(1, 2, 3, 4))
    if streams is not None:
        floor.engine.tournaments = streams
    own = OwnRecord(floor.engine, lambda: floor.time.wall)
    floor.directing = Directing(
        floor.engine.tournaments, tournament_sources(), lambda: floor.time.wall, refusals=RefusalsKept(own)
    )
    floor.tending = Tending(floor.directing, floor.desk, floor.book, lambda: floor.time.wall)
    floor.at = At(floor.directing)
    await seated(floor)
    return floor


def test_a_stack_that_is_refused_alone_is_on_record_where_the_answer_was_lost(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await recording(tmp_path, LosesTheHand())
        await floor.settle()
        one, fold = floor.tables["T1"], floor.directing.fold("cup")
        one.hand("betting.closed")
        one.play({"ev": "stack", "seat": 1, "cents": 100})
        one.hand("betting.closed", rest=True)
        with pytest.raises(StepNotKnownError):
            await floor.settle()
        assert [line for line in fold.lines if line.ev == "hand.over"] == []
        await floor.settle()
        assert len([line for line in fold.lines if line.ev == "hand.over"]) == 1
        [note] = await on_record(floor.engine, tmp_path)
        assert (note["step"], note["entry"], note["reason"]) == ("hand.over", 1, "does_not_add_up")
        floor.close()

    run(work)


def test_one_stack_that_cannot_be_costs_a_hand_nothing_else(tmp_path: Path) -> None:
    """The whole hand was refused: who was out played on in the tournament's list, and hand for hand waited."""

    async def work() -> None:
        floor = await recording(tmp_path)
        await floor.at.say({"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"})
        await floor.settle()
        one, two, fold = floor.tables["T1"], floor.tables["T2"], floor.directing.fold("cup")
        one.hand("betting.closed")
        one.play({"ev": "stack", "seat": 1, "cents": 100})
        two.folded()
        await floor.settle()
        await floor.at.say({"ev": "all_ins.turned"})
        await floor.settle()
        one.hand("betting.closed", rest=True)
        await floor.settle()
        assert fold.tournament is not None
        parts = fold.tournament.parts
        assert sorted(parts.of(Seating).places) == [2, 4, 5, 6], "both who lost their last chips are out"
        ladder = parts.of(Places).ladder
        assert ladder is not None
        assert ladder.awaited == (), "the hand is told"
        [order] = ladder.undecided
        over = next(line for line in fold.lines if line.ev == "hand.over" and line.event["table"] == "T1")
        told = [one for one in over.outputs if one["kind"] in ("doubtful", "to_decide")]
        clause = "Hand for Hand 4, 5"
        assert [one["kind"] for one in told] == ["to_decide", "doubtful"]
        assert (told[1]["entry"], told[1]["words"], told[1]["clause"]) == (1, WRONG, clause)
        [note] = await on_record(floor.engine, tmp_path)
        assert {name: note[name] for name in ("step", "table", "entry", "number", "reason", "clause")} == {
            "step": "hand.over", "table": "T1", "entry": 1, "number": 1, "reason": "does_not_add_up", "clause": clause,
        }  # fmt: skip
        assert "entry_of_table" in note
        assert floor.tending.tables(fold)[0].wrong == (LOOK + WRONG,)
        await floor.at.say({"ev": "place.decided", "order": order, "groups": [[1], [3]]})
        await floor.at.say({"ev": "report.settled", "number": 1})
        await floor.settle()
        assert floor.tending.tables(fold)[0].wrong == ()
        floor.close()

    run(work)


def test_a_bust_at_a_seat_that_no_entry_has_stays_until_somebody_settles_it(tmp_path: Path) -> None:
    """Its note was gone with the next hand, and with each restart of floord."""

    async def work() -> None:
        floor = TendedFloor(tmp_path, T1=(1, 2, 3, 4))
        one = floor.tables["T1"]
        one.hand("shoe.card")  # with two who are not of the tournament
        await floor.connect("T1")
        await floor.at.opened(entries=4)
        await floor.at.say(seat(2, "T1", 2), seat(4, "T1", 4))
        await floor.settle()
        one.hand("shoe.card", rest=True)
        await floor.settle()
        wrong = tuple(f"{LOOK}seat {seat} {UNCLAIMED}" for seat in (1, 3))
        fold = floor.directing.fold("cup")
        assert floor.tending.tables(fold)[0].wrong == wrong
        one.folded()
        await floor.settle()
        await floor.restart()
        await floor.settle()
        fold = floor.directing.fold("cup")
        assert floor.tending.tables(fold)[0].wrong == wrong
        assert [line.ev for line in fold.lines].count("seat.unclaimed") == 2, "each is told once"
        await floor.at.say({"ev": "report.settled", "number": 1})
        await floor.settle()
        assert floor.tending.tables(fold)[0].wrong == wrong[1:]
        assert fold.tournament is not None
        assert [one.seat for one in fold.tournament.parts.of(Reports).open] == [3]
        floor.close()

    run(work)


def test_an_amount_that_no_event_can_have_is_not_known(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        fold = floor.directing.fold("cup")
        assert went_out(fold, 1, WentOutAt(1, CHIPS_MOST + 1, -1)) == {"entry": 1}
        assert went_out(fold, 1, WentOutAt(1, CHIPS_MOST, 5)) == {"entry": 1, "stack": CHIPS_MOST, "put_in": 5}
        floor.close()

    run(work)


def test_what_was_not_taken_is_on_record_where_the_event_stood_there_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever had added it ended before it was put on record."""

    async def work() -> None:
        floor = TendedFloor(tmp_path)
        own = OwnRecord(floor.engine, lambda: floor.time.wall)
        streams = floor.engine.tournaments
        floor.directing = Directing(streams, tournament_sources(), lambda: floor.time.wall, refusals=RefusalsKept(own))
        floor.at = At(floor.directing)
        await seated(floor)
        add = MemoryStreams.add

        async def twice(of: MemoryStreams, *values: Any) -> StreamAnswer:
            await add(of, *values)
            return await add(of, *values)

        monkeypatch.setattr(MemoryStreams, "add", twice)
        assert await floor.directing.tell("cup", {"ev": "seat.unclaimed", "table": "T1", "seat": 9}, None)
        [note] = await on_record(floor.engine, tmp_path)
        assert (note["step"], note["reason"]) == ("seat.unclaimed", "not_seated")
        floor.close()

    run(work)


def test_a_tile_shows_the_last_few_of_a_table_and_how_many_more_there_are(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        for at in range(1, 6):
            await floor.directing.tell("cup", {"ev": "seat.unclaimed", "table": "T1", "seat": at}, None)
        one, two = floor.tending.tables(floor.directing.fold("cup"))[:2]
        assert one.wrong == (
            *(f"{LOOK}seat {at} {UNCLAIMED}" for at in (3, 4, 5)),
            "and 2 more of what this table told that cannot be",
        )
        assert two.wrong == ()
        floor.close()

    run(work)


def test_each_seat_that_is_out_has_an_entry_of_its_hand_as_its_cause(tmp_path: Path) -> None:
    """The causes reached 33 entries back: into the hand before, or in front of the record, where none can be."""

    async def work() -> None:
        journal, out = b"j" * 16, tuple(WentOutAt(seat) for seat in (9, 3, 11))
        hand = HandEnded(100, 140, 0.0, out=out)
        assert [of_seat(journal, hand, one).seq for one in out] == [137, 136, 135]
        floor = TendedFloor(tmp_path)
        await seated(floor)
        fold = floor.directing.fold("cup")
        assert not has_told(fold, journal, hand)
        cause = of_seat(journal, hand, out[2])
        await floor.directing.tell("cup", {"ev": "seat.unclaimed", "table": "T1", "seat": 11}, cause)
        assert has_told(fold, journal, hand)
        strange = HandEnded(1, 5, floor.time.wall, out=out)
        assert [of_seat(journal, strange, one).seq for one in out] == [2, 2, 2], "no table plays such a hand"
        assert not has_told(fold, b"k" * 16, strange)
        floor.close()

    run(work)
