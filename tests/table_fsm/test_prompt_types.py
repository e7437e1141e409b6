"""Prompts as types and as JSON: one is read back from the other."""

import json
from dataclasses import fields
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from table_fsm.felt import SEATS, ZONES
from table_fsm.prompts.reading import prompt_from_dict
from table_fsm.prompts.shapes import PromptJson
from table_fsm.prompts.types import PROMPTS, Act, Ante, Close, Cut, Deal, DealMixed, Prompt, ReturnBet, Wait, WaitReason

seats = st.sampled_from(SEATS)
zones = st.sampled_from(sorted(ZONES))
cents = st.none() | st.integers(0, 10**9)
amounts = st.dictionaries(seats, cents, max_size=3)
SHAPE: Final[TypeAdapter[PromptJson]] = TypeAdapter(PromptJson)
FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "seat": seats,
    "seats": st.lists(seats, max_size=3).map(tuple),
    "check_beats": st.lists(seats, max_size=3).map(tuple),
    "zone": zones,
    "zones": st.lists(zones, max_size=4).map(tuple),
    "by": st.none() | zones,
    "deck": st.none() | st.sampled_from(["blue", "red"]),
    "face": st.sampled_from(["down", "up"]),
    "cards": st.sampled_from(["low_card", "high_card", "high_hand"]),
    "count": st.integers(1, 10),
    "owes": cents,
    "check": st.booleans(),
    "amounts": amounts,
    "return_bet": st.none() | st.builds(ReturnBet, seats, cents),
    "reason": st.sampled_from(WaitReason),
}
"""What a field of that name may be, in every prompt that has one."""


def of_type(kind: type[Prompt]) -> st.SearchStrategy[Prompt]:
    """Every prompt of a type that the table could give."""
    return st.builds(kind, **{field.name: FIELDS[field.name] for field in fields(kind)})


@pytest.mark.parametrize("kind", PROMPTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_a_prompt_is_read_back_from_its_json_and_has_its_shape(kind: type[Prompt], data: st.DataObject) -> None:
    prompt = data.draw(of_type(kind))
    written = json.loads(json.dumps(prompt.to_json()))
    assert prompt_from_dict(written) == prompt
    assert SHAPE.validate_python(written) == written


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
