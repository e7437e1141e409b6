"""The table of alarms: every alarm that the product can raise has its row, and docs/alarms.md is that table."""

import ast
from pathlib import Path
from typing import Any

import pytest

import table_fsm
from feltd.text.alarms import ALARMS, Condition, Group, Priority, alarms_page, row_of
from feltd.text.stops import STOPS_TOLD
from table_fsm.felt import ZONE_TROUBLES, AlarmKind, FaultKind
from table_fsm.rulebook.irregularities import Irregularity
from tests.alarms_page import PAGE

EVERY = [*AlarmKind, *FaultKind, *Condition]
KINDS = {"AlarmKind", "ZONE_TROUBLES[trouble]", "event.kind", "irregularity.value"}
"""How the state machine may name the kind of an alarm: the closed sets of `EVERY`, and the irregularities."""


def test_every_kind_has_its_row_and_no_row_is_of_no_kind() -> None:
    assert set(ALARMS) == set(EVERY)
    assert len({str(kind) for kind in EVERY}) == len(EVERY), "a kind's name says which row is meant"
    assert {str(kind) for kind in EVERY}.isdisjoint(map(str, Irregularity))


def raised() -> list[str]:
    """The kind in each `raise_alarm` in the state machine, as it is written: the argument behind the core."""
    files = Path(table_fsm.__file__).parent.rglob("*.py")
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return [ast.unparse(call.args[1]) for call in calls if ast.unparse(call.func).endswith(".raise_alarm")]


def test_the_state_machine_raises_no_alarm_outside_the_closed_sets() -> None:
    kinds = raised()
    assert {kind.partition(".")[0] if kind.startswith("AlarmKind.") else kind for kind in kinds} == KINDS
    named = {kind.removeprefix("AlarmKind.") for kind in kinds if kind.startswith("AlarmKind.")}
    assert named == {kind.name for kind in AlarmKind} - {kind.name for kind in ZONE_TROUBLES.values()}


@pytest.mark.parametrize("kind", Irregularity)
def test_a_rulings_alarm_is_a_ruling_that_waits(kind: Irregularity) -> None:
    assert row_of(kind.value) is ALARMS[Condition.RULING_WAITS]


@pytest.mark.parametrize("kind", EVERY)
def test_a_row_says_all_that_a_person_needs(kind: Any) -> None:
    row = row_of(str(kind))
    assert row is ALARMS[kind]
    for words in (row.cause, row.consequence, row.action):
        assert words[0].isupper()
        assert words.endswith(".")
    assert row.many.count("{}") <= 1
    assert (row.many == "") or row.many.startswith("{} ")
    if row.stops:
        assert row.priority is Priority.HIGH


def test_what_stops_play_on_the_band_stops_play_in_the_table() -> None:
    assert all(ALARMS[kind].stops for kind in STOPS_TOLD)
    assert {row.group for row in ALARMS.values()} == set(Group)
    assert {row.priority for row in ALARMS.values()} == set(Priority)


def test_the_page_of_the_documentation_is_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == alarms_page(), "python -m tests.alarms_page writes it anew"
