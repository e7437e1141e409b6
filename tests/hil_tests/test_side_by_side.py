"""Suites on machines run two at a time, each once, and end when they are told to."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from hil_tests.side_by_side import (
    BY_HAND,
    EACH_TIME,
    IN_TURN,
    LONGER,
    Lanes,
    Suites,
    files,
    in_order,
    in_turn,
    place_of,
)

FILES = Path(__file__).parents[2] / "hil_tests"
MEETS = """
import sys, time
from pathlib import Path
mine, other = map(Path, sys.argv[1:])
mine.touch()
while not other.exists():
    time.sleep(0.01)
"""


def test_each_file_of_suites_runs_each_time_has_a_turn_or_runs_by_hand() -> None:
    named = [name for suites in (EACH_TIME, *IN_TURN) for suite in suites for name in suite]
    assert len(named) == len(set(named))
    whole = {name.partition(" ")[0] for name in named}
    assert sorted([*whole, *BY_HAND]) == sorted(file.stem.removeprefix("test_") for file in FILES.glob("test_*.py"))


def test_a_file_that_runs_in_parts_has_no_test_that_is_in_none() -> None:
    parts = {name for turn in IN_TURN for suite in turn for name in suite if " " in name}
    assert parts
    marks = {name.partition(" ")[0]: set[str]() for name in parts}
    for name, _, mark in (part.partition(" -m ") for part in parts):
        marks[name].add(mark)
    for name, known in marks.items():
        tests = vars(import_module(f"hil_tests.test_{name}"))
        for test in (value for key, value in tests.items() if key.startswith("test_")):
            assert {mark.name for mark in test.pytestmark} & known, test.__name__


def test_a_part_of_a_file_is_run_by_its_mark_and_keeps_a_name_of_its_own() -> None:
    assert files(("service -m hung",)) == "hil_tests/test_service.py -m hung"
    assert files(("a", "b")) == "hil_tests/test_a.py hil_tests/test_b.py"
    assert [place_of(suite) for suite in (("service -m hung",), ("a", "b"))] == ["hil-service-hung", "hil-a"]


def test_each_suite_has_its_turn_at_some_commits() -> None:
    assert {in_turn(f"{commit:040x}") for commit in range(100, 100 + len(IN_TURN))} == set(IN_TURN)


@pytest.mark.parametrize("turns", [*((turn,) for turn in IN_TURN), IN_TURN])
def test_a_suite_that_is_longer_than_those_of_each_time_begins_before_them(turns: tuple[Suites, ...]) -> None:
    order = in_order(turns)
    assert set(order) == {*EACH_TIME, *(suite for turn in turns for suite in turn)}
    assert len(order) == len(set(order))
    longer = [suite in LONGER for suite in order]
    assert longer == sorted(longer, reverse=True)
    assert [suite for suite in order if suite in EACH_TIME] == list(EACH_TIME)


def test_the_longest_of_all_has_its_turn() -> None:
    assert {suite for turn in IN_TURN for suite in turn} >= set(LONGER) > set()


def test_two_run_at_a_time_and_each_is_shown_at_its_end(tmp_path: Path) -> None:
    """Each of a pair waits for the other one: one after the other they would never end."""
    pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]
    commands = [(one, (sys.executable, "-c", MEETS, str(tmp_path / one), str(tmp_path / two))) for one, two in pairs]
    shown: list[str] = []
    Lanes(commands, shown.append).run(2)
    assert {*shown[:2]} == {"a", "b"}
    assert {*shown[2:]} == {"c", "d"}


def test_told_to_stop_it_ends_what_runs_and_begins_no_other(tmp_path: Path) -> None:
    begun, never = str(tmp_path / "begun"), str(tmp_path / "never")
    hangs = (sys.executable, "-c", MEETS, begun, never)
    commands = [
        ("ends", (sys.executable, "-c", MEETS, str(tmp_path / "ends"), begun)),
        ("hangs", hangs),
        ("late", hangs),
    ]
    shown: list[str] = []

    def show(name: str) -> None:
        shown.append(name)
        if name == "ends":
            lanes.stop()

    lanes = Lanes(commands, show)
    lanes.run(2)
    assert shown == ["ends", "hangs"]
