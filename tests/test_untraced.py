"""What the tracer of coverage does not see: marked tests with their threads, and what is made again."""

import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import cast

import pytest

from tests.conftest import pytest_runtest_protocol
from tests.tracing import traced_once


class Marked:
    """Of a test, all that is asked."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def get_closest_marker(self, name: str) -> bool:
        return name in self.names


@pytest.fixture
def went() -> Iterator[list[str]]:
    """The functions that a tracer sees; whoever traced before does so again afterwards."""
    seen: list[str] = []

    def trace(frame: FrameType, what: str, told: object) -> None:
        seen.append(frame.f_code.co_name)

    before, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(trace)
    threading.settrace(trace)
    yield seen
    threading.settrace(of_threads)
    sys.settrace(before)


def here() -> None:
    """Something to see."""


def there() -> None:
    """Something to see in a thread."""


def both() -> None:
    here()
    thread = threading.Thread(target=there)
    thread.start()
    thread.join()


def through(test: Marked, does: object = both) -> None:
    """Do what a test does as pytest does it."""
    hook = pytest_runtest_protocol(cast(pytest.Item, test))
    next(hook)
    assert callable(does)
    try:
        does()
    except ZeroDivisionError as fault:
        with pytest.raises(ZeroDivisionError):
            hook.throw(fault)
    else:
        with pytest.raises(StopIteration):
            next(hook)


def test_what_is_not_marked_is_traced(went: list[str]) -> None:
    through(Marked("slow"))
    assert {"here", "there"} <= set(went)


def test_what_is_marked_is_not_traced_and_what_follows_is(went: list[str]) -> None:
    through(Marked("slow", "untraced"))
    assert {"here", "there"}.isdisjoint(went)
    both()
    assert {"here", "there"} <= set(went)


def test_a_marked_test_that_fails_leaves_the_tracer_where_it_was(went: list[str]) -> None:
    through(Marked("untraced"), lambda: 1 / 0)
    assert "here" not in went
    both()
    assert {"here", "there"} <= set(went)


def test_what_is_made_again_is_traced_once(went: list[str]) -> None:
    for what in ("a page", "a page", "a desk"):
        with traced_once((test_what_is_made_again_is_traced_once, what)):
            here()
    assert went.count("here") == 2
    here()
    assert went.count("here") == 3


def fails() -> None:
    here()
    raise ZeroDivisionError


def test_what_failed_is_traced_again_and_a_failure_leaves_the_tracer_where_it_was(went: list[str]) -> None:
    for seen in (1, 2, 3):
        with pytest.raises(ZeroDivisionError), traced_once("what fails"):
            fails()
        assert went.count("here") == seen
    with traced_once("what fails"):
        there()
    with pytest.raises(ZeroDivisionError), traced_once("what fails"):
        fails()
    assert went.count("here") == 3
    here()
    assert went.count("here") == 4
