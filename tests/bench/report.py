"""What the bench prints: the machine, and one table of what was measured beside each goal."""

import math
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HEADS: Final = ("measured", "value", "beside", "ratio", "goal", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `beside`: what it is compared with; `ratio`: how many times that; `reached`: None where there is no
    goal, or nothing was measured."""

    measured: str
    value: str
    beside: str = ""
    ratio: float | None = None
    goal: str = ""
    reached: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """The line's cells, in the order of the heads."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} ×"
        verdict = "" if self.reached is None else "reached" if self.reached else "not reached"
        return self.measured, self.value, self.beside, ratio, self.goal, verdict


@dataclass(frozen=True, slots=True)
class Spread:
    """A sample's shape, in the sample's unit."""

    count: int
    mean: float
    p50: float
    p99: float
    worst: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Of at least one value."""
        ordered = sorted(values)
        return cls(len(ordered), sum(ordered) / len(ordered), _at(ordered, 0.5), _at(ordered, 0.99), ordered[-1])

    def __str__(self) -> str:
        """Of microseconds."""
        return f"mean {micro(self.mean)}, p50 {micro(self.p50)}, p99 {micro(self.p99)}, max {micro(self.worst)}"


def _at(ordered: Sequence[float], part: float) -> float:
    """The smallest value that this part of all does not exceed."""
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


def micro(microseconds: float) -> str:
    """A time in words, three digits of it."""
    if microseconds < 1000:
        return f"{microseconds:.3g} µs" if microseconds < 100 else f"{microseconds:.0f} µs"
    return f"{microseconds / 1000:.3g} ms" if microseconds < 1e6 else f"{microseconds / 1e6:.3g} s"


def table(rows: Sequence[Row]) -> str:
    """The rows as a table that is readable as it stands, and in a README."""
    lines = [_HEADS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    printed = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    printed.insert(1, "| " + " | ".join("-" * max(3, width) for width in widths) + " |")
    return "\n".join(printed)


def machine(directory: Path) -> str:
    """One line: processor, cores, Python, system, the file system that the disk's numbers are of, and the load."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    cores = len(os.sched_getaffinity(0))
    system = f"Linux {platform.release()}, {platform.machine()}"
    return f"{_processor()}, {cores} cores; {python}; {system}; disk: {_file_system(directory)}; {load()}"


def load() -> str:
    """How much else runs: what a busy machine measures is the others' doing."""
    return f"load average {os.getloadavg()[0]:.1f}"


def _processor() -> str:
    """As the kernel calls it; a board without a model name has its own."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model") and value.strip():
            return value.strip()
    return platform.processor() or "unknown processor"


def _file_system(directory: Path) -> str:
    """The kind and device of the mount that holds the directory."""
    best, found = -1, "unknown"
    for line in Path("/proc/mounts").read_text().splitlines():
        device, mount, kind, *_ = line.split()
        if directory.resolve().is_relative_to(mount) and len(mount) > best:
            best, found = len(mount), f"{kind} on {device}"
    return found
