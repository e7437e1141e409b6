"""Faults of a serial port before a start, found without opening it.

Opening a port can reset the board behind it.
"""

import grp
import os
import pwd
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from firmware_bridge.serial_port import may_change

_PSEUDO_TERMINALS: Final = Path("/dev/pts")

May = Callable[[Path, int], bool]
"""`os.access`, or a test's own."""


def port_fault(port: Path, device: str, may: May, holder_of: Callable[[Path], str | None]) -> str | None:
    """The reason why `device` could not be opened at `port`, with the remedy; None for none."""
    try:
        kind = port.stat()
    except OSError:
        return f'{port} does not exist: is "{device}" plugged in and powered? There are: {_ports_there(port)}'
    if not stat.S_ISCHR(kind.st_mode):
        return f"{port} is no serial port"
    if may_change(str(port)):
        return (
            f"{port} may mean another device tomorrow: use the port's path in /dev/serial/by-id or /dev/serial/by-path "
            "(feltd's udev rule makes one for the board's own ports)"
        )
    if not may(port, os.R_OK | os.W_OK):
        return _permission(port, kind)
    holder = holder_of(port)
    return None if holder is None else f"{port} is busy: {holder} has it open; stop that first"


def _ports_there(port: Path) -> str:
    folder = port.parent if port.parent.is_dir() else Path("/dev/serial/by-id")
    names = sorted(str(folder / name) for name in os.listdir(folder)) if folder.is_dir() else []
    if folder == Path("/dev") or not names:
        return "no serial ports by stable path"
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def _permission(port: Path, kind: os.stat_result) -> str:
    user = user_name()
    try:
        group = grp.getgrgid(kind.st_gid).gr_name
    except KeyError:
        group = str(kind.st_gid)
    opens = stat.S_IMODE(kind.st_mode) & 0o060 == 0o060
    remedy = (
        f"add {user} to the group {group} (usermod -aG {group} {user}), or install feltd's udev rule"
        if opens and group != "root"
        else "install feltd's udev rule, which gives the device to the group feltd"
    )
    return (
        f"{port}: {user} may not read and write it (owner group {group}). Under systemd udev opens what the table's "
        f"file names when the table starts: start felt-table again. Else {remedy}"
    )


def user_name() -> str:
    """The user this process runs as."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def port_holder(port: Path) -> str | None:
    """The process that has a port open, as far as the system reveals it.

    Shown by a lock on the port, or a descriptor of a process we may look into. For pseudo-terminals only locks count:
    their own device keeps them open.
    """
    real = port.resolve()
    node = real.stat()
    locked_by = _lock_holder(Path("/proc/locks"), node)
    if locked_by is not None:
        return process_words(locked_by)
    if real.is_relative_to(_PSEUDO_TERMINALS):
        return None
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) != os.getpid() and real in _open_files(process):
            return process_words(int(process.name))
    return None


def _lock_holder(locks: Path, node: os.stat_result) -> int | None:
    """The process with a lock on the file.

    Lines read `1: FLOCK ADVISORY WRITE 812 00:05:1234 0 EOF`.
    """
    wanted = f"{os.major(node.st_dev):02x}:{os.minor(node.st_dev):02x}:{node.st_ino}"
    try:
        lines = locks.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) >= 6 and words[5] == wanted and "->" not in words:
            return int(words[4])
    return None


def _open_files(process: Path) -> set[Path]:
    try:
        return {Path(os.readlink(descriptor)) for descriptor in (process / "fd").iterdir()}
    except OSError:
        return set()  # another user's process, or one that has just ended


def process_words(pid: int) -> str:
    """A process by its number and its program's name."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return f"process {pid}"
    return f"process {pid} ({name})"
