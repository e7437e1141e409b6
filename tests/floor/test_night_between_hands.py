"""Stacks are sealed, and the night begins, between hands alone."""

from pathlib import Path
from typing import Any

import pytest

from feltd.door.commands import StepRefused
from feltd.door.pit.directing import TournamentPhase
from floor_fsm.errors import Reason
from tests.floor.tending_support import TendedFloor, run, seated


def bag(entry: int) -> dict[str, Any]:
    counts = {"first": "A", "first_chips": 30_000, "second": "B", "second_chips": 30_000}
    return {"ev": "stack.bagged", "entry": entry, **counts}


def test_a_stack_is_not_sealed_at_a_table_that_plays_a_hand_and_the_night_waits_for_all(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.settle()
        await floor.at.say(*(bag(entry) for entry in range(1, 7)))
        floor.tables["T1"].folded("act")
        await floor.settle()
        for step in (bag(1), {"ev": "suspended"}):
            with pytest.raises(StepRefused, match="a hand is under way at table T1: wait for its end") as refused:
                await floor.at.say(step)
            assert (refused.value.reason, refused.value.clause) == (Reason.TABLES_PLAY, "Table Redraws 2")
        await floor.at.say(bag(5))

        floor.tables["T1"].folded(rest=True)
        await floor.settle()
        await floor.at.say(*(bag(entry) for entry in range(1, 7)), {"ev": "suspended"})
        assert floor.directing.fold("cup").phase() is TournamentPhase.SUSPENDED
        floor.close()

    run(work)


def test_the_night_does_not_wait_for_a_table_that_cannot_be_reached(tmp_path: Path) -> None:
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        await floor.settle()
        floor.tables["T1"].folded("act")
        await floor.settle()
        floor.cut("T1")
        await floor.at.say(*(bag(entry) for entry in range(1, 7)), {"ev": "suspended"})
        assert floor.directing.fold("cup").phase() is TournamentPhase.SUSPENDED
        floor.close()

    run(work)
