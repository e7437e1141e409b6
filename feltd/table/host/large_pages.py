"""What a table holds for good, in large pages, through which a processor finds its way without a look at their tables.

A card at a quiet table finds the processor's caches full of other work, and touches some thousand pages of 4 KiB on its
way to the lamp: where each is must then be read from memory too, in a virtual machine twice.
"""

import ctypes
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_MAPPED: Final = Path("/proc/self/smaps")
_COLLAPSE: Final = 25
"""MADV_COLLAPSE of madvise(2), Linux 6.1 and later: the kernel puts each whole 2 MiB into one page, now."""
_FULL: Final = 0.95
"""Part of a range that must be in memory: large pages fill up the rest of it, which the table's memory grows by."""

_RANGE: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0\s+(?:\[heap\])?\n")
"""Of memory that is private and no file's: what Python and the C library have asked for."""
_RESIDENT: Final = re.compile(r"Rss:\s+(\d+) kB\n")


def take_large_pages() -> None:
    """Have the system put what the process holds into large pages; never raises.

    It takes some tens of milliseconds, in which this process's threads work on: meant for a thread. What a system
    cannot do, or has no room for, stays in small pages.
    """
    with suppress(OSError):  # no /proc
        libc = ctypes.CDLL(None)
        with _MAPPED.open(encoding="utf-8", errors="replace") as lines:  # a file may have any name
            ranges = list(full_ranges(lines))
        for begin, size in ranges:
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(size), _COLLAPSE)


def full_ranges(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The begin and the bytes of each range of the process's own memory that is nearly all there.

    `lines`: those of `/proc/PID/smaps`.
    """
    begin = size = 0
    for line in lines:
        if (own := _RANGE.fullmatch(line)) is not None:
            begin, end = (int(address, 16) for address in own.groups())
            size = end - begin
        elif size and (resident := _RESIDENT.fullmatch(line)) is not None:
            if int(resident[1]) * 1024 >= _FULL * size:
                yield begin, size
            size = 0
