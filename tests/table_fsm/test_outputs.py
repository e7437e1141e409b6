"""What the table answers, as the JSON object of one line."""

import json

import pytest

from table_fsm.outputs import Kind, Output


def test_an_output_is_its_time_and_its_one_key() -> None:
    assert Output(12.5, Kind.SHOE, "lock").to_dict() == {"t": 12.5, "shoe": "lock"}


def test_what_stands_beside_the_main_key_is_in_the_same_object() -> None:
    output = Output(1.0, Kind.PHASE, "betting", {"street": "flop"})
    assert output.to_dict() == {"t": 1.0, "phase": "betting", "street": "flop"}


@pytest.mark.parametrize("beside", [None, {}])
def test_nothing_beside_is_nothing(beside: dict[str, str] | None) -> None:
    assert Output(1.0, Kind.PHASE, "waiting", beside).to_dict() == {"t": 1.0, "phase": "waiting"}


def test_time_comes_first_and_the_line_is_json() -> None:
    line = json.dumps(Output(2.0, Kind.PROMPT, {"burn": 1}).to_dict())
    assert line == '{"t": 2.0, "prompt": {"burn": 1}}'


def test_the_keys_are_the_published_ones() -> None:
    assert {kind.value for kind in Kind} == {
        *("phase", "prompt", "ruling", "alarm", "lamp", "display", "buzzer", "shoe", "commission", "settlement"),
        *("showdown", "clock", "race", "placing", "penalty", "button", "level", "error"),
    }
