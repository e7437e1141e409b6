"""A board's image is made, starts in a machine from its own boot partition, and loses its power.

QEMU's firmware, GRUB, Debian's kernel and systemd are those that a board with UEFI has; its disk, ports and clock are
not. The machine for arm64 has a Raspberry Pi 4's processor and is none.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from debian.build import project_version
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from hil_tests.board_display import TABLE, Display, display
from hil_tests.board_machine import (
    DISK_BYTES,
    FIRMWARES,
    READY,
    SECTOR,
    START_SECONDS,
    BoardMachine,
    ask_page,
    digest,
    looked_at,
    mtools,
    owned,
    page_network,
    partitions,
)
from hil_tests.elsewhere import roots
from hil_tests.elsewhere.building import kept_package
from hil_tests.install.inside import FIRST
from hil_tests.install.packages import kept_packages
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.ground import AMD64, ARM64, Kind
from image.build import ImageError, build, check_tools
from tests.ports import free_port

pytestmark = [
    pytest.mark.timeout(14400),
    pytest.mark.skipif(os.geteuid() != 0, reason="an image is made by root only"),
]
OWN: Final = "four words of my choice"
FIRST_KEY: Final = r"first key of the record: ([0-9a-f]+)"


@dataclass(frozen=True, slots=True)
class Made:
    """An image and the machines that it is for."""

    file: Path
    kind: Kind


@pytest.fixture(scope="module", params=[AMD64, ARM64], ids=lambda kind: kind.architecture)
def image(request: pytest.FixtureRequest) -> Iterator[Made]:
    """The image of this checkout's package, or that of FELTD_IMAGE for the architecture in its name."""
    kind: Kind = request.param
    given = os.environ.get("FELTD_IMAGE")
    if given is not None and not given.endswith(f"_{kind.architecture}.img"):
        pytest.skip(f"FELTD_IMAGE is {given}")
    try:
        check_tools()
    except ImageError as reason:
        pytest.skip(str(reason))
    lacking = [tool for tool in (kind.board[0], "debugfs", "mmd", "zstd", "cpio") if shutil.which(tool) is None]
    if lacking or not FIRMWARES[kind][0].exists():
        pytest.skip(f"not installed: {', '.join(lacking) or 'the firmware'}: `.ci/image` installs what this needs")
    with tempfile.TemporaryDirectory(prefix="feltd-image-") as place:
        folder = Path(place)
        if given is not None:
            yield Made(Path(shutil.copyfile(given, folder / "feltd.img")), kind)
            return
        package = folder / f"feltd_{project_version()}_{kind.architecture}.deb"
        shutil.copyfile(kept_packages() / FIRST.name if kind == AMD64 else _for_arm64(), package)
        begun = time.monotonic()
        made = build(package, folder, int(time.time()))
        size = made.stat().st_blocks * SECTOR >> 20
        print(f"the image was made in {time.monotonic() - begun:.0f} s, {size} MiB without its holes")
        yield Made(made, kind)


def _for_arm64() -> Path:
    try:
        return kept_package(roots.ARM64)
    except CannotBeHadError as reason:
        pytest.skip(str(reason))


def test_no_secret_and_no_way_in_is_in_the_image(image: Made) -> None:
    system = partitions(image.file)["root-a"]
    keys = looked_at(image.file, system, "ls -p /usr/share/feltd-image/etc-feltd/keys")
    assert {line.split("/")[5] for line in keys.splitlines() if line.startswith("/")} == {".", ".."}
    assert re.search(r"Size: 0\b", looked_at(image.file, system, "stat /etc/machine-id"))
    for absent in (
        "/etc/feltd/keys",
        "/etc/ssh",
        "/usr/sbin/sshd",
        "/usr/bin/gcc",
        "/usr/bin/grub-mkimage",
        "/loader.efi",
        "/var/lib/systemd/random-seed",
    ):
        assert "File not found" in looked_at(image.file, system, f"stat {absent}"), absent
    shadow = looked_at(image.file, system, "cat /etc/shadow")
    people = dict(line.split(":")[:2] for line in shadow.splitlines() if ":" in line)
    assert "root" in people
    assert all(word.startswith(("!", "*")) for word in people.values()), "nobody has a password"


def test_a_board_starts_from_drivers_of_disks_alone(image: Made) -> None:
    """What else is in the initramfs is read and unpacked at each start, and one of USB's would let a stick in."""
    system = partitions(image.file)["root-a"]
    [place] = re.findall(r'link dest: "(.*)"', looked_at(image.file, system, "stat /initrd.img"))
    packed = image.file.parent / "initrd"
    looked_at(image.file, system, f"dump /{place} {packed}")
    unpacked = subprocess.run(["zstd", "-dc", packed], capture_output=True, check=True).stdout
    told = subprocess.run(["cpio", "-it", "--quiet"], input=unpacked, capture_output=True, check=True).stdout.decode()
    drivers = re.findall(r"^usr/lib/modules/[^/]+/kernel/(\S+)/([^/\s]+)\.ko", told, re.M)
    print(f"the initramfs: {packed.stat().st_size >> 20} MiB, {len(drivers)} modules of the kernel")
    assert {"ext4", "nvme", "ahci", "sdhci-pci", "virtio_blk"} <= {name for _, name in drivers}
    others = ("drivers/net", "drivers/usb/storage", "drivers/usb/host", "net/")
    assert not [name for folder, name in drivers if folder.startswith(others)]
    assert not {"rtsx_usb_sdmmc", "rtsx_usb_ms", "ushc", "vub300"} & {name for _, name in drivers}


def test_a_board_starts_with_its_owners_table_and_goes_on_after_a_power_cut(image: Made) -> None:
    accounts = AccountBook(image.file.parent / "accounts.json")
    _, code = accounts.add_by_code("anna", Role.TECHNICIAN, time.time() + 86400.0)
    given = {
        "accounts.json": accounts.path.read_text("utf-8"),
        "journal.key": "5e" * 32,
        "keys/shoe.key": "6f" * 32,
        "page.networks": "10.0.2.0/24\n",
    }
    with display(image.file.parent / "display") as shown:
        _starts_and_goes_on(image, {**given, **shown.files()}, code, shown)


def _starts_and_goes_on(image: Made, given: Mapping[str, str], code: str, shown: Display) -> None:
    disk, port = owned(image.file, given, image.kind, watched=False, table=TABLE), free_port()
    system = partitions(disk)["root-a"]
    before, firsts, codes = digest(disk, system), [], []
    for start in ("first", "after-the-cut"):
        folder = disk.parent / start
        folder.mkdir()
        name, network = f"image-{image.kind.architecture}-{start}", page_network(port)
        with BoardMachine(folder, name, disk, network, kind=image.kind, devices=shown.cable()) as machine:
            begun = time.monotonic()
            machine.wait_for(READY, START_SECONDS)
            print(f"{start}: ready {time.monotonic() - begun:.0f} s after the power came")
            machine.wait_for(r"Started felt-page\.service", START_SECONDS)
            firsts.append(machine.wait_for(FIRST_KEY, START_SECONDS)[1])
            codes.append(shown.code(START_SECONDS))
            print(f"{start}: its code is on the display {time.monotonic() - begun:.0f} s after the power came")
            if start == "first":
                assert ask_page(port, {"name": "anna", "password": code}, START_SECONDS)[0] == 401
                status, me = ask_page(port, {"name": "anna", "password": code, "new": OWN}, START_SECONDS)
                assert (status, me.get("role")) == (200, "technician"), me
            else:
                assert ask_page(port, {"name": "anna", "password": OWN}, START_SECONDS)[0] == 200
            said = machine.console()
            machine.cut()
        shown.dark()
        assert "usb-storage" not in said, "a stick must not be let in"
        assert not re.findall(r"Failed to start .*", said)
    assert firsts[0] == firsts[1], "the record of the first start is gone"
    assert codes[0] == codes[1], "the key that the floor is to know it by is gone"
    assert digest(disk, system) == before, "something has written to the system"
    data = partitions(disk)["data"]
    passwd = looked_at(disk, system, "cat /etc/passwd")
    for file, user in (
        ("etc-feltd/keys/journal.key", "root"),
        ("var-lib-feltd/keys/shoe.key", "feltd"),
        ("var-lib-feltd/page/accounts.json", "feltd-page"),
    ):
        told = looked_at(disk, data, f"stat /{file}")
        [number] = re.findall(rf"^{user}:[^:]*:(\d+):", passwd, re.M)
        assert re.search(rf"Mode: +0600\b.*User: +{number}\b", told, re.S), told
    assert data.start + data.size > DISK_BYTES - (8 << 20), "the data partition has not grown"
    [blocks] = re.findall(r"Block count: +(\d+)", looked_at(disk, data, "stats -h"))
    [block] = re.findall(r"Block size: +(\d+)", looked_at(disk, data, "stats -h"))
    assert int(blocks) * int(block) > data.size - (8 << 20), "its file system has not grown"
    assert mtools("mdir", "-i", f"{disk}@@{partitions(disk)['boot'].start}", "::feltd").returncode != 0
