"""Whether the table that is measured has a table's turns at the processor here (`feltd.text.processor`)."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FIRST = os.SCHED_RR | os.SCHED_RESET_ON_FORK


def has_tables_turns(pid: int) -> bool:
    """Whether this process comes before all else, as a table that plays asks the system for."""
    return os.sched_getscheduler(pid) == _FIRST


@contextmanager
def turns_told(pid: int) -> Iterator[None]:
    """Measure a table in this block; behind it, say so where the system has refused the table its turns.

    What was measured then is not what a table's unit gets. A table asks for its turns just after it has told that it is
    ready: whoever asks before the figures are taken sees a table without them that gets them yet.
    """
    yield
    if not has_tables_turns(pid):
        sys.stderr.write(
            "bench: this system refuses the table its turns before all else (SCHED_RR), which its unit gives it: do "
            "not hold these figures against others. Root gets them, outside of a control group without real time "
            "(cpu.rt_runtime_us of 0)\n"
        )
