"""Key paths of TOML texts and their lines."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toml_text.lines import locate

WHOLE = """\
# a table
title = "Hold'em" # not a = key
deck.cards = 52
deck.'joker' = false

[page]
host = '127.0.0.1'
colours = [ "blue", # the first
  "red",
  { name = "green", shade = { light = 1 } },
]

[[device]]
name = "shoe"

[device.settings]
gate = true

[[device]]
name = "board"
  [[device.zone]]
  name = "board:1"
  [[device.zone]]
  name = "board:2"

[texts]
long = \"\"\"
[not.a.table]
a = "b" \\\"""
\"\"\"
literal = '''
x = 1'''
"quoted \\u00e9.key" = 1
after = 2
"""


def test_every_kind_of_key_has_its_line() -> None:
    lines = locate(WHOLE)
    assert lines == {
        ("title",): 2,
        ("deck",): 3,
        ("deck", "cards"): 3,
        ("deck", "joker"): 4,
        ("page",): 6,
        ("page", "host"): 7,
        ("page", "colours"): 8,
        ("page", "colours", 0): 8,
        ("page", "colours", 1): 9,
        ("page", "colours", 2): 10,
        ("page", "colours", 2, "name"): 10,
        ("page", "colours", 2, "shade"): 10,
        ("page", "colours", 2, "shade", "light"): 10,
        ("device",): 13,
        ("device", 0): 13,
        ("device", 0, "name"): 14,
        ("device", 0, "settings"): 16,
        ("device", 0, "settings", "gate"): 17,
        ("device", 1): 19,
        ("device", 1, "name"): 20,
        ("device", 1, "zone"): 21,
        ("device", 1, "zone", 0): 21,
        ("device", 1, "zone", 0, "name"): 22,
        ("device", 1, "zone", 1): 23,
        ("device", 1, "zone", 1, "name"): 24,
        ("texts",): 26,
        ("texts", "long"): 27,
        ("texts", "literal"): 31,
        ("texts", "quoted é.key"): 33,
        ("texts", "after"): 34,
    }
    assert set(lines) == set(paths(tomllib.loads(WHOLE)))


def paths(value: Any, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every key path of a parsed document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in items for path in ((*above, key), *paths(inner, (*above, key)))]


def test_a_string_that_ends_in_quotes_ends_where_it_ends() -> None:
    text = 'a = """one "two\\"""""\nb = \'\'\'x\'\'\'\'\'\nc = 1979-05-27 07:32:00\nd = [[1,2],[ 3 ]]\n'
    assert set(locate(text)) == set(paths(tomllib.loads(text)))
    assert locate(text)[("d", 1, 0)] == 4


def test_windows_line_ends_count_once() -> None:
    assert locate("a = 1\r\n\r\n[b]\r\nc = 2\r\n") == {("a",): 1, ("b",): 3, ("b", "c"): 4}


@pytest.mark.parametrize(
    "rest",
    ["= 3", "c = ", "c == 1", "[d", "[[d]", 'c = "open', "c = [1, 2", "c = {d = 1", "c = 1 2 x = 3", '"\\q" = 1', "]"],
)
def test_of_a_faulty_text_what_stands_before_the_fault(rest: str) -> None:
    lines = locate(f"a = 1\nb = 2\n{rest}")
    assert lines[("a",)] == 1
    assert lines[("b",)] == 2


@given(st.text(alphabet="ab=.[]{}\"'\n #,1\\", max_size=60))
def test_any_text_gives_an_answer_and_valid_text_a_whole_one(text: str) -> None:
    lines = locate(text)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(lines) == set(paths(document))
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
