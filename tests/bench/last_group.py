"""A control group whose processes yield to all else on this machine, as a page's unit has it (`feltdidle.slice`).

Root alone may make one. Elsewhere a page has what `feltd run` gives it (`feltd.text.processor.comes_last`).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

LOOK_EVERY: Final = 0.05
"""Seconds until a process that was started meanwhile is in the group."""
GONE_WITHIN: Final = 100
"""Looks for the group's processes to have ended."""
_ROOTS: Final = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))
"""Where groups for processors are, of the kernel's older hierarchy and of its newer one."""
TAKEN_OUT: Final = (
    "something on this system has taken the page out of the group in which it yields to all else, as in its unit: do "
    "not hold these figures against others"
)


def without(instead: str) -> str:
    """What the bench says where there is no such group. `instead`: how the page gives way there."""
    return (
        "this system lets nobody make a group for the page that yields to all else, which its unit gives it (root may, "
        "on Linux 5.15 or later with control groups for processors): it has a share of the processors here, with "
        f"{instead}"
    )


class LastGroup:
    """The group. One at the top, beside what the system has: within another one it would yield to that one's alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take(self, pid: int) -> None:
        """Have a process in it, with the threads that it has; one that has ended is left be."""
        with suppress(ProcessLookupError):
            (self._folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def has(self, pid: int) -> bool:
        """Whether this process is in it."""
        return str(pid) in (self._folder / "cgroup.procs").read_text(encoding="ascii").split()

    async def remove(self) -> None:
        """Remove it, once the processes in it are gone. Raises OSError where they stay."""
        for _ in range(GONE_WITHIN):
            with suppress(OSError):
                self._folder.rmdir()
                return
            await asyncio.sleep(LOOK_EVERY)
        self._folder.rmdir()


def make_last_group(roots: tuple[Path, ...] = _ROOTS) -> LastGroup | None:
    """Make the group; None where this system does not let it be made."""
    for root in roots:
        folder = root / f"feltd-bench-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            # A group without this file would have a share; in a plain folder the write would make it.
            if (folder / "cpu.idle").exists():
                (folder / "cpu.idle").write_text("1", encoding="ascii")
                return LastGroup(folder)
        except OSError:
            pass
        folder.rmdir()
    return None


@asynccontextmanager
async def last_group(roots: tuple[Path, ...] = _ROOTS) -> AsyncIterator[LastGroup | None]:
    """Make the group, and remove it behind the block, when all in it has ended; gives None where none can be made."""
    group = make_last_group(roots)
    try:
        yield group
    finally:
        if group is not None:
            await group.remove()


@asynccontextmanager
async def kept_in(group: LastGroup, process: Callable[[], int | None]) -> AsyncIterator[None]:
    """Have whatever process this gives in the group, within the block: one that is started anew is another one."""

    async def again_and_again() -> None:
        known = None
        while True:
            if (pid := process()) is not None and pid != known:
                group.take(pid)
                known = pid
            await asyncio.sleep(LOOK_EVERY)

    keeping = asyncio.create_task(again_and_again())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
