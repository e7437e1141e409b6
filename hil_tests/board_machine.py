"""A board's machine: it starts from the disk of an image, by firmware and boot loader, as a board does."""

import hashlib
import json
import os
import shutil
import ssl
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from debian.layout import ROOT
from hil_tests.machine import write_log
from hil_tests.machine.ground import AMD64, ARM64, SPARED, Kind
from hil_tests.machine.qemu import Machine
from image.build import HERE

FIRMWARE: Final = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
"""Of amd64."""
FIRMWARES: Final[Mapping[Kind, tuple[Path, Path]]] = MappingProxyType(
    {
        AMD64: (FIRMWARE, Path("/usr/share/OVMF/OVMF_VARS_4M.fd")),
        ARM64: (Path("/usr/share/AAVMF/AAVMF_CODE.fd"), Path("/usr/share/AAVMF/AAVMF_VARS.fd")),
    }
)
"""Of each architecture, and the variables that it begins with."""
NO_WORDS: Final = "set board="
"""A line of GRUB's file on the boot partition: it adds no words to the kernel's."""
SECTOR: Final = 512
DISK_BYTES: Final = 5 << 30
"""Of the card: more than the image, so that the data partition has something to grow over."""
START_SECONDS: Final = 3000.0
"""From power to a table that is ready. A quiet host takes 70 s, one with ten times its work more than 900."""
PAGE: Final = "10.0.2.15"
"""The address that QEMU's own network gives the first machine that asks."""
READY: Final = r"Table 9: ready, door at /run/feltd-door/table"


@dataclass(frozen=True, slots=True)
class Partition:
    """One of the disk's. Bytes."""

    name: str
    start: int
    size: int


class BoardMachine(Machine):
    """A machine that starts from a disk alone, with a stick in its USB port. `network`: QEMU's words for one.

    `log`: the file that is to have what the disk is asked (`machine.write_log`). `processors`: one costs the host a
    third less than two do; a board has more. `devices`: QEMU's words for what is in its USB ports beside the stick.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        disk: Path,
        network: str = "none",
        log: Path | None = None,
        kind: Kind = AMD64,
        *,
        processors: int = 2,
        devices: Sequence[str] = (),
    ) -> None:
        self.folder, self.name = folder, name
        self.console_file, self.monitor = folder / "console.log", folder / "qmp.sock"
        self._process, self._orders = None, 0
        firmware, variables = FIRMWARES[kind]
        shutil.copyfile(variables, folder / "variables")
        (folder / "stick").write_bytes(b"")
        os.truncate(folder / "stick", 64 << 20)
        flash, drive = "if=pflash,format=raw", "if=none,format=raw,cache=unsafe"
        bare = ["-drive", f"{drive},id=disk,file={disk}", "-device", "virtio-blk-pci,drive=disk,bootindex=0"]
        started_from = bare if log is None else write_log.device(disk, log)
        self._arguments = [
            *kind.board, "-accel", "tcg,thread=multi", "-smp", str(processors), "-m", "1024",
            "-display", "none", "-nic", network, "-nodefaults", "-no-reboot",
            "-drive", f"{flash},readonly=on,file={firmware}", "-drive", f"{flash},file={folder / 'variables'}",
            *started_from,
            "-device", "qemu-xhci", "-drive", f"{drive},id=stick,file={folder / 'stick'}",
            "-device", "usb-storage,drive=stick", *devices,
            "-serial", f"file:{self.console_file}", "-qmp", f"unix:{self.monitor},server=on,wait=off",
        ]  # fmt: skip


def partitions(disk: Path) -> dict[str, Partition]:
    """The disk's partitions by name, as its table has them."""
    found = {}
    with disk.open("rb") as file:
        file.seek(SECTOR)
        at, count, length = struct.unpack("<QII", file.read(88)[72:])
        file.seek(at * SECTOR)
        for entry in (file.read(length) for _ in range(count)):
            first, last = struct.unpack("<QQ", entry[32:48])
            name = entry[56:].decode("utf-16-le").rstrip("\0")
            if last:
                found[name] = Partition(name, first * SECTOR, (last + 1 - first) * SECTOR)
    return found


def digest(disk: Path, part: Partition) -> str:
    made = hashlib.sha256()
    with disk.open("rb") as file:
        file.seek(part.start)
        for _ in range(part.size >> 20):
            made.update(file.read(1 << 20))
    return made.hexdigest()


def looked_at(disk: Path, part: Partition, request: str) -> str:
    """What debugfs says of a file system on the disk; it writes nothing."""
    asked = ["debugfs", "-R", request, f"{disk}?offset={part.start}"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def mtools(*words: str) -> subprocess.CompletedProcess[str]:
    quiet = os.environ | {"MTOOLS_SKIP_CHECK": "1"}
    return subprocess.run(words, capture_output=True, text=True, check=False, env=quiet)


def page_network(port: int) -> str:
    """QEMU's words for a network that gives the board `PAGE`, and leads to its page from this machine's `port`."""
    return f"user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:{port}-{PAGE}:8080"


def ask_page(port: int, body: Mapping[str, str], seconds: float) -> tuple[int, Any]:
    """What the board's page answers to who signs in there, by TLS, once it is reached: the status, and what it says.

    It is asked once: an account's code whose answer came too late is over. Raises TimeoutError where the page is not
    reached within so many seconds, or does not answer within as many.
    """
    asked = _reached(port, seconds)
    try:
        asked.request("POST", "/api/v1/session", json.dumps(body), {"content-type": "application/json"})
        answer = asked.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        asked.close()


def _reached(port: int, seconds: float) -> HTTPSConnection:
    """A connection to the page, its handshake done."""
    nobody_vouches = ssl.create_default_context()
    nobody_vouches.check_hostname, nobody_vouches.verify_mode = False, ssl.CERT_NONE
    until = time.monotonic() + seconds
    while True:
        asked = HTTPSConnection("127.0.0.1", port, timeout=120.0, context=nobody_vouches)
        try:
            asked.connect()
            asked.sock.settimeout(seconds)
            return asked
        except OSError as fault:
            asked.close()
            if time.monotonic() > until:
                raise TimeoutError(f"the board's page is not reached: {fault}") from None
            time.sleep(2.0)


def owned(
    image: Path,
    files: Mapping[str, str] = MappingProxyType({}),
    kind: Kind = AMD64,
    *,
    watched: bool = True,
    table: str = "",
) -> Path:
    """The image on a card that is larger, with the owner's files on its boot partition, and a console that tells.

    `files`: more of them beside the table's own, by name, one folder deep at most. The page is at `PAGE`.
    `watched`: whether systemd ends a process that does not feed its watchdog, as on a board. In an emulated machine on
    a busy host neither a table nor a page that compares a password feeds it, so each was ended again and again.
    `table`: what else its file says.
    """
    os.truncate(image, DISK_BYTES)
    boot = f"{image}@@{partitions(image)['boot'].start}"
    work = image.parent / "given"
    work.mkdir()
    own = (ROOT / "debian/table.toml").read_text(encoding="utf-8").replace("Table 1", "Table 9")
    own = own.replace('host = "127.0.0.1"', f'host = "{PAGE}"')
    (work / "table.toml").write_text(own + table, encoding="utf-8")
    # A board tells its screen last and so most; this machine has none, and its serial port is read. On a busy machine
    # units have taken longer than 90 s to start. Its disks have their time in /etc/fstab.
    patient = f"console={kind.console} systemd.journald.forward_to_console=1 systemd.default_timeout_start_sec=900"
    patient += f" {SPARED} {kind.spared}".rstrip()
    patient += "" if watched else " systemd.service_watchdogs=0"
    told = (HERE / "grub.cfg").read_text(encoding="utf-8")
    assert NO_WORDS in told
    (work / "grub.cfg").write_text(told.replace(NO_WORDS, f'{NO_WORDS}"{patient}"'), encoding="utf-8")
    for name, text in files.items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")
    folders = sorted(f"::feltd/{folder.name}" for folder in work.iterdir() if folder.is_dir())
    for words in (
        ("mmd", "-i", boot, "::feltd", *folders),
        *(("mcopy", "-i", boot, str(work / name), f"::feltd/{name}") for name in files),
        ("mcopy", "-i", boot, str(work / "table.toml"), "::feltd/table.toml"),
        ("mcopy", "-o", "-i", boot, str(work / "grub.cfg"), "::EFI/debian/grub.cfg"),
    ):
        done = mtools(*words)
        assert done.returncode == 0, done.stderr
    return image
