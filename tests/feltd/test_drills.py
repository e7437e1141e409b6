"""Every drill of this project, played: each row that a drill shows is answered as its drill expects."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from feltd.drill import run_drill
from feltd.shipped_files import rulebook_sources
from table_fsm.rulebook import Rulebook, load_rulebooks

FOLDER = Path(__file__).parents[1] / "drills"
DRILLS = sorted(FOLDER.rglob("*.jsonl"))


@pytest.fixture(scope="module")
def books() -> Mapping[str, Rulebook]:
    return load_rulebooks(rulebook_sources())


@pytest.mark.parametrize("path", DRILLS, ids=[path.relative_to(FOLDER).with_suffix("").as_posix() for path in DRILLS])
def test_drill(path: Path, books: Mapping[str, Rulebook]) -> None:
    result = run_drill(path, books)
    assert result.passed, f"\n{result}"
    assert all(row.split()[0] in books for row in result.rows), f"{path}: each row begins with a rulebook's id"
