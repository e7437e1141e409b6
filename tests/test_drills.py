"""Every drill is played: each shows rows of a rulebook, and the table must answer as the drill expects."""

from pathlib import Path

import pytest

from feltd.books.drill import find_drills, run_drill
from tests.table_fsm.streams import books

DRILLS = Path(__file__).parent / "drills"
FOUND = find_drills([DRILLS])


@pytest.mark.parametrize("path", FOUND, ids=[path.relative_to(DRILLS).as_posix() for path in FOUND])
def test_the_table_answers_as_the_drill_expects(path: Path) -> None:
    result = run_drill(path, books())
    assert result.passed, str(result)
    assert all(row.split()[0] in books() for row in result.rows), f"{path}: each row begins with a rulebook's id"
