"""A process's turns at the processor: a table's come at once, and those of what runs beside it never in their place."""

import ctypes
import os
import platform
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final

TABLES_TURN: Final = 0.0006
"""Seconds of a table's turn. Linux (6.12 and later) lets a process that wakes in at once where its turn is shorter than
that of the process at work; else it waits for the next tick, up to 4 ms. Linux gives everybody 0.7 ms or more, the more
processors the longer. A table works for 0.3 ms a time: a much shorter turn would end in the midst of that."""
_SYSTEMS_TURN: Final = 0.0
"""Linux's own. It is longer than a table's; one of 10 ms would hold up a page's loop beside its own threads."""
NICEST: Final = 19
_CALL: Final = {"x86_64": 314, "aarch64": 274, "riscv64": 274, "armv7l": 380}
"""sched_setattr(2), which has no function in Python's library or in Debian 12's."""
_ATTRIBUTES: Final = struct.Struct("=IIQiIQQQ")
_ITSELF: Final = 0
_THREADS: Final = Path("/proc/self/task")
_LOWEST: Final = 1
"""Of the priorities that the real-time turns have."""
_CHILDREN_DO_NOT: Final = 1
"""SCHED_FLAG_RESET_ON_FORK: what a thread starts from then on has everybody's turns."""


def comes_at_once() -> None:
    """Give this process, and the threads that it starts, short turns; a system that has or allows none is left be."""
    _set(_ITSELF, os.SCHED_OTHER, os.getpriority(os.PRIO_PROCESS, 0), TABLES_TURN)


def comes_first() -> None:
    """Have the threads that this process has now come before all that the system shares the processors among.

    Whatever wakes one of them has it at work at once (SCHED_RR at the lowest priority), however much else runs. Linux
    keeps a twentieth of each processor for the others (`sched_rt_runtime_us`), so a thread that never ends its work
    starves nobody. Threads and processes that these start have everybody's turns. Needs RLIMIT_RTPRIO of 1 or more; a
    system that does not allow it is left be, and the turns of `comes_at_once` stay.
    """
    for thread in _THREADS.iterdir():
        _set(int(thread.name), os.SCHED_RR, 0, 0.0, flags=_CHILDREN_DO_NOT, priority=_LOWEST)


def comes_last(pid: int, niceness: int) -> None:
    """Have a process yield to those that must come at once, as far as the system allows; never raises.

    It has this niceness, the system's own turns, and takes nobody's turn when it wakes (SCHED_BATCH). It gets its share
    all the same: with SCHED_IDLE, on a machine that has much to do, a page did not come to serve in a minute. A page's
    unit goes further, for a machine whose work is the table (`feltdidle.slice`). `pid`: 0 is this process.
    """
    niceness = min(NICEST, niceness)
    with suppress(ProcessLookupError, PermissionError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)
    _set(pid, os.SCHED_BATCH, niceness, _SYSTEMS_TURN)


def _set(pid: int, policy: int, niceness: int, turn: float, *, flags: int = 0, priority: int = 0) -> None:
    number = _CALL.get(platform.machine())
    if number is not None:
        told = _ATTRIBUTES.pack(_ATTRIBUTES.size, policy, flags, niceness, priority, round(turn * 1e9), 0, 0)
        ctypes.CDLL(None).syscall(number, pid, told, 0)
