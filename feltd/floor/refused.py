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
        self._held: dict[object, tuple[float, str, object]] = {}

    def take(self, asked: object, fault: BaseException, words: str, primary: object = None) -> None:
        """The database refused what was asked for; `words` has the remedy, `primary` says which server it was."""
        if isinstance(fault, LASTING):
            self._held[asked] = self._clock(), words, primary

    def done(self, asked: object) -> None:
        """The database did what was asked for."""
        self._held.pop(asked, None)

    def words(self, primary: object = None) -> str | None:
        """What this server refused last; None where it refuses nothing. One that has handed over counts no more."""
        since = self._clock() - SAID_FOR
        self._held = {asked: held for asked, held in self._held.items() if held[0] > since and held[2] == primary}
        return max(((at, words) for at, words, _ in self._held.values()), default=(0.0, None))[1]
