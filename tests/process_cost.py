"""What a process takes of memory and processors, as the kernel tells it (proc(5))."""

import os
from pathlib import Path
from typing import Final

_MIB: Final = 1 << 20


def resident(pid: int) -> float:
    """MiB resident now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


def processor_time(pid: int) -> float:
    """Seconds of a processor taken so far, by all its threads."""
    after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, after_name[11:13])) / os.sysconf("SC_CLK_TCK")
