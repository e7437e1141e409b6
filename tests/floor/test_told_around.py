"""Who was moved in their last hand is told in front of those who stayed, or behind them, by what each had."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from feltd.floor.table_values import WentOutAt
from feltd.floor.told_hands import told_around
from floor_fsm.law.matters import Measure
from tests.floor.tending_support import TendedFloor, run, seated


@pytest.mark.parametrize(
    ("moved", "stayed", "before", "behind"),
    [
        ({1: 300}, {2: 200}, [], [1]),
        ({1: 201}, {2: 200}, [], [1]),
        ({1: 200}, {2: 200}, [1], []),  # they would share, and told alone they cannot: see CONTRIBUTING
        ({1: 199}, {2: 200}, [1], []),
        ({1: 300, 3: 100, 4: 500}, {2: 200}, [3], [1, 4]),
        ({1: 250}, {2: 200, 3: 300}, [1], []),  # between them
        ({1: 300, 2: 200}, {}, [2, 1], []),
        ({1: None, 3: 900}, {2: 200}, [1, 3], []),
        ({1: 300}, {2: 200, 3: None}, [1], []),
        ({1: 300}, {}, [1], []),
        ({}, {2: 200}, [], []),
    ],
)
def test_whoever_had_more_than_all_who_stayed_is_told_behind_them(
    tmp_path: Path, moved: Mapping[int, int | None], stayed: Mapping[int, int | None], before: list[int],
    behind: list[int],
) -> None:  # fmt: skip
    async def work() -> None:
        floor = TendedFloor(tmp_path)
        await seated(floor)
        fold = floor.directing.fold("cup")
        out = [(entry, WentOutAt(entry, amount, 5)) for entry, amount in moved.items()]
        told = [{"entry": entry} | ({} if amount is None else {"stack": amount}) for entry, amount in stayed.items()]
        first, last = told_around(fold, out, told)
        assert ([entry for entry, _ in first], [entry for entry, _ in last]) == (before, behind)
        assert fold.tournament is not None
        book = fold.tournament.parts.law.book
        assert book.places is not None
        assert book.places.measure is Measure.STACK
        floor.close()

    run(work)
