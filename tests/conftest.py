"""What holds for every test."""

import gc
import os
import sys
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from table_fsm import library
from table_fsm.rulebook import Rulebook, load_rulebooks
from table_fsm.structures import Structure, load_structures
from tests.quick_passwords import quick_passwords

_FIRMWARE: Final = Path(__file__).parent / "firmware"

settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")  # how long an example took says nothing of it where tests run side by side


@pytest.fixture(autouse=True)
def files_are_made_as_before() -> Iterator[None]:
    """A command takes rights from all files that its process makes: those of the tests after it would have them too."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture(autouse=True, scope="session")
def passwords_are_kept_quickly() -> Iterator[None]:
    """What feltd takes is told in `tests/feltd/test_access_passwords.py`."""
    with quick_passwords():
        yield


@pytest.fixture(autouse=True, scope="session")
def routes_are_made_quickly() -> Iterator[None]:
    """Where no test that was collected has loaded the page's framework, nothing loads it here."""
    if "fastapi" not in sys.modules:
        yield
        return
    from tests.quick_routes import quick_routes

    with quick_routes():
        yield


_BOOKS: Final = pytest.MonkeyPatch()


def pytest_configure() -> None:
    """Have the same books loaded once, also by the files that load them when they are collected. The same texts make
    the same books, and nothing changes a book. Each command, and each check of a table's file, loads all that are
    shipped: that took more than half of the time of the commands' tests."""
    structures_of: dict[object, dict[str, Structure]] = {}
    books_of: dict[object, tuple[object, dict[str, Rulebook]]] = {}

    def structures_once(texts: Mapping[str, str]) -> dict[str, Structure]:
        named = tuple(sorted(texts.items()))
        if named not in structures_of:
            structures_of[named] = load_structures(texts)
        return dict(structures_of[named])

    def books_once(texts: Mapping[str, str], structures: Mapping[str, Structure] | None = None) -> dict[str, Rulebook]:
        if structures is not None and type(structures) is not dict:  # loaded one by one: tests watch that
            return load_rulebooks(texts, structures)
        ones = None if structures is None else tuple((name, id(one)) for name, one in sorted(structures.items()))
        named = (tuple(sorted(texts.items())), ones)
        if named not in books_of:
            books_of[named] = (structures, load_rulebooks(texts, structures))  # kept, so that no other has their ids
        return dict(books_of[named][1])

    _BOOKS.setattr(library, "load_structures", structures_once)
    _BOOKS.setattr(library, "load_rulebooks", books_once)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while the tests are collected: a million objects come, and stay. To look at them over and
    over took a third of the time, in each process that runs tests side by side. No later look goes through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        _BOOKS.setattr(gc, "freeze", lambda: None)  # a command called within this process hides no garbage of the tests
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the slow ones where processes run side by side: one that came last would keep one processor busy and
    leave the others nothing. Those of firmware come first of all: much of their time they wait for an emulated core or
    a line's speed, and as the last ones they would leave both processors idle."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: (_FIRMWARE not in item.path.parents, item.get_closest_marker("slow") is None))


def pytest_unconfigure() -> None:
    """Leave the library as it was to who runs pytest in a process of theirs."""
    _BOOKS.undo()
