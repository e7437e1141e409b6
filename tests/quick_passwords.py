"""Passwords that take a thousandth of a second each, not a sixth: for all who ask for them the two are the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from argon2 import PasswordHasher

from feltd.page.access import passwords

SLOW_ON_PURPOSE = passwords._HASHER
"""As feltd keeps passwords."""


@contextmanager
def quick_passwords() -> Iterator[None]:
    """While the block runs, this process keeps passwords so. A daemon that is a process of its own does not."""
    with patch.object(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)):
        yield
