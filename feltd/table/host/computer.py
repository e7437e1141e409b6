"""State of the computer under the table: temperature, supply, disk, time since its start.

None for values that a machine does not report. No other program is asked: the kernel's files are read.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROCESSOR: Final = ("cpu-thermal", "cpu_thermal", "soc-thermal", "x86_pkg_temp", "coretemp")
_NOW: Final = 1 << 0
_SINCE_START: Final = 1 << 16
"""Bits of the Raspberry Pi's `get_throttled`: the supply is too low now; it has been since the start."""
_FIRMWARE: Final = ("devices/platform/*firmware/get_throttled", "devices/platform/soc*/*firmware/get_throttled")
"""Under /sys: the firmware's node lies in the SoC's, which has an address in its name on a Pi 5 (soc@107c000000)."""


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


def throttled_bits(system: Path = Path("/sys")) -> int | None:
    """The firmware's word of a Raspberry Pi (`get_throttled`), under its maker's kernel; None where nothing says it."""
    files = (file for pattern in _FIRMWARE for file in sorted(system.glob(pattern)))
    return next((bits for file in files if (bits := _whole(file, 16)) is not None), None)


def under_voltage(system: Path = Path("/sys")) -> UnderVoltage | None:
    """Whether the supply of a Raspberry Pi is too low; None on other boards.

    Two files say it, and a kernel may have either or both: the firmware's word, and the alarm of the sensor rpi_volt.
    """
    bits, alarms = throttled_bits(system), list(_alarms(system))
    if bits is None:
        return UnderVoltage(any(alarms), None) if alarms else None
    return UnderVoltage(bool(bits & _NOW) or any(alarms), bool(bits & _SINCE_START))


def _alarms(system: Path) -> Iterator[bool]:
    for sensor in sorted(system.glob("class/hwmon/hwmon*")):
        if _text(sensor / "name") == "rpi_volt":
            said = (_whole(file, 10) for file in sorted(sensor.glob("in*_lcrit_alarm")))
            yield from (alarm != 0 for alarm in said if alarm is not None)


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
