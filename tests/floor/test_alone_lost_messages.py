"""Drills: in hand for hand the end of a hand, or a misdeal, is lost on the way, and comes later, twice."""

from pathlib import Path
from typing import Any

import pytest

from feltd.door.commands import StepRefused
from feltd.floor.engine import Batch, Verdict
from feltd.floor.open_rows import read_rows
from feltd.floor.tending import AWAY_AFTER
from feltd.record.rows import JournalRows
from tests.floor.tending_support import TableHere, TendedFloor, first_hand_released, run
from tests.floor.test_alone_second_fault import wrong
from tests.floor.test_tending_alone import final

MISDEAL = {"ev": "supervisor", "decision": "misdeal", "staff": "S7", "reason": "the deck lay on the floor"}


async def released(folder: Path, *, held: bool = True) -> tuple[TendedFloor, TableHere]:
    """Hand 1 of hand for hand: T1's all-in is held, else its first player is to act; nobody has played at T2 yet."""
    floor = TendedFloor(folder, T1=(1, 2, 3, 4))
    await first_hand_released(floor)
    one = floor.tables["T1"]
    if held:
        one.hand("betting.closed")
    else:
        one.folded("act")
    await floor.settle()
    assert stand(floor)["at"] == ("frozen" if held else "plays")
    return floor, one


def stand(floor: TendedFloor) -> dict[str, Any]:
    """Where T1 is in the hand, by the tournament."""
    play: Any = floor.directing.fold("cup").state()["Hands"]["play"]
    found: dict[str, Any] = play["tables"]["T1"]
    return found


def overs(floor: TendedFloor) -> list[tuple[int, list[int]]]:
    """The hands of T1 that the tournament was told, with who went out."""
    lines = floor.directing.fold("cup").lines
    told = [line.event for line in lines if line.ev == "hand.over" and line.event["table"] == "T1"]
    return [(event["hand"], [out["entry"] for out in event.get("out", ())]) for event in told]


def goes(table: TableHere) -> int:
    """How often the table was told to go on."""
    return [order["event"]["ev"] for order in table.obeyed].count("tournament.go")


async def send_again(floor: TendedFloor) -> None:
    """T1 sends all that it has sent once more, as it does where the floor's word for it was lost."""
    seq, bench = floor.at.seq, floor.tables["T1"].bench
    with JournalRows(bench.journal.path) as rows:
        found = rows.stored(0, 10_000, 10**8)
    assert found.before is not None
    batch = Batch("T1", bench.journal.reader.journal_id, 1, found.before, found.chain or b"", found.rows)
    [added] = await floor.engine.append_many([batch])
    assert added.verdict is Verdict.NOT_NEXT
    floor.book.take(batch, read_rows(batch.rows))
    await floor.settle()
    assert floor.at.seq == seq, "what came twice tells nothing new"


async def lose(floor: TendedFloor) -> None:
    """T1 stays away until the tournament is told of it, and no next hand begins meanwhile."""
    await floor.settle()
    floor.time.pass_(AWAY_AFTER + 1)
    await floor.settle()
    assert stand(floor)["away"] is True
    with pytest.raises(StepRefused):
        await floor.at.say({"ev": "hand.released"})


async def back(floor: TendedFloor, *, restarts: bool) -> None:
    """T1 is back, where `restarts` at a floord that has just started, and sends everything twice."""
    if restarts:
        await floor.restart()
    await floor.connect("T1")
    await floor.settle()
    await send_again(floor)


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("restarts", [False, True])
def test_the_end_of_a_hand_that_was_lost_counts_as_of_that_hand_once(
    tmp_path: Path, restarts: bool, other: bool
) -> None:
    """`other`: somebody goes out at T2 in the same hand, too (Onyx, Hand for Hand 4)."""

    async def work() -> None:
        floor, one = await released(tmp_path)
        out = [{"entry": 5, "stack": 1000, "put_in": 1000}] if other else []
        await floor.at.say({"ev": "hand.over", "table": "T2", "hand": 1, "out": out}, {"ev": "all_ins.turned"})
        await floor.settle()
        floor.cut("T1")
        one.hand("betting.closed", rest=True)
        await lose(floor)
        assert overs(floor) == []
        before = final(floor)
        await back(floor, restarts=restarts)
        assert before == {}, "who went out elsewhere in the same hand has no place before T1 has told its end"
        assert overs(floor) == [(1, [1, 3])]
        assert final(floor) == ({3: 6, 1: 4, 5: 4} if other else {3: 6, 1: 5})
        assert (stand(floor)["at"], one.seats) == ("done", [2, 4])
        before_go = goes(one)
        await floor.at.say({"ev": "hand.released"})
        await floor.settle()
        assert (stand(floor)["at"], goes(one)) == ("plays", before_go + 1)
        assert wrong(floor) == []
        floor.close()

    run(work)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("lost", ["nothing", "misdeal", "misdeal and end"])
@pytest.mark.parametrize("restarts", [False, True])
def test_a_misdeal_is_no_end_of_its_hand_which_is_dealt_again(
    tmp_path: Path, restarts: bool, lost: str, held: bool
) -> None:
    """The tournament waited no longer for the new deal: who went out in it was placed as of no hand.

    `held`: the misdeal ends an all-in that waits; the director lets the all-ins be turned before the new deal is over.
    """

    async def work() -> None:
        floor, one = await released(tmp_path, held=held)
        if lost != "nothing":
            floor.cut("T1")
        one.play(MISDEAL)
        await floor.at.say({"ev": "hand.over", "table": "T2", "hand": 1, "out": []})
        if held:
            await floor.at.say({"ev": "all_ins.turned"})
        if lost == "misdeal and end":
            one.folded()
        if lost == "nothing":
            await floor.settle()
            await send_again(floor)
        else:
            await lose(floor)
            await back(floor, restarts=restarts)
        if lost != "misdeal and end":
            assert overs(floor) == []
            with pytest.raises(StepRefused, match="hand 1 is not over at table T1"):
                await floor.at.say({"ev": "hand.released"})
            assert goes(one) == 1, "it has its release already"
            one.folded()
            await floor.settle()
            await send_again(floor)
        assert overs(floor) == [(1, [])]
        assert (stand(floor)["at"], goes(one)) == ("done", 1)
        assert "entry.out" not in [line.ev for line in floor.directing.fold("cup").lines]
        assert one.seats == [1, 2, 3, 4]
        await floor.at.say({"ev": "hand.released"})
        await floor.settle()
        assert (stand(floor)["at"], goes(one)) == ("plays", 2)
        assert wrong(floor) == []
        floor.close()

    run(work)
