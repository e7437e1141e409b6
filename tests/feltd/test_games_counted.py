"""A table brings one game into play in each number of a round: a record that has two there is no table's."""

import json
from pathlib import Path

import pytest

from feltd.record.entries import Row
from feltd.record.games import Games
from table_fsm.events import parse_event
from table_fsm.table import Table
from tests.feltd.table_support import BOOKS
from tests.identity.drills import Drill, read_drills

EVERY = read_drills(Path(__file__).parents[1] / "drills")


def row_of(kind: str, name: str, number: int, body: str) -> Row:
    return Row(1, kind, name, None, 0.0, 0.0, number, None, None, None, None, None, body, None, None)


def games_fit(drill: Drill) -> bool:
    """Play a drill as a table's keeper writes it."""
    table, games, number = Table(BOOKS), Games(), 0
    for raw in drill.events:
        outputs = table.apply(parse_event(json.dumps(raw)))
        begins = [row_of("host", "round.begin", table.round_number, "{}")] if table.round_number != number else []
        number = table.round_number
        rows = [row_of("output", one.kind.value, number, json.dumps(one.to_dict())) for one in outputs]
        if not all(games.fit(row) for row in (*begins, *rows)):
            return False
    return True


@pytest.mark.parametrize("part", range(4))
def test_of_a_sample_no_drill_has_two_games_in_one_number(part: int) -> None:
    assert [drill.name for drill in EVERY[part * 5 :: 20] if not games_fit(drill)] == []


def test_a_second_game_in_a_number_does_not_fit() -> None:
    games = Games()
    said = [
        games.fit(row_of("output", "phase", 1, json.dumps({"phase": one}))) for one in ("waiting", "dealing", "void")
    ]
    assert said == [True] * 3
    assert not games.fit(row_of("output", "phase", 1, '{"phase": "dealing"}'))
