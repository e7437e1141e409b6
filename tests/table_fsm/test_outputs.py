"""What the table answers, as the JSON object of one line."""

import json
from typing import get_args

import pytest

from table_fsm.outputs import (
    KIND_OF,
    Alarm,
    AlarmState,
    Button,
    Clock,
    Gate,
    Kind,
    LowHalf,
    Output,
    Phase,
    Placing,
    Race,
    Showdown,
    Value,
)
from table_fsm.prompts.types import Burn
from tests.some_outputs import ruling


def test_an_output_is_its_time_and_its_one_key() -> None:
    assert Output(12.5, Gate(locked=True)).to_dict() == {"t": 12.5, "shoe": "lock"}


def test_the_street_of_a_phase_stands_beside_it() -> None:
    assert Output(1.0, Phase("betting", "flop")).to_dict() == {"t": 1.0, "phase": "betting", "street": "flop"}


@pytest.mark.parametrize("street", [None, ""])
def test_a_phase_without_a_street_has_no_such_key(street: str | None) -> None:
    assert Output(1.0, Phase("waiting", street)).to_dict() == {"t": 1.0, "phase": "waiting"}


def test_time_comes_first_and_the_line_is_json() -> None:
    line = json.dumps(Output(2.0, Burn(1)).to_dict())
    assert line == '{"t": 2.0, "prompt": {"burn": 1}}'


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Alarm("jam", "blue", "shoe", AlarmState.RAISED), ["kind", "deck", "device", "state"]),
        (Alarm("seat_left", None, None, AlarmState.CLEARED, 3), ["kind", "deck", "device", "state", "seat"]),
        (Clock(3, 9.5), ["seat", "left"]),
        (Clock(3, 9.5, 0), ["seat", "left", "banks"]),
        (Button(3), ["seat"]),
        (Button(3, dead=True), ["dead_seat"]),
        (Showdown(1, (2,), None, None), ["pot", "winners", "hand", "odd_to"]),
        (
            Showdown(1, (2,), "flush", None, 2, LowHalf((1, 3), "8-7-6-5-A", 3)),
            ["pot", "winners", "hand", "odd_to", "board", "low_winners", "low_hand", "low_odd_to"],
        ),
    ],
)
def test_a_key_that_says_nothing_is_absent(value: Value, said: list[str]) -> None:
    json_value = value.to_json()
    assert isinstance(json_value, dict)
    assert list(json_value) == said


def test_cards_are_named_beside_a_ruling_only_where_there_are_some() -> None:
    plain, named = ruling(1.0).to_dict()["ruling"], ruling(1.0, cards=("As",)).to_dict()["ruling"]
    assert isinstance(plain, dict)
    assert named == plain | {"cards": ["As"]}


def test_seats_are_text_where_they_are_keys() -> None:
    assert Race({3: 2, 5: 0}, 700).to_json() == {"winners": {"3": 2, "5": 0}, "removed": 700}


def test_a_shared_place_runs_from_the_first_to_the_last() -> None:
    assert Placing(3, 7, 7).to_json() == {"seat": 3, "place": 7}
    assert Placing(3, 7, 8).to_json() == {"seat": 3, "place": [7, 8]}
    soft = Placing(3, 7, 7, provisional=True)
    assert soft.to_json() == {"seat": 3, "place": 7, "provisional": True}


def test_the_keys_are_the_published_ones() -> None:
    assert {kind.value for kind in Kind} == {
        *("phase", "prompt", "ruling", "alarm", "lamp", "display", "buzzer", "shoe", "commission", "settlement"),
        *("showdown", "clock", "race", "placing", "penalty", "button", "level", "error"),
    }


def test_each_type_of_value_has_its_key_and_each_key_a_type() -> None:
    assert set(KIND_OF) == set(get_args(Value))
    assert set(KIND_OF.values()) == set(Kind)
