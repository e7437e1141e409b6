"""What the floor's database refuses while it does other things: a full disk is read from, and takes nothing in."""

import time
from collections.abc import Callable
from typing import Final

import asyncpg

SAID_FOR: Final = 60.0
"""Seconds after the last refusal, where nobody has asked for the same since."""
LASTING: Final = (
    asyncpg.DiskFullError,
    asyncpg.InvalidSchemaNameError,
    asyncpg.UndefinedFunctionError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InsufficientPrivilegeError,
)
"""Faults that do not go away by themselves."""


class Refused:
    """The refusals that hold, each by what was asked for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[object, tuple[float, str]] = {}

    def take(self, asked: object, fault: BaseException, words: str) -> None:
        """The database refused what was asked for; `words` has the remedy."""
        if isinstance(fault, LASTING):
            self._held[asked] = self._clock(), words

    def done(self, asked: object) -> None:
        """The database did what was asked for."""
        self._held.pop(asked, None)

    @property
    def words(self) -> str | None:
        """What it refused last; None where nothing is refused."""
        since = self._clock() - SAID_FOR
        self._held = {asked: held for asked, held in self._held.items() if held[0] > since}
        return max(self._held.values(), default=(0.0, None))[1]
