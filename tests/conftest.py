"""What holds for every test."""

import sys
import threading
from collections.abc import Generator, Iterator

import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, settings

from feltd.page.access import passwords

settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")  # how long an example took says nothing of it where tests run side by side

SLOW_ON_PURPOSE = passwords._HASHER
"""As feltd keeps passwords."""


@pytest.fixture(autouse=True, scope="session")
def passwords_are_kept_quickly() -> Iterator[None]:
    """A sixth of a second for each password says nothing more than a thousandth does. What feltd takes is told in
    `tests/feltd/test_access_passwords.py`; a daemon that is a process of its own takes it too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """What is marked `untraced` runs without coverage's tracer, from its fixtures' setup to their end, and so does each
    thread that begins meanwhile. (pytest-cov's own `no_cover` does nothing in a worker of pytest-xdist: there another
    tracer stands behind the one that it takes away.)"""
    if not item.get_closest_marker("untraced"):
        return (yield)
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        threading.settrace(of_threads)
        sys.settrace(tracer)
