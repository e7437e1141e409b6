"""What this process has mapped, as the kernel tells it (proc(5)), and what the kernel is told of it (madvise(2))."""

import ctypes
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MAPPED: Final = Path("/proc/self/smaps")


@dataclass(frozen=True, slots=True)
class Mapped:
    """A range of addresses, from `begin` to before `end`.

    `rights`: as `rw-p`. `inode`: of its file, or 0. `name`: of its file, as `[heap]`, or empty. `kib`: how much of it
    is resident (`Rss`), the process's own (`Anonymous`) and so on, in KiB.
    """

    begin: int
    end: int
    rights: str
    inode: str
    name: str
    kib: dict[str, int] = field(default_factory=dict)


def ranges(lines: Iterable[str]) -> Iterator[Mapped]:
    """The ranges that the lines of `/proc/PID/smaps` tell."""
    one: Mapped | None = None
    for line in lines:
        words = line.split(maxsplit=5)
        if not words[0].endswith(":"):
            if one is not None:
                yield one
            begin, _, end = words[0].partition("-")
            one = Mapped(int(begin, 16), int(end, 16), words[1], words[4], "".join(words[5:]).rstrip("\n"))
        elif one is not None and words[2:] == ["kB"]:
            one.kib[words[0][:-1]] = int(words[1])
    if one is not None:
        yield one


def advise(advice: int, meant: Callable[[Mapped], bool]) -> None:
    """Tell the kernel this of each range that is meant; never raises.

    A system that does not say what is mapped, or cannot do what it is told, is left be.
    """
    with suppress(OSError):
        libc = ctypes.CDLL(None)
        with MAPPED.open(encoding="utf-8", errors="replace") as lines:  # a file may have any name
            found = [one for one in ranges(lines) if meant(one)]
        for one in found:
            libc.madvise(ctypes.c_void_p(one.begin), ctypes.c_size_t(one.end - one.begin), advice)
