"""What keeps a process's memory to itself: keys, face-down cards, passwords and sessions lie in it."""

import contextlib
import ctypes
import logging
import os
import resource
from dataclasses import dataclass
from typing import Final

from feltd.table.host.mapped import Mapped, advise

_DONTNEED: Final = 4
"""madvise(2): of a file's unchanged bytes the next look takes them from the file again."""
_SET_DUMPABLE: Final = 4
_CURRENT, _FUTURE, _ONFAULT = 1, 2, 4
"""prctl(2) and mlockall(2): what is mapped now and later is locked once it is touched."""

_log = logging.getLogger("feltd.memory")


@dataclass(frozen=True, slots=True)
class Kept:
    """`locked`: no page of it goes to swap. `closed`: no core file, and no look into it by others of the same user."""

    locked: bool
    closed: bool


def keep_to_itself() -> Kept:
    """Lock the process's memory and close it to others of its user, as far as the system allows; never raises.

    It is locked only where the limit is `infinity` (`LimitMEMLOCK`): under a smaller one a table would run out of
    memory while it plays, and a page while people ask.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    closed = libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0) == 0
    unlimited = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY
    locked = unlimited and libc.mlockall(_CURRENT | _FUTURE | _ONFAULT) == 0
    if unlimited and not locked:
        _log.warning("the memory is not locked, so swap may have it: error %d of the system", ctypes.get_errno())
    return Kept(locked, closed)


def let_go_of_files() -> None:
    """Let go of what the process has looked at in programs and libraries so far; never raises.

    A start looks at much of them that play never needs, as OpenSSL's own beginning: nine mebibytes, of which play asks
    for four again. Those come back from the system's cache of files, 64 KiB in some microseconds. Call before the
    memory is locked: what is locked stays for good. A system that does not say what is mapped is left be.
    """
    advise(_DONTNEED, is_unchanged_file)


def is_unchanged_file(one: Mapped) -> bool:
    """Whether a range is of a file, nobody may write there, and it has no byte of the process's own.

    The linker puts addresses into a library and then forbids to write there: such a range is not to be let go of, as
    the file has other bytes. It has memory of its own, by which it is known, and which may be in swap by then.
    """
    of_file = one.name.startswith("/") and one.rights.startswith("r-")
    return of_file and not one.kib.get("Anonymous") and one.kib.get("Swap") == 0


def give_back() -> None:
    """Give the system what the process has freed of its memory: what a start needs for a moment alone.

    Some tenths of a millisecond. A C library that has no way to do so is left be.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def keep_command_to_itself() -> Kept:
    """The same for a command that a person runs at a shell, which may read keys.

    Root's has its limit lifted first: else what root may lock, a command that works on as a folder's owner may not.
    Of anybody else's command the memory is closed, and locked where their limit is `infinity`.
    """
    if os.geteuid() == 0:
        with contextlib.suppress(OSError, ValueError):  # a container may forbid it: it is closed all the same
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return keep_to_itself()
