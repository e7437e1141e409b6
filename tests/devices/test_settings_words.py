"""What is wrong with settings is said in the words of whoever edits the table's file: no sentence of pydantic's own."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError, with_config

from devices.drivers.base import SETTINGS, read_settings
from devices.errors import DeviceSettingsError
from toml_text.settings import explain


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    depth: Annotated[int, Field(ge=1)] = 1


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    address: Annotated[int, Field(ge=0, le=126)]
    share: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.5
    form: Literal["hex", "decimal"] = "hex"
    word: Annotated[str, Field(min_length=2, max_length=4, pattern="^[a-z]+$")] = "ab"
    marks: Annotated[tuple[int, ...], Field(min_length=1, max_length=2)] = (1,)
    strict: Annotated[bool, Field(strict=True)] = True
    inner: Inner = field(default_factory=Inner)


SOUND = {"address": 1}


@pytest.mark.parametrize(
    ("given", "problem"), [
        ({}, "setting address: is missing: give a value"),
        ({"address": 127}, "setting address: 127 is not allowed: must be at most 126"),
        ({"address": 1.5}, "setting address: must be a whole number, not 1.5"),
        ({"address": "one"}, 'setting address: must be a whole number, not "one"'),
        (SOUND | {"share": 1.0}, "setting share: 1.0 is not allowed: must be less than 1.0"),
        (SOUND | {"share": float("inf")}, "setting share: must be a finite number, not inf"),
        (SOUND | {"form": "hx"}, 'setting form: "hx" is not allowed; allowed: hex, decimal; did you mean "hex"?'),
        (SOUND | {"word": "a"}, "setting word: must have at least 2 characters"),
        (SOUND | {"word": "abcde"}, "setting word: must have at most 4 characters"),
        (SOUND | {"word": "AB"}, 'setting word: "AB" is not allowed: must match ^[a-z]+$'),
        (SOUND | {"marks": 7}, "setting marks: must be a list: [ … ], not 7"),
        (SOUND | {"marks": [1, 2, 3]}, "setting marks: must have at most 2 entries"),
        (SOUND | {"strict": "yes"}, 'setting strict: must be true or false, not "yes"'),
        (SOUND | {"inner": 3}, "setting inner: must be a table of keys and values, not 3"),
        (SOUND | {"inner": {"x": 3}}, 'setting inner.x: nobody reads "x" (keys here: depth)'),
    ],
)  # fmt: skip
def test_each_fault_is_in_the_words_of_the_file(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(DeviceSettingsError) as caught:
        read_settings("badge", Settings, given)
    assert caught.value.problems == [problem]


def test_a_key_that_nobody_reads_names_those_there_are() -> None:
    with pytest.raises(DeviceSettingsError) as caught:
        read_settings("badge", Settings, SOUND | {"from": "hex"})
    assert caught.value.problems == [
        'setting from: nobody reads "from"; did you mean "form"? '
        "(keys here: address, share, form, word, marks, strict, inner)"
    ]


def test_settings_whose_types_only_their_author_knows_are_told_all_the_same() -> None:
    @with_config(SETTINGS)
    @dataclass
    class Odd:
        size: int = 1

    kind = TypeAdapter(Odd)
    Odd.__annotations__["size"] = "NobodyKnows"
    with pytest.raises(ValidationError) as caught:
        kind.validate_python({"sise": 1})
    assert [words for _, words in explain(Odd, caught.value.errors())] == [
        'nobody reads "sise"; did you mean "size"? (keys here: size)'
    ]
