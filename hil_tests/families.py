"""Processes by their numbers: those that others have started, and whether one is still there."""

from collections.abc import Iterable, Iterator
from pathlib import Path


def family_of(pids: Iterable[int]) -> set[int]:
    """These processes, and all that they have started."""
    found = set(pids)
    while more := {child for pid in found for child in _children(pid)} - found:
        found |= more
    return found


def is_alive(pid: int) -> bool:
    """Whether it is there, and not only waits for its end to be noted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _children(pid: int) -> Iterator[int]:
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (thread / "children").read_text(encoding="ascii").split())
    except (FileNotFoundError, ProcessLookupError):
        return
