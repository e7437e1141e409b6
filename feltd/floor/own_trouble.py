"""What is wrong with the floor itself now: its database and its disk, each with its remedy, in the log and the pit."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from feltd.custody.errors import FloorAwayError
from feltd.floor.engine import Engine, JournalStatus, Ordered
from feltd.floor.memory import MemoryEngine

DISK_FULL_FROM: Final = 0.8
"""Part of the disk. Appends are refused at the end of it; there is time left to make room."""
_log = logging.getLogger("feltd.floor")


class OwnTrouble:
    """`disk`: a folder on the database's disk, where it is this machine's; None looks at none.

    `draws`: what is wrong with the secrets of draws. `books`: why a tournament cannot be opened under a book of the
    operator's own.
    """

    def __init__(
        self,
        engine: Engine,
        disk: Path | None = None,
        look: Callable[[Path], os.statvfs_result] = os.statvfs,
        draws: Callable[[], tuple[str, ...]] = tuple,
        books: str | None = None,
    ) -> None:
        self._statvfs = look
        self._engine = engine
        self._disk = disk
        self._draws = draws
        self._books = books
        self._told: tuple[str, ...] = ()

    def look(self) -> tuple[str, ...]:
        """What is wrong now, in words; the log is told of what has begun and what is over."""
        found = [] if self._engine.trouble is None else [f"database: {self._engine.trouble}"]
        if self._disk is not None:
            found += _of_disk(self._disk, self._statvfs)
        found += self._draws()
        if self._books is not None:
            faults = " ".join(self._books.split())
            found.append(f"books: those of your own are left out: {faults}. Mend them, and start floord again")
        now = tuple(found)
        for words in now:
            if words.partition(":")[0] not in {told.partition(":")[0] for told in self._told}:
                _log.error("the floor's %s", words)
        for words in self._told:
            if words.partition(":")[0] not in {told.partition(":")[0] for told in now}:
                _log.warning("the floor's %s is well again", words.partition(":")[0])
        self._told = now
        return now


def _of_disk(folder: Path, look: Callable[[Path], os.statvfs_result]) -> list[str]:
    try:
        room = look(folder)
    except OSError as fault:
        return [f"disk: {folder} cannot be looked at ({fault.strerror}): see `disk` in floor.toml"]
    if room.f_blocks == 0:
        return []
    used = 1 - room.f_bavail / room.f_blocks
    if used < DISK_FULL_FROM:
        return []
    return [
        f"disk: it is full to {used:.0%}. Make room, or give it a larger one: once it is full nothing is taken in, and "
        "tables keep their rows meanwhile"
    ]


class NoDatabase(MemoryEngine):
    """In the place of a database that cannot be used yet: the pit page says why, and nothing else is done."""

    def __init__(self, fault: Exception, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.fault = fault
        self.trouble = str(fault)

    def own(self) -> tuple[str, ...]:
        """What is wrong with the floor itself."""
        return (f"database: {self.fault}",)

    def _away(self) -> FloorAwayError:
        return FloorAwayError("the floor has no database", "floord", str(self.fault))

    async def add_order(self, ordered: Ordered) -> None:
        """Raises FloorAwayError."""
        raise self._away()

    async def status(self) -> list[JournalStatus]:
        """Raises FloorAwayError."""
        raise self._away()

    async def add_access(self, page: str, text: str) -> None:
        """Raises FloorAwayError."""
        raise self._away()
