"""TOML written is TOML read: the same document, a line for each key."""

import tomllib
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toml_text.lines import locate
from toml_text.writing import write_toml

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
_PLAIN = st.one_of(
    _TEXTS,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.dates(),
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(_TEXTS, _VALUES, max_size=5))
def test_what_is_written_is_read_as_it_was(document: dict[str, Any]) -> None:
    assert tomllib.loads(write_toml(document)) == document


def test_each_key_of_a_table_has_a_line_of_its_own() -> None:
    text = write_toml({"page": {"port": 1, "limits": {"streams": 2}}, "device": [{"name": "a"}, {"name": "b"}]})
    lines = locate(text)
    assert [
        lines[path] for path in (("page", "port"), ("page", "limits"), ("device", 0, "name"), ("device", 1, "name"))
    ] == [
        2,
        3,
        6,
        9,
    ]


def test_an_empty_table_stays_and_what_toml_lacks_is_refused() -> None:
    assert write_toml({"day": date(2026, 1, 2), "a b": {}}) == 'day = 2026-01-02\n\n["a b"]\n'
    with pytest.raises(TypeError, match="NoneType"):
        write_toml({"a": None})
