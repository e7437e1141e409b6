"""Each point that people were stopped by has its browser tests, and each of those is there and holds something."""

import ast
from pathlib import Path
from typing import Final

import pytest

from tests.browser.points import POINTS, Point

FOLDER: Final = Path(__file__).parent / "browser"


def functions_of(file: str) -> dict[str, ast.FunctionDef]:
    """The tests of a file in the folder of browser tests, by name."""
    tree = ast.parse((FOLDER / f"{file}.py").read_text("utf-8"))
    return {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")}


def holds(test: ast.FunctionDef) -> bool:
    """Whether a test asserts or expects something, and nothing lets it be left out."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    marks = {node.attr for mark in test.decorator_list for node in ast.walk(mark) if isinstance(node, ast.Attribute)}
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(test))
    return (asserts or "expect" in names) and not marks & {"skip", "skipif", "xfail"}


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.words)
def test_each_point_is_held_by_tests_that_are_there(point: Point) -> None:
    assert point.tests
    for named in point.tests:
        file, _, name = named.partition("::")
        assert name in functions_of(file), f"{named}: there is no such test"
        assert holds(functions_of(file)[name]), f"{named}: it asserts nothing, or may be left out"


def test_no_point_is_named_twice() -> None:
    assert len({point.words for point in POINTS}) == len(POINTS) == 18


def test_a_test_that_asserts_nothing_or_may_be_left_out_holds_nothing() -> None:
    written = "def test_a():\n  look()\n@pytest.mark.skip\ndef test_b():\n  assert x\ndef test_c():\n  expect(x)\n"
    tree = ast.parse(written)
    assert [holds(one) for one in tree.body if isinstance(one, ast.FunctionDef)] == [False, False, True]
