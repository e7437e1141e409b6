"""Prompts as types and as JSON: one is read back from the other."""

import json
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from table_fsm.prompts.reading import prompt_from_dict
from table_fsm.prompts.shapes import PromptJson
from table_fsm.prompts.types import (
    PROMPTS,
    Act,
    Ante,
    Close,
    Cut,
    Deal,
    DealMixed,
    Decide,
    Prompt,
    ReturnBet,
    Turn,
    Wait,
    WaitReason,
    act,
    deal,
    decide,
    turn,
)
from tests.table_fsm.some_prompts import of_type

SHAPE: Final[TypeAdapter[PromptJson]] = TypeAdapter(PromptJson)


@pytest.mark.parametrize("kind", PROMPTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_a_prompt_is_read_back_from_its_json_and_has_its_shape(kind: type[Prompt], data: st.DataObject) -> None:
    prompt = data.draw(of_type(kind))
    written = json.loads(json.dumps(prompt.to_json()))
    assert prompt_from_dict(written) == prompt
    assert SHAPE.validate_python(written, strict=True, extra="forbid") == written


def test_there_is_a_shape_for_each_type() -> None:
    assert [shape.__name__ for shape in get_args(PromptJson)] == [f"{kind.__name__}Json" for kind in PROMPTS]


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        (Act(3, None), '{"act": 3, "owes": null}'),
        (Act(3, 0, check=False), '{"act": 3, "owes": 0, "check": false}'),
        (
            Act(3, 0, check=False, check_beats=(1,), return_bet=ReturnBet(2, 500)),
            '{"act": 3, "owes": 0, "check": false, "check_beats": [1], "return_bet": {"2": 500}}',
        ),
        (Close(), '{"close": "betting"}'),
        (Close(ReturnBet(2, None)), '{"close": "betting", "return_bet": {"2": null}}'),
        (Cut(), '{"cut": true}'),
        (Cut("seat:4"), '{"cut": true, "by": "seat:4"}'),
        (Deal("seat:4", "down"), '{"deal": "seat:4", "face": "down"}'),
        (DealMixed(), '{"deal": "board", "face": "up"}'),
        (Ante({10: 500, 2: None}), '{"ante": {"10": 500, "2": null}}'),
        (Wait(WaitReason.GO), '{"wait": "go"}'),
    ],
)
def test_keys_come_in_their_order_and_only_where_they_say_something(prompt: Prompt, line: str) -> None:
    assert json.dumps(prompt.to_json()) == line


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"dance": 3},
        {"deal": "seat:1"},
        {"deal": "seat:1", "face": "sideways"},
        {"deal": "board", "face": "down"},
        {"burn": "one"},
        {"burn": 1, "face": "up"},
        {"turn": [3]},
        {"turn": "dealer"},
        {"cut": False},
        {"cut": True, "by": None},
        {"act": 3},
        {"act": 3, "owes": 0, "check": True},
        {"act": 3, "owes": 0, "return_bet": {"2": 5, "3": 5}},
        {"close": "the bar"},
        {"post": {"two": 100}},
        {"post": {"2": "100"}},
        {"show": [1, "2"]},
        {"show": 1},
        {"open": "any_card"},
        {"wait": "godot"},
        {"move": "buck", "to": 3},
    ],
)
def test_what_is_no_prompt_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"this is no prompt|invalid literal"):
        prompt_from_dict(data)


def test_a_prompt_that_is_asked_for_again_is_the_same_object() -> None:
    assert deal("seat:4", "down") is deal("seat:4", "down") == Deal("seat:4", "down")
    assert act(3, 0, True, (), None) is act(3, 0, True, (), None) == Act(3, 0)
    assert decide((1, 2)) is decide((1, 2)) == Decide((1, 2))
    assert turn(("dealer",)) is turn(("dealer",)) == Turn(("dealer",))
