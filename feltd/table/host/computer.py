"""State of the computer under the table: temperature, supply, disk, time since its start.

None for values that a machine does not report. No other program is asked: the kernel's files are read.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROCESSOR: Final = ("cpu-thermal", "cpu_thermal", "soc-thermal", "x86_pkg_temp", "coretemp")
_NOW: Final = 1 << 0
_SINCE_START: Final = 1 << 16
"""Bits of the Raspberry Pi's `get_throttled`: the supply is too low now; it has been since the start."""


@dataclass(frozen=True, slots=True)
class UnderVoltage:
    """Whether the board's supply is too low.

    `before`: whether it has been since the start; None where the board does not say.
    """

    now: bool
    before: bool | None


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system of a folder, and the size of the journal in it. Bytes."""

    free: int
    total: int
    journal: int


def processor_celsius(system: Path = Path("/sys")) -> float | None:
    """The processor's temperature in °C.

    Of several sensors the processor's own, else the first.
    """
    readings: list[tuple[int, float]] = []
    for zone in sorted(system.glob("class/thermal/thermal_zone*")):
        kind, millidegrees = _text(zone / "type"), _whole(zone / "temp", 10)
        if kind is not None and millidegrees is not None:
            rank = _PROCESSOR.index(kind) if kind in _PROCESSOR else len(_PROCESSOR)
            readings.append((rank, millidegrees / 1000))
    return min(readings)[1] if readings else None


def under_voltage(system: Path = Path("/sys")) -> UnderVoltage | None:
    """The under-voltage flags of a Raspberry Pi; None on other boards."""
    for file in sorted(system.glob("devices/platform/soc/*/get_throttled")):
        bits = _whole(file, 16)
        if bits is not None:
            return UnderVoltage(bool(bits & _NOW), bool(bits & _SINCE_START))
    for sensor in sorted(system.glob("class/hwmon/hwmon*")):
        if _text(sensor / "name") == "rpi_volt" and (alarm := _whole(sensor / "in0_lcrit_alarm", 10)) is not None:
            return UnderVoltage(alarm != 0, None)
    return None


def disk(journal: Path) -> Disk | None:
    """The disk that the journal is on. Blocks while the disk does: ask in a thread."""
    try:
        room = os.statvfs(journal.parent)
        sizes = [file.stat().st_size for file in journal.parent.glob(f"{journal.name}*") if file.is_file()]
    except OSError:
        return None
    return Disk(room.f_bavail * room.f_frsize, room.f_blocks * room.f_frsize, sum(sizes))


def seconds_since_start() -> float:
    """Since the computer was started, its sleep included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _whole(file: Path, base: int) -> int | None:
    try:
        return int(_text(file) or "", base)
    except ValueError:
        return None
