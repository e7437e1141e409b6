"""What a table holds for good, in large pages, through which a processor finds its way without a look at their tables.

A card at a quiet table finds the processor's caches full of other work, and touches some thousand pages of 4 KiB on its
way to the lamp: where each is must then be read from memory too, in a virtual machine twice.
"""

from typing import Final

from feltd.table.host.mapped import Mapped, advise

_COLLAPSE: Final = 25
"""MADV_COLLAPSE of madvise(2), Linux 6.1 and later: the kernel puts each whole 2 MiB into one page, now."""
_FULL: Final = 0.95
"""Part of a range that must be in memory: large pages fill up the rest of it, which the table's memory grows by."""


def take_large_pages() -> None:
    """Have the system put what the process holds into large pages; never raises.

    It takes some tens of milliseconds, in which this process's threads work on: meant for a thread. What a system
    cannot do, or has no room for, stays in small pages.
    """
    advise(_COLLAPSE, is_held)


def is_held(one: Mapped) -> bool:
    """Whether a range is memory that Python or the C library has asked for, private and no file's, nearly all there."""
    if one.rights != "rw-p" or one.inode != "0" or one.name not in ("", "[heap]"):
        return False
    return "Rss" in one.kib and one.kib["Rss"] * 1024 >= _FULL * (one.end - one.begin)
