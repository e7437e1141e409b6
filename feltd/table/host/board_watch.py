"""Looks at the computer under the table: its supply, and the disk of the record.

A supply that sags and a card that turns read-only show late in the game, as lost links and refused entries. Both are
told here by name before that. The kernel's files are read; a few bytes are written to the disk now and then, and once
some blocks.
"""

import asyncio
import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from feltd.table.host.computer import under_voltage
from feltd.table.host.disks import beneath_folder
from feltd.text.board import BoardTrouble, remedy_of
from feltd.text.language import Language, speaking

LOOK_EVERY: Final = 5.0
"""Seconds between two looks. A supply that sags does so for seconds at a time, when a gate's coil is fed."""
WRITE_EVERY: Final = 600.0
"""Seconds between two tries to write on a disk that takes writes: each takes 32 KiB of a card, 5 MiB a day."""
TELL_AGAIN: Final = 600.0
"""Seconds within which a trouble that comes and goes is told once."""
NO_QUICKER_THAN: Final = 0.000_1
"""Seconds. No memory card takes a block in less: their quickest pages take some 200 µs to write."""
CARDS: Final = "mmcblk"
"""How Linux names memory cards and eMMC."""
_REFUSED: Final = (errno.EROFS, errno.EIO)
"""What a file system says that takes no writes after a fault. A full disk says something else, and is no such fault."""
_BLOCK: Final = 4096
_SYNCS: Final = 16
"""Blocks that are written and synced once a start: enough for a median, and 64 KiB of the card's life."""
BOARD: Final = "board"
"""What the staff is told about."""

_OVER: Final = {BoardTrouble.DISK_READ_ONLY: "board: the disk of the record takes writes again"}

_NAMELESS: Final = os.O_WRONLY | os.O_TMPFILE
"""A file that no folder lists: it is gone with its last handle."""


def is_doubtful(device: str, seconds: float) -> bool:
    """Return whether a card's syncs are not to be believed.

    `device`: the disk's name under /sys/block. `seconds`: the median of a bare `fdatasync` of one block.
    """
    return device.startswith(CARDS) and seconds < NO_QUICKER_THAN


def is_read_only(folder: Path) -> bool:
    """Return whether the folder's file system takes no writes. Blocks while the disk does: ask in a thread."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False  # the folder is gone: the journal says so itself


def refuses_sync(folder: Path) -> bool:
    """Return whether the folder cannot be synced, as after a fault of its disk. Blocks while the disk does.

    Linux 6.12 and later leave the mount's flags as they were where a fault has turned ext4 read-only: a sync finds it
    out, and writes nothing where nothing waits.
    """
    try:
        with _opened(folder, os.O_RDONLY | os.O_DIRECTORY) as place:
            os.fsync(place)
    except OSError as fault:
        return fault.errno in _REFUSED
    return False


def refuses_writes(folder: Path) -> bool:
    """Return whether a write to the folder is refused as after a fault of its disk. Blocks while the disk does.

    It finds what no sync does: a file system that says so of writes alone, a disk that fails while nothing is written.
    The file has no name, so nothing is left of it.
    """
    try:
        with _opened(folder, _NAMELESS) as file:
            os.write(file, b"feltd")
            os.fsync(file)
    except OSError as fault:
        return fault.errno in _REFUSED
    return False


def median_sync(folder: Path, clock: Callable[[], float] = time.perf_counter) -> float | None:
    """Return the seconds of a bare sync of one block in this folder; None where nothing can be written there.

    The file has no name, so a cut of the power leaves none.
    """
    taken = []
    try:
        with _opened(folder, _NAMELESS) as file:
            for _ in range(_SYNCS):
                os.write(file, bytes(_BLOCK))
                begun = clock()
                os.fdatasync(file)
                taken.append(clock() - begun)
    except OSError:
        return None
    return _median(taken)


@contextmanager
def _opened(folder: Path, flags: int) -> Iterator[int]:
    """The folder, or a file in it that has no name, for as long as the block runs. Raises OSError."""
    handle = os.open(folder, flags | os.O_CLOEXEC, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


def _median(values: list[float]) -> float:
    """The middle of an even number of values. `statistics` has it, and loads a tenth of a mebibyte for it."""
    ordered, middle = sorted(values), len(values) // 2
    return (ordered[middle - 1] + ordered[middle]) / 2


class BoardWatch:
    """What is wrong with the computer now. Each trouble is told when it comes.

    `folder`: of the record. `tell`: takes a sentence for the page and the log. `system`: the kernel's /sys.
    """

    def __init__(
        self,
        folder: Path,
        tell: Callable[[str], None],
        system: Path = Path("/sys"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.troubles: tuple[BoardTrouble, ...] = ()
        self._folder, self._tell, self._system, self._clock = folder, tell, system, clock
        self._sagged = self._doubted = self._refuses = False
        self._tried: float | None = None
        self._told: dict[BoardTrouble, float] = {}

    async def run(self) -> None:
        """Look until cancelled. No look blocks the loop."""
        self._doubted = await asyncio.to_thread(self._is_doubted)
        while True:
            self.take(await asyncio.to_thread(self.look))
            await asyncio.sleep(LOOK_EVERY)

    def look(self) -> tuple[BoardTrouble, ...]:
        """Return what is wrong now. It blocks while the disk does."""
        found = []
        supply = under_voltage(self._system)
        if supply is not None:
            # the newer kernels keep no flag of the time before: it is kept here
            self._sagged |= supply.now or bool(supply.before)
        if supply is not None and supply.now:
            found.append(BoardTrouble.SUPPLY_LOW)
        elif self._sagged:
            found.append(BoardTrouble.SUPPLY_WAS_LOW)
        if is_read_only(self._folder) or refuses_sync(self._folder) or self._refuses_writes():
            found.append(BoardTrouble.DISK_READ_ONLY)
        if self._doubted:
            found.append(BoardTrouble.SYNC_DOUBTED)
        return tuple(found)

    def _refuses_writes(self) -> bool:
        """Try to write, now and then while the disk takes it, and at each look while it does not."""
        now = self._clock()
        if self._refuses or self._tried is None or now - self._tried >= WRITE_EVERY:
            self._tried, self._refuses = now, refuses_writes(self._folder)
        return self._refuses

    def take(self, found: Sequence[BoardTrouble]) -> None:
        """Tell what has come, and that a disk takes writes again."""
        before, self.troubles = self.troubles, tuple(found)
        for trouble in found:
            if trouble not in before and self._is_news(trouble):
                self._told[trouble] = self._clock()
                self._tell(f"board: {_in_english(trouble)}")
        for trouble in before:
            if trouble not in found and trouble in _OVER:
                self._told.pop(trouble, None)
                self._tell(_OVER[trouble])

    def _is_news(self, trouble: BoardTrouble) -> bool:
        if trouble is BoardTrouble.SUPPLY_WAS_LOW and BoardTrouble.SUPPLY_LOW in self._told:
            return False
        told = self._told.get(trouble)
        return told is None or self._clock() - told >= TELL_AGAIN

    def _is_doubted(self) -> bool:
        under = beneath_folder(self._folder, self._system)
        cards = [disk for disk in under.disks if disk.startswith(CARDS)] if under is not None else []
        if not cards:
            return False  # only cards are written to for this
        seconds = median_sync(self._folder)
        return seconds is not None and is_doubtful(cards[0], seconds)


def _in_english(trouble: BoardTrouble) -> str:
    """A trouble and its remedy for the log, which is English whatever the table's language."""
    with speaking(Language.ENGLISH):
        return f"{trouble.words[0].lower()}{trouble.words[1:]}. {remedy_of(trouble)}"
