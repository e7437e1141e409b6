"""A board's image is made, starts in a machine from its own boot partition, and loses its power.

QEMU's firmware, GRUB, Debian's kernel and systemd are those that an amd64 board has; its disk, ports and clock are not.
"""

import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from debian.build import project_version
from debian.layout import ROOT
from hil_tests.machine.qemu import PROCESSOR, Machine
from image.build import HERE, ImageError, build, check_tools

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="an image is made by root only"),
]
FIRMWARE: Final = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
VARIABLES: Final = Path("/usr/share/OVMF/OVMF_VARS_4M.fd")
SECTOR: Final = 512
DISK_BYTES: Final = 5 << 30
"""Of the card: more than the image, so that the data partition has something to grow over."""
START_SECONDS: Final = 900.0
"""From power to a table that is ready; a quiet machine takes 70 s."""
READY: Final = r"Table 9: ready, door at /run/feltd-door/table"
FIRST_KEY: Final = r"first key of the record: ([0-9a-f]+)"


@dataclass(frozen=True, slots=True)
class Partition:
    """One of the disk's. Bytes."""

    name: str
    start: int
    size: int


class BoardMachine(Machine):
    """A machine that starts from a disk alone, with a stick in its USB port."""

    def __init__(self, folder: Path, name: str, disk: Path) -> None:
        self.folder, self.name = folder, name
        self.console_file, self.monitor = folder / "console.log", folder / "qmp.sock"
        self._process, self._orders = None, 0
        shutil.copyfile(VARIABLES, folder / "variables")
        (folder / "stick").write_bytes(b"")
        os.truncate(folder / "stick", 64 << 20)
        flash, drive = "if=pflash,format=raw", "if=none,format=raw,cache=unsafe"
        self._arguments = [
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", PROCESSOR, "-M", "q35", "-smp", "2",
            "-m", "1024",
            "-display", "none", "-vga", "none", "-nic", "none", "-nodefaults", "-no-reboot",
            "-drive", f"{flash},readonly=on,file={FIRMWARE}", "-drive", f"{flash},file={folder / 'variables'}",
            "-drive", f"{drive},id=disk,file={disk}", "-device", "virtio-blk-pci,drive=disk,bootindex=0",
            "-device", "qemu-xhci", "-drive", f"{drive},id=stick,file={folder / 'stick'}",
            "-device", "usb-storage,drive=stick",
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


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """The image of this checkout's package."""
    try:
        check_tools()
    except ImageError as reason:
        pytest.skip(str(reason))
    lacking = [tool for tool in ("qemu-system-x86_64", "debugfs", "mmd") if shutil.which(tool) is None]
    if lacking or not FIRMWARE.exists():
        pytest.skip(f"not installed: {', '.join(lacking) or 'ovmf'}: `.ci/image` installs what this needs")
    with tempfile.TemporaryDirectory(prefix="feltd-image-") as place:
        folder = Path(place)
        command = [sys.executable, "-m", "debian.build", "--into", str(folder)]
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        begun = time.monotonic()
        made = build(folder / f"feltd_{project_version()}_amd64.deb", folder, int(time.time()))
        size = made.stat().st_blocks * SECTOR >> 20
        print(f"the image was made in {time.monotonic() - begun:.0f} s, {size} MiB without its holes")
        yield made


def owned(image: Path) -> Path:
    """The image on a card that is larger, with the owner's files on its boot partition, and a console that tells."""
    os.truncate(image, DISK_BYTES)
    boot = f"{image}@@{partitions(image)['boot'].start}"
    work = image.parent / "given"
    work.mkdir()
    table = (ROOT / "debian/table.toml").read_text(encoding="utf-8").replace("Table 1", "Table 9")
    (work / "table.toml").write_text(table, encoding="utf-8")
    told = (HERE / "grub.cfg").read_text(encoding="utf-8")
    told = told.replace("console=ttyS0", "console=ttyS0 systemd.journald.forward_to_console=1")
    (work / "grub.cfg").write_text(told, encoding="utf-8")
    for words in (
        ("mmd", "-i", boot, "::feltd"),
        ("mcopy", "-i", boot, str(work / "table.toml"), "::feltd/table.toml"),
        ("mcopy", "-o", "-i", boot, str(work / "grub.cfg"), "::EFI/debian/grub.cfg"),
    ):
        done = mtools(*words)
        assert done.returncode == 0, done.stderr
    return image


def test_no_secret_and_no_way_in_is_in_the_image(image: Path) -> None:
    system = partitions(image)["root-a"]
    keys = looked_at(image, system, "ls -p /usr/share/feltd-image/etc-feltd/keys")
    assert {line.split("/")[5] for line in keys.splitlines() if line.startswith("/")} == {".", ".."}
    assert re.search(r"Size: 0\b", looked_at(image, system, "stat /etc/machine-id"))
    for absent in ("/etc/feltd/keys", "/etc/ssh", "/usr/sbin/sshd", "/usr/bin/gcc", "/var/lib/systemd/random-seed"):
        assert "File not found" in looked_at(image, system, f"stat {absent}"), absent
    shadow = looked_at(image, system, "cat /etc/shadow")
    people = dict(line.split(":")[:2] for line in shadow.splitlines() if ":" in line)
    assert "root" in people
    assert all(word.startswith(("!", "*")) for word in people.values()), "nobody has a password"


def test_a_board_starts_with_its_owners_table_and_goes_on_after_a_power_cut(image: Path) -> None:
    disk = owned(image)
    system = partitions(disk)["root-a"]
    before, firsts = digest(disk, system), []
    for start in ("first", "after-the-cut"):
        folder = disk.parent / start
        folder.mkdir()
        with BoardMachine(folder, f"image-{start}", disk) as machine:
            begun = time.monotonic()
            machine.wait_for(READY, START_SECONDS)
            print(f"{start}: ready {time.monotonic() - begun:.0f} s after the power came")
            machine.wait_for(r"Started felt-page\.service", START_SECONDS)
            firsts.append(machine.wait_for(FIRST_KEY, START_SECONDS)[1])
            said = machine.console()
            machine.cut()
        assert "usb-storage" not in said, "a stick must not be let in"
        assert not re.findall(r"Failed to start .*", said)
    assert firsts[0] == firsts[1], "the record of the first start is gone"
    assert digest(disk, system) == before, "something has written to the system"
    data = partitions(disk)["data"]
    assert data.start + data.size > DISK_BYTES - (8 << 20), "the data partition has not grown"
    [blocks] = re.findall(r"Block count: +(\d+)", looked_at(disk, data, "stats -h"))
    [block] = re.findall(r"Block size: +(\d+)", looked_at(disk, data, "stats -h"))
    assert int(blocks) * int(block) > data.size - (8 << 20), "its file system has not grown"
    assert mtools("mdir", "-i", f"{disk}@@{partitions(disk)['boot'].start}", "::feltd").returncode != 0
