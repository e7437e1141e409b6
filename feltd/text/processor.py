"""A process's turns at the processor: a table's come at once, and those of what runs beside it never in their place."""

import ctypes
import os
import platform
import struct
from contextlib import suppress
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


def comes_at_once() -> None:
    """Give this process, and the threads that it starts, short turns; a system that has or allows none is left be."""
    _set(_ITSELF, os.SCHED_OTHER, os.getpriority(os.PRIO_PROCESS, 0), TABLES_TURN)


def comes_last(pid: int, niceness: int) -> None:
    """Have a process yield to those that must come at once, as far as the system allows; never raises.

    It has this niceness, the system's own turns, and takes nobody's turn when it wakes (SCHED_BATCH). It gets its share
    all the same: with SCHED_IDLE, on a machine that has much to do, a page did not come to serve in a minute. `pid`: 0
    is this process.
    """
    niceness = min(NICEST, niceness)
    with suppress(ProcessLookupError, PermissionError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)
    _set(pid, os.SCHED_BATCH, niceness, _SYSTEMS_TURN)


def _set(pid: int, policy: int, niceness: int, turn: float) -> None:
    number = _CALL.get(platform.machine())
    if number is not None:
        told = _ATTRIBUTES.pack(_ATTRIBUTES.size, policy, 0, niceness, 0, round(turn * 1e9), 0, 0)
        ctypes.CDLL(None).syscall(number, pid, told, 0)
