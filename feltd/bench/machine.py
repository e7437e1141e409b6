"""What a board is: its model, processor, memory, system and disk. Nothing that tells one board from its twin."""

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.table.host.computer import throttled_bits, under_voltage
from feltd.table.host.disks import beneath
from feltd.text.version import version_of_feltd

_ROOT: Final = Path("/")
_KIB_A_MIB: Final = 1024
_UNKNOWN: Final = "unknown"
NO_DISK: Final = ("tmpfs", "ramfs", "overlay")
"""File systems in memory, or over others."""
_OPTIONS: Final = frozenset({
    "rw", "ro", "sync", "dirsync", "noatime", "nodiratime", "relatime", "strictatime", "lazytime", "nosuid", "nodev",
    "noexec", "discard", "nodiscard", "data", "commit", "barrier", "nobarrier", "errors", "journal_checksum",
    "journal_async_commit", "nodelalloc", "delalloc", "auto_da_alloc", "noauto_da_alloc", "compress", "compress-force",
    "ssd", "nossd", "flushoncommit", "noflushoncommit", "fsync_mode", "flush",
})  # fmt: skip
_OCTAL: Final = re.compile(r"\\([0-7]{3})")
"""How the kernel writes a blank in a mount's place."""
_RELEASE: Final = re.compile(r"[0-9]+(?:\.[0-9]+)*")


@dataclass(frozen=True, slots=True)
class Disk:
    """Where a folder lies: the file system, its options, what it is on, and the disk by its maker's word.

    `device`, `disks`: the partition or volume, and the whole disks beneath, by the kernel's names; no disks where that
    cannot be told. `layers`: what lies between. What people have named, volumes, servers and folders, is left out.
    """

    file_system: str
    options: str
    device: str
    model: str | None
    disks: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()


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
        kernel=f"{_release(platform.release(), platform.node())} {platform.machine()}",
        system=_system(root / "etc/os-release"),
        python=platform.python_version(),
        version=version_of_feltd(),
        load=os.getloadavg()[0],
        disk=disk_of(folder, root),
    )


def disk_of(folder: Path, root: Path = _ROOT) -> Disk:
    """Return where a folder lies, by the mounts of this process."""
    best, found = -1, Disk(_UNKNOWN, "", _UNKNOWN, None)
    place = folder.resolve()
    for line in _text(root / "proc/self/mountinfo").splitlines():
        mount, _, file_system = line.partition(" - ")
        number, point, options, kind, source = _fields(mount, file_system)
        if not point or not place.is_relative_to(point) or len(Path(point).parts) < best:
            continue
        best = len(Path(point).parts)
        found = _disk(number, source, kind, options, root)
    return found


def _fields(mount: str, file_system: str) -> tuple[str, str, str, str, str]:
    """Of a line of mountinfo, parted in the middle: number, place, options, kind and source."""
    _, _, number, _, point, options, *_ = (*mount.split(" "), *[""] * 6)
    kind, source, more, *_ = (*file_system.split(" "), *[""] * 3)
    plain = _OCTAL.sub(lambda found: chr(int(found[1], 8)), point)
    return number, plain, f"{options},{more}", kind, source


def _disk(number: str, source: str, kind: str, options: str, root: Path) -> Disk:
    system = root / "sys"
    under = beneath(number, system) or beneath(_number_of(source, root), system)
    if under is None:
        memory = kind if kind in NO_DISK else _UNKNOWN
        return Disk(kind, _plain(options), memory, None)
    models = dict.fromkeys(_model_of(disk, root) for disk in under.disks)
    model = ", ".join(one for one in models if one) or None
    return Disk(kind, _plain(options), under.device, model, under.disks, under.layers)


def _number_of(source: str, root: Path) -> str:
    """The number of a device by its name; of a file system over several devices (btrfs) the kernel has none."""
    if not source.startswith("/dev/"):
        return ""
    for block in (root / "sys/class/block").glob("*"):
        if source in (f"/dev/{block.name}", f"/dev/mapper/{_line(block / 'dm/name')}"):
            return _line(block / "dev") or ""
    return ""


def _plain(options: str) -> str:
    """The options that are everybody's; others name volumes, servers, people and folders."""
    said = dict.fromkeys(option for option in options.split(",") if option.partition("=")[0] in _OPTIONS)
    if "ro" in said:
        said.pop("rw", None)  # of the file system, which may be mounted elsewhere
    return ",".join(said)


def _model_of(disk: str, root: Path) -> str | None:
    """The kind of a disk by its maker's word."""
    block = root / "sys/block" / disk / "device"
    return _line(block / "name") or _line(block / "model")


def _release(release: str, host: str) -> str:
    """The kernel's release; its number alone where somebody has put the machine's name behind it."""
    name = host.partition(".")[0].lower()
    if not name or name not in release.lower():
        return release
    found = _RELEASE.match(release)
    return found[0] if found else _UNKNOWN


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
