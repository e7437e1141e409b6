"""Drills: what passes, what fails, and what is no drill."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.books.drill import DrillResult, DrillSyntaxError, find_drills, fits, matches, run_drill
from feltd.books.replay import to_line
from feltd.text.errors import FeltdError
from table_fsm.events import Event
from table_fsm.outputs import Output, Phase, Refusal
from table_fsm.prompts.types import Post
from tests.some_outputs import ruling

HEADER = '{"title": "A card on the floor", "rows": ["picky 1"], "step": 0.5}'
TICK = '{"ev": "tick"}'
FLOOR = '{"ev": "card.left_table"}'


class Floor:
    """A table that rules on each card that leaves it, and knows no drop box."""

    def __init__(self, books: Mapping[str, Any]) -> None:
        self.books = books
        self.rulings = 0

    def apply(self, event: Event) -> list[Output]:
        if event.ev == "card.left_table":
            self.rulings += 1
            given = ruling(event.t, id=self.rulings, rule="1", seat=None)
            return [given, Output(event.t, Phase("halted", "flop"))]
        if event.ev == "dropbox.chip":
            return [Output(event.t, Refusal(event.ev, "no drop box"))]
        return [Output(event.t, Post({2: 100}))]


@pytest.fixture
def drill(tmp_path: Path) -> "Drill":
    return Drill(tmp_path / "a.jsonl")


class Drill:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, *lines: str, header: str = HEADER) -> DrillResult:
        self.path.write_text("\n".join([header, *lines]))
        return run_drill(self.path, {}, Floor)

    def refusal(self, *lines: str, header: str = HEADER) -> str:
        with pytest.raises(DrillSyntaxError) as caught:
            self(*lines, header=header)
        assert caught.value.path == self.path
        return str(caught.value).removeprefix(f"{self.path}:")


def expect(*patterns: Any) -> str:
    return json.dumps({"expect": patterns})


def test_a_drill_that_is_answered_as_expected(drill: Drill) -> None:
    result = drill(
        TICK, "# then", "", FLOOR, expect({"ruling": {"outcome": "call_floor"}}, {"phase": "halted", "street": "flop"})
    )
    assert result.passed
    assert (result.title, result.rows) == ("A card on the floor", ("picky 1",))
    assert str(result) == "ok     A card on the floor (picky 1)"


def test_a_wrong_answer_shows_what_was_expected_and_what_came(drill: Drill) -> None:
    result = drill(TICK, FLOOR, expect({"ruling": {"outcome": "misdeal"}}))
    given = to_line(ruling(0.5, id=1, rule="1", seat=None)).decode().strip()
    assert str(result).splitlines() == [
        "FAILED A card on the floor (picky 1)",
        f"  {drill.path}:4",
        "    expected:",
        '      {"ruling":{"outcome":"misdeal"}}',
        '    nothing matched: {"ruling":{"outcome":"misdeal"}}',
        f"    nobody expected: {given}",
        "    got:",
        f"      {given}",
    ]


def test_a_ruling_that_nobody_expects_is_a_false_alarm_wherever_it_comes(drill: Drill) -> None:
    (before,) = drill(FLOOR, expect({"phase": "halted"})).deviations
    assert [out["ruling"]["id"] for out in before.unexpected] == [1]
    (nothing,) = drill(FLOOR, expect()).deviations
    assert nothing.line == 3
    (end,) = drill(TICK, expect(), FLOOR).deviations
    assert (end.line, end.expected) == (4, ())


def test_an_error_that_nobody_expects_fails_too(drill: Drill) -> None:
    chip = '{"ev": "dropbox.chip", "cents": 5}'
    assert not drill(chip).passed
    assert drill(chip, expect({"error": {"ev": "dropbox.chip"}})).passed
    assert drill('{"ev": "card.eaten"}', expect({"error": {"ev": "card.eaten"}})).passed
    assert not drill('{"ev": "card.eaten"}').passed


def test_patterns_match_in_order_and_one_output_each(drill: Drill) -> None:
    ruling = {"ruling": {"rule": "1"}}
    assert drill(FLOOR, FLOOR, expect(ruling, ruling)).passed
    assert not drill(FLOOR, expect(ruling, ruling)).passed
    assert not drill(FLOOR, FLOOR, expect(ruling)).passed
    assert not drill(FLOOR, expect({"phase": "halted"}, ruling)).passed


def test_each_expect_speaks_of_its_own_events_only(drill: Drill) -> None:
    assert drill(FLOOR, expect({"ruling": {"id": 1}}), TICK, expect(), FLOOR, expect({"ruling": {"id": 2}})).passed


def test_outputs_are_compared_as_they_are_printed(drill: Drill) -> None:
    assert drill(TICK, expect({"prompt": {"post": {"2": 100}}})).passed


def test_time_goes_on_by_the_step_where_a_line_has_none(drill: Drill) -> None:
    result = drill(TICK, TICK, '{"t": 9, "ev": "tick"}', TICK, FLOOR, expect({"t": 10.0, "ruling": {}}))
    assert result.passed


def test_without_a_step_each_event_has_its_time(drill: Drill) -> None:
    header = '{"title": "x", "rows": ["y"]}'
    assert drill('{"t": 1, "ev": "tick"}', header=header).passed
    assert drill.refusal(TICK, header=header) == "2: `t` must be a number of seconds"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["{"], "2: not JSON: EOF while parsing an object at line 1 column 1"),
        (["[]"], "2: not a JSON object: write a header, an event or an expect"),
        ([TICK, "", '{"ev": "seat.in"}'], "4: seat.in: `seat`: field required"),
        (['{"ev": "tick", "tock": 1}'], '2: tick: nothing reads the field "tock"'),
        (['{"t": "soon", "ev": "tick"}'], "2: `t` must be a number of seconds"),
        (['{"expect": {}}'], '2: an expect is {"expect": [ {…}, … ]}, and nothing beside'),
        (['{"expect": [], "ev": "tick"}'], '2: an expect is {"expect": [ {…}, … ]}, and nothing beside'),
        (['{"expect": [{"rulling": {}}]}'], '2: a pattern names an output by one of its keys; "rulling" is none; '
         'did you mean "ruling"?'),
        (['{"expect": [{}]}'], '2: a pattern names an output by one of its keys; "" is none'),
    ],
)  # fmt: skip
def test_what_is_no_drill_says_which_line_and_why(drill: Drill, lines: list[str], reason: str) -> None:
    assert drill.refusal(*lines) == reason


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("", '1: empty; the first line is {"title": …, "rows": [ … ]}'),
        ('{"title": "x"}', "`rows`: field required"),
        ('{"title": "x", "rows": []}', "`rows`: list should have at least 1 item"),
        ('{"title": "x", "rows": ["y"], "stop": 1}', "`stop`: extra inputs are not permitted"),
        ('{"title": "x", "rows": ["y"], "step": 0}', "`step`: input should be greater than 0"),
        (TICK, "`title`: field required"),
    ],
)
def test_the_header_names_title_and_rows(drill: Drill, header: str, reason: str) -> None:
    assert reason in drill.refusal(header=header)


def test_drills_are_files_or_all_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("z.jsonl", "b/a.jsonl", "b/notes.md"):
        (tmp_path / name).touch()
    inside = [tmp_path / "b" / "a.jsonl", tmp_path / "z.jsonl"]
    assert find_drills([tmp_path]) == inside
    assert find_drills([tmp_path / "z.jsonl", tmp_path]) == inside[::-1]
    with pytest.raises(FeltdError, match="nowhere: no such file or folder"):
        find_drills([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(FeltdError, match="no drill in this folder"):
        find_drills([tmp_path / "empty"])
    with pytest.raises(FeltdError, match="cannot be read: Is a directory"):
        run_drill(tmp_path, {}, Floor)


@pytest.mark.parametrize(
    ("pattern", "value", "same"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 2, "d": 3}]}}, True),
        ([1], [1, 2], False),
        ([1, 2], [2, 1], False),
        ({"a": None}, {}, True),
        ({"a": None}, {"a": 0}, False),
        (True, 1, False),
        (1, True, False),
        (1, 1.0, True),
        ({"a": 1}, [1], False),
        ([1], "1", False),
        ("1", 1, False),
    ],
)
def test_a_pattern_is_a_part_of_what_it_matches(pattern: Any, value: Any, same: bool) -> None:
    assert matches(pattern, value) is same


def test_a_pattern_gives_way_to_one_that_needs_its_output() -> None:
    outputs = [{"t": 1, "phase": "halted"}, {"t": 1, "ruling": {}}]
    assert fits([{"t": 1}], outputs)
    assert not fits([{"t": 1}], [*outputs, {"t": 2, "ruling": {}}])


_KEYS = st.sampled_from(["ruling", "phase"])
_OUTPUTS = st.lists(st.tuples(_KEYS, st.integers(0, 1)).map(lambda pair: {pair[0]: pair[1]}), max_size=6)


@given(_OUTPUTS, st.lists(st.booleans(), max_size=6))
def test_what_came_fits_itself_with_anything_but_rulings_left_out(outputs: list[Any], kept: list[bool]) -> None:
    patterns = [out for out, keep in zip(outputs, kept + [True] * 6, strict=False) if keep or "ruling" in out]
    assert fits(patterns, outputs)
    assert not fits([*patterns, {"alarm": 1}], outputs)
    rulings = [n for n, out in enumerate(patterns) if "ruling" in out]
    if rulings:
        assert not fits(patterns[: rulings[-1]] + patterns[rulings[-1] + 1 :], [{"ruling": 2}, *outputs])
