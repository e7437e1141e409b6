"""Faults of settings in words for the file's editor; no sentence of pydantic's own."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError, with_config

from devices.drivers.base import SETTINGS, read_settings
from devices.errors import DeviceSettingsError
from toml_text.faults import Fault
from toml_text.schema import schema_faults


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
    staff: dict[Annotated[str, Field(pattern="^[a-z]+$")], Literal["dealer"]] = field(default_factory=dict)


SOUND = {"address": 1}
ADDRESS = "a whole number, at least 0, at most 126"
WORD = "a text in quotes, at least 2 characters, at most 4 characters, of the form ^[a-z]+$"
MARKS = "a list [ … ] of (a whole number), at least 1 entry, at most 2 entries"


@pytest.mark.parametrize(
    ("given", "problem"), [
        ({}, f"setting address: is missing; allowed: {ADDRESS}"),
        ({"address": 127}, f"setting address: 127 is not allowed; allowed: {ADDRESS}"),
        ({"address": 1.5}, f"setting address: 1.5 is not allowed; allowed: {ADDRESS}"),
        ({"address": "one"}, f'setting address: "one" is not allowed; allowed: {ADDRESS}'),
        (SOUND | {"share": 1.0}, "setting share: 1.0 is not allowed; allowed: a number, above 0.0, below 1.0"),
        (SOUND | {"share": float("inf")}, "setting share: inf is not allowed; allowed: finite numbers"),
        (SOUND | {"form": "hx"}, 'setting form: "hx" is not allowed; allowed: hex, decimal; did you mean "hex"?'),
        (SOUND | {"word": "a"}, f'setting word: "a" is not allowed; allowed: {WORD}'),
        (SOUND | {"word": "abcde"}, f'setting word: "abcde" is not allowed; allowed: {WORD}'),
        (SOUND | {"word": "AB"}, f'setting word: "AB" is not allowed; allowed: {WORD}'),
        (SOUND | {"marks": 7}, f"setting marks: 7 is not allowed; allowed: {MARKS}"),
        (SOUND | {"marks": [1, 2, 3]}, f"setting marks: [1, 2, 3] is not allowed; allowed: {MARKS}"),
        (SOUND | {"strict": "yes"}, 'setting strict: "yes" is not allowed; allowed: true, false'),
        (SOUND | {"inner": 3}, "setting inner: 3 is not allowed; allowed: a table with the keys depth"),
        (SOUND | {"inner": {"x": 3}}, 'setting inner.x: unknown key; allowed: depth'),
        (SOUND | {"staff": {"a b": "dealer"}},
         'setting staff.a b: "a b" is not allowed; allowed: a text in quotes, of the form ^[a-z]+$'),
        (SOUND | {"staff": {"ann": "deler"}},
         'setting staff.ann: "deler" is not allowed; allowed: dealer; did you mean "dealer"?'),
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
        "setting from: unknown key; "
        'allowed: address, share, form, word, marks, strict, inner, staff; did you mean "form"?'
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
    assert schema_faults(Odd, {"sise": 1}, caught.value) == [
        Fault(("sise",), 'unknown key; allowed: size; did you mean "size"?')
    ]
