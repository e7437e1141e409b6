"""docs/table-events.md is the boundary in words: it has each event, output and prompt with each field, and no other."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NotRequired, get_args, get_origin, get_type_hints

import pytest

from table_fsm import felt
from table_fsm.events import BY_NAME, FIELDS
from table_fsm.outputs import (
    KIND_OF,
    Alarm,
    AlarmState,
    Button,
    Buzzer,
    BuzzerPattern,
    Clock,
    Commission,
    Display,
    Gate,
    Kind,
    Lamp,
    LampName,
    Level,
    LowHalf,
    Penalty,
    Phase,
    Placing,
    Race,
    Refusal,
    Settlement,
    Showdown,
    Value,
)
from table_fsm.prompts.shapes import PromptJson
from table_fsm.prompts.types import PROMPTS
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome
from tests.some_outputs import ruling

PAGE: Final = (Path(__file__).parents[2] / "docs" / "table-events.md").read_text(encoding="utf-8")
WORD: Final = re.compile(r"`([^`]+)`")
FULL: Final[tuple[Value, ...]] = (
    Phase("betting", "flop"),
    ruling(1.0, cards=("As",)).value,
    Alarm("jam", "blue", "shoe", AlarmState.RAISED, 3),
    Lamp(LampName.PLAY, on=True),
    Display("text", "19.4"),
    Buzzer(BuzzerPattern.SHORT),
    Gate(locked=True),
    Commission(1, 2, 1),
    Settlement(1, "flush", 1, 1, 1, 1),
    Showdown(1, (1,), "flush", 1, 1, LowHalf((2,), "8-7-6-5-A", 2)),
    Clock(1, 9.5, 1),
    Race({1: 2}, 100),
    Placing(1, 2, 3, provisional=True),
    Penalty(1, 2),
    Button(1),
    Button(1, dead=True),
    Level(1, (100,), 100, 9.5, 25),
    Refusal("tick", "reason"),
)
"""A value of each type but prompts, with every field that it may have."""


def rows(heading: str) -> Iterator[list[str]]:
    """The cells of each row of the first table behind a heading, without its head."""
    lines = PAGE[PAGE.index(f"\n{heading}\n") :].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| --- |"))
    for line in lines[first + 1 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def named(cell: str) -> list[str]:
    """What stands between backticks, but for what is explained in brackets."""
    return WORD.findall(re.sub(r"\([^()]*\)", "", cell))


def by_name(heading: str) -> Mapping[str, tuple[list[str], str]]:
    """Of each name in the first cells: the fields in the second cell, and the whole row."""
    found: dict[str, tuple[list[str], str]] = {}
    for name, *rest in rows(heading):
        if not name.startswith("**"):
            for one in WORD.findall(name):
                assert one not in found, f"{one} stands there twice"
                found[one] = (named(rest[0]), " ".join(rest))
    return MappingProxyType(found)


EVENTS: Final = by_name("## Events")
OUTPUTS: Final = by_name("# What the state machine answers")


# -- events


def test_the_page_has_every_event_and_no_other() -> None:
    assert set(EVENTS) == set(BY_NAME)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_page_has_every_field_of_an_event_and_no_other(name: str) -> None:
    assert sorted(EVENTS[name][0]) == sorted(set(FIELDS[BY_NAME[name]]) - {"t", "ev"})


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("supervisor", felt.Decision),
        ("badge", felt.StaffRole),
        ("action", felt.PlayerAction),
        ("shoe.fault", felt.FaultKind),
        ("marker.placed", felt.MARKERS),
        ("wager", felt.WAGER_BOXES),
        ("card.exposed", felt.EXPOSERS),
        ("card.left_table", felt.CARRIERS),
    ],
)
def test_an_event_has_the_words_of_its_closed_set(event: str, words: Any) -> None:
    assert {str(word) for word in words} <= set(WORD.findall(EVENTS[event][1]))


# -- outputs


def test_the_page_has_every_kind_of_output_and_no_other() -> None:
    assert set(OUTPUTS) == {kind.value for kind in Kind}


def test_there_is_a_full_value_of_each_type() -> None:
    assert {type(value) for value in FULL} | set(PROMPTS) == set(get_args(Value))
    for value in FULL:
        empty = [field.name for field in fields(value) if getattr(value, field.name) in (None, ())]
        assert set(empty) <= {"supersedes", "also"}, value


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.PROMPT])
def test_the_page_has_every_field_of_an_output_and_no_other(kind: Kind) -> None:
    written = [value.to_json() for value in FULL if KIND_OF[type(value)] is kind]
    assert written
    keys = {key for value in written if isinstance(value, dict) for key in value}
    assert set(OUTPUTS[kind.value][0]) == (keys or set()) | ({"street"} if kind is Kind.PHASE else set())


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("phase", get_args(felt.Phase)),
        ("alarm", AlarmState),
        ("lamp", LampName),
        ("buzzer", BuzzerPattern),
        ("shoe", [Gate(locked=True).to_json(), Gate(locked=False).to_json()]),
    ],
)
def test_an_output_has_the_words_of_its_closed_set(kind: str, words: Any) -> None:
    assert {str(word) for word in words} <= set(WORD.findall(OUTPUTS[kind][1]))


# -- prompts


def shown(annotation: Any) -> str | None:
    """How the page writes a value that is one of a closed set: `"down" / "up"`; None for any other."""
    if get_origin(annotation) is Literal:
        return " / ".join(json.dumps(value) for value in get_args(annotation))
    return None


def described(cell: str) -> dict[str, str]:
    """The keys of a prompt as the page writes it, each with what stands for its value."""
    text = WORD.findall(cell)[0]
    assert text.startswith("{")
    assert text.endswith("}")
    return dict(re.findall(r'"(\w+)": (\{[^{}]*\}|\[[^\[\]]*\]|[^,{}\[\]]+)', text[1:-1]))


def test_the_page_has_every_prompt_with_every_key_and_no_other() -> None:
    told = [(described(prompt), sorted(named(beside))) for prompt, beside, _ in rows("## Prompts")]
    for shape in get_args(PromptJson):
        hints = get_type_hints(shape, include_extras=True)
        optional = sorted(key for key, hint in hints.items() if get_origin(hint) is NotRequired)
        needed = {key: shown(hint) for key, hint in hints.items() if key not in optional}
        fitting = [row for row in told if fits(row, needed, optional)]
        assert len(fitting) == 1, f"{shape.__name__}: {needed}, {optional}"
        told.remove(fitting[0])
    assert told == [], "no type has these"


def fits(row: tuple[dict[str, str], list[str]], needed: Mapping[str, str | None], optional: list[str]) -> bool:
    """Whether a row of the page is this prompt: the same keys, and the same words where they are a closed set's."""
    keys, beside = row
    closed = {key: value for key, value in keys.items() if needed.get(key) is not None}
    open_ = {value for key, value in keys.items() if needed.get(key) is None}
    return (
        list(keys) == list(needed)
        and beside == optional
        and all(needed[key] == value for key, value in closed.items())
        and not any(value.startswith('"') or value == "true" for value in open_)
    )


# -- closed sets


def test_the_page_has_every_irregularity_and_no_other() -> None:
    part = PAGE[PAGE.index("**Irregularities**") :]
    assert sorted(WORD.findall(part[: part.index("\n\n")])) == sorted(Irregularity)


def test_the_page_has_every_outcome_and_no_other() -> None:
    part = PAGE[PAGE.index("\n| outcome | meaning |") :].split("\n| --- | --- |\n")[1]
    outcomes = [
        word for line in part.splitlines() if line.startswith("|") for word in WORD.findall(line.split(" | ")[0])
    ]
    assert sorted(outcomes) == sorted(Outcome)


def test_the_page_has_every_kind_of_alarm_of_its_own() -> None:
    part = PAGE[PAGE.index("- **Alarms** have") :]
    assert {kind.value for kind in felt.AlarmKind} <= set(WORD.findall(part[: part.index("\n- ")]))
