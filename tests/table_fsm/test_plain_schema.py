"""What a lean validator takes and refuses, beside pydantic's own of the same classes."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, Field, TypeAdapter, with_config
from pydantic_core import ValidationError

from table_fsm.events import BY_NAME, FIELDS, Event
from table_fsm.plain_schema import validator_by_tag

LEAN: Final = validator_by_tag(BY_NAME, "ev")
WORDS: Final = ("", "As", "shoe", "call", "seat.in")
VALUES: Final = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 300), st.floats(-2, 2), st.sampled_from(WORDS),
    st.lists(st.one_of(st.integers(0, 9), st.sampled_from(WORDS)), max_size=3),
    st.dictionaries(st.sampled_from(WORDS), st.one_of(st.none(), st.integers(), st.lists(st.booleans())), max_size=2),
)  # fmt: skip


def _generated() -> "TypeAdapter[Event]":
    """pydantic's own validator, generated from the annotations."""
    strict = with_config(ConfigDict(strict=True, allow_inf_nan=False))
    for kind in BY_NAME.values():
        strict(kind)
    try:
        return TypeAdapter(Annotated[Event, Field(discriminator="ev")])
    finally:
        for kind in BY_NAME.values():
            delattr(kind, "__pydantic_config__")  # what with_config adds


GENERATED: Final = _generated()


def said(validate: Any, line: str) -> object:
    """The event, or each fault's place and words. Which of several types a value missed is named as each sees fit."""
    try:
        return validate(line)
    except ValidationError as error:
        return [(fault["loc"], fault["msg"], fault["type"]) for fault in error.errors()]


@given(st.data())
def test_it_takes_and_refuses_what_the_generated_one_does_in_the_same_words(data: st.DataObject) -> None:
    ev = data.draw(st.sampled_from(sorted(BY_NAME)))
    names = [name for name in FIELDS[BY_NAME[ev]] if name not in ("t", "ev")]
    raw = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys([*names, "unknown"], VALUES)))
    line = json.dumps({"t": data.draw(st.one_of(st.floats(0, 9), VALUES)), "ev": ev, **raw})
    assert said(LEAN.validate_json, line) == said(GENERATED.validate_json, line)


@pytest.mark.parametrize("line", ["", "[]", "1", "{}", '{"ev": 1}', '{"ev": "nothing"}', '{"t": NaN, "ev": "tick"}'])
def test_what_is_no_event_is_refused_alike(line: str) -> None:
    assert said(LEAN.validate_json, line) == said(GENERATED.validate_json, line)


def test_a_field_that_is_not_plain_is_named_where_the_program_is_written() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Odd:
        when: set[int]

    with pytest.raises(TypeError, match=r"set\[int\]: a field of this type is not plain"):
        validator_by_tag({"odd": Odd}, "ev")
