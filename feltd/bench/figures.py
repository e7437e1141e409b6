"""What was measured, held against what a table needs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from feltd.table.host.board_watch import is_doubtful

SYNC: Final = "a bare write and sync of one block on this disk, median"
"""The name of the figure by which a disk is doubted."""


class Unit(StrEnum):
    """The unit of a figure, as it is printed."""

    NANOSECONDS = "ns"
    MICROSECONDS = "µs"
    MILLISECONDS = "ms"
    SECONDS = "s"
    MEBIBYTES = "MiB"
    KIBIBYTES = "KiB"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value.

    `limit`: the most that a table bears, in the same unit; None where the value only says how the others came about.
    `remedy`: what to do where it is above the limit.
    """

    name: str
    value: float
    unit: Unit
    limit: float | None = None
    remedy: str = ""

    @property
    def is_enough(self) -> bool:
        """Whether a table can live with it."""
        return self.limit is None or self.value <= self.limit


def sync_doubt(device: str, median_sync: float) -> str | None:
    """Return why a card's syncs are not to be believed, or None.

    `device`: the disk's name under /sys/block. `median_sync`: seconds of a bare `fdatasync` of one block.
    """
    if not is_doubtful(device, median_sync):
        return None
    return (
        f"{device} says after {median_sync * 1e6:.0f} µs that a block is written, which no memory card can do. When "
        "the power fails it may lose what a device was told is recorded: use another card, and cut its power in a trial"
    )


def percentile(values: Sequence[float], part: float) -> float:
    """Return the smallest of the values (at least one) that this part of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]
