"""What a board is: its model, processor, memory, system and disk. Nothing that tells one board from its twin."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.table.host.computer import throttled_bits, under_voltage
from feltd.text.version import version_of_feltd

_ROOT: Final = Path("/")
_KIB_A_MIB: Final = 1024


@dataclass(frozen=True, slots=True)
class Disk:
    """Where a folder lies: the file system, its options, and the name and kind of the disk beneath."""

    file_system: str
    options: str
    device: str
    model: str | None


@dataclass(frozen=True, slots=True)
class Machine:
    """The facts of a report. Serial numbers, host names and addresses are left out on purpose.

    `memory`: MiB. `frequency`: the highest of the first processor, MHz. `degrees`: Celsius. `throttled`: the firmware's
    word of a Raspberry Pi (bit 0: the supply sags now; bit 16: it did since the start); all None where nothing says it.
    """

    model: str
    processor: str
    cores: int
    frequency: int | None
    governor: str | None
    memory: int | None
    degrees: float | None
    throttled: int | None
    kernel: str
    system: str
    python: str
    version: str
    load: float
    disk: Disk


def machine(folder: Path, root: Path = _ROOT) -> Machine:
    """Look at this machine, and at the disk of `folder`. `root`: where /proc, /sys and /etc lie."""
    clock = root / "sys/devices/system/cpu/cpu0/cpufreq"
    frequency = _number(clock / "cpuinfo_max_freq")
    degrees = _number(root / "sys/class/thermal/thermal_zone0/temp")
    return Machine(
        model=_line(root / "proc/device-tree/model") or _line(root / "sys/class/dmi/id/product_name") or "unknown",
        processor=_processor(root / "proc/cpuinfo"),
        cores=len(os.sched_getaffinity(0)),
        frequency=None if frequency is None else frequency // 1000,
        governor=_line(clock / "scaling_governor"),
        memory=_memory(root / "proc/meminfo"),
        degrees=None if degrees is None else degrees / 1000,
        throttled=_throttled(root / "sys"),
        kernel=f"{platform.release()} {platform.machine()}",
        system=_system(root / "etc/os-release"),
        python=platform.python_version(),
        version=version_of_feltd(),
        load=os.getloadavg()[0],
        disk=disk_of(folder, root),
    )


def disk_of(folder: Path, root: Path = _ROOT) -> Disk:
    """Return where a folder lies, by the mounts of this process."""
    best, found = -1, Disk("unknown", "", "unknown", None)
    place = folder.resolve()
    for line in _text(root / "proc/self/mounts").splitlines():
        source, point, kind, options, *_ = (*line.split(" "), "", "", "", "")
        mount = Path(point.encode().decode("unicode_escape")) if point else None
        if mount is None or not place.is_relative_to(mount) or len(mount.parts) < best:
            continue
        best = len(mount.parts)
        device = Path(source).name if source.startswith("/dev/") else source
        found = Disk(kind, options, device, _model_of(device, root))
    return found


def _model_of(device: str, root: Path) -> str | None:
    """The kind of a disk by its maker's word; a partition has it from its disk."""
    for block in sorted(path.name for path in (root / "sys/block").glob("*")):
        if device.startswith(block):
            return _line(root / "sys/block" / block / "device/name") or _line(
                root / "sys/block" / block / "device/model"
            )
    return None


def _processor(file: Path) -> str:
    lines = (line.partition(":") for line in _text(file).splitlines())
    named = {key.strip(): value.strip() for key, _, value in lines}
    part = named.get("CPU part")
    return named.get("model name") or (f"CPU part {part}" if part else "unknown")


def _memory(file: Path) -> int | None:
    for line in _text(file).splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) // _KIB_A_MIB
    return None


def _system(file: Path) -> str:
    for line in _text(file).splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return platform.system()


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""  # this machine does not say it: the report says "unknown"


def _line(file: Path) -> str | None:
    return _text(file).strip("\0\n ") or None


def _number(file: Path) -> int | None:
    said = _line(file)
    return int(said) if said is not None and said.isdigit() else None


def _throttled(system: Path) -> int | None:
    """The firmware's word, with the supply's alarm as its bit 0; that bit where a kernel has the alarm alone."""
    bits, supply = throttled_bits(system), under_voltage(system)
    return None if supply is None else (bits or 0) | int(supply.now)
