"""What GRUB starts on a board's disk: the system on trial once, the proven one after it, and whatever cannot be read.

QEMU's firmware for amd64 and GRUB itself, by the image's own files; of the systems there is a kernel alone. Each start
ends where the kernel tells its command line.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from feltd.update.boot_block import BootBlock
from hil_tests.board_machine import FIRMWARE, NO_WORDS, BoardMachine, mtools, partitions
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.ground import AMD64
from hil_tests.machine.stock import stock
from image.build import ARCHITECTURES, GRUB_MODULES, HERE

pytestmark = pytest.mark.timeout(3600)
SECONDS = 600.0
"""From power to the kernel's first lines; a quiet machine takes ten."""
TORN = "if linux /vmlinuz; then\n    boot\n"


@dataclass(frozen=True, slots=True)
class Disk:
    """A board's disk with both systems; `system`: one of them alone."""

    file: Path
    system: Path

    def write_b(self, system: Path) -> None:
        """Write a system over system B."""
        seek = f"seek={partitions(self.file)['root-b'].start >> 20}"
        subprocess.run(
            ["dd", f"if={system}", f"of={self.file}", "bs=1M", seek, "conv=notrunc"], check=True, capture_output=True
        )

    def starts(self, block: BootBlock, name: str) -> tuple[str, BootBlock]:
        """What the kernel's command line says of the system after a start with this block, and the block then."""
        folder = self.file.parent / name
        folder.mkdir()
        kept, boot = folder / "grubenv", f"{self.file}@@{partitions(self.file)['boot'].start}"
        kept.write_bytes(block.to_bytes())
        assert mtools("mcopy", "-o", "-i", boot, str(kept), "::EFI/debian/grubenv").returncode == 0
        with BoardMachine(folder, f"grub-{name}", self.file) as machine:
            [said] = machine.wait_for(r"Command line: .* (rauc\.slot=.*) panic=", SECONDS).groups()
        assert mtools("mcopy", "-n", "-o", "-i", boot, "::EFI/debian/grubenv", str(kept)).returncode == 0
        return said, BootBlock.parse(kept.read_bytes())


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    """System B has the bytes of A."""
    tools = ("genimage", "grub-mkimage", "mcopy", "debugfs", "qemu-system-x86_64")
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    if lacking or not FIRMWARE.exists() or not Path("/usr/lib/grub/x86_64-efi").is_dir():
        pytest.skip(f"not installed: {', '.join(lacking) or 'ovmf or grub-efi-amd64-bin'}: `.ci/image` installs it")
    try:
        parts = stock(AMD64)
    except CannotBeHadError as reason:
        pytest.skip(str(reason))
    folder = tmp_path_factory.mktemp("grub")
    root, given = folder / "root", folder / "given"
    (root / "usr/share/feltd-image").mkdir(parents=True)
    given.mkdir()
    shutil.copyfile(parts.kernel, root / "vmlinuz")
    shutil.copyfile(parts.initramfs, root / "initrd.img")
    start = (HERE / "start.cfg").read_text(encoding="utf-8").replace("SERIAL", AMD64.console)
    (root / "usr/share/feltd-image/start.cfg").write_text(start, encoding="utf-8")
    told = (HERE / "grub.cfg").read_text(encoding="utf-8").replace(NO_WORDS, f'{NO_WORDS}"console={AMD64.console}"')
    (given / "grub.cfg").write_text(told, encoding="utf-8")
    (given / "grubenv").write_bytes(BootBlock("A").to_bytes())
    [kind] = [one for one in ARCHITECTURES if one.name == AMD64.architecture]
    loader = [f"--format={kind.grub}", f"--output={given / 'loader.efi'}", "--prefix=/EFI/debian", *GRUB_MODULES]
    subprocess.run(["grub-mkimage", *loader], check=True)
    made = [f"--rootpath={root}", f"--inputpath={given}", f"--outputpath={folder}/out", f"--tmppath={folder}/tmp"]
    environment = os.environ | {"LOADER": kind.loader}
    subprocess.run(
        ["genimage", f"--config={HERE / 'genimage.cfg'}", *made], check=True, capture_output=True, env=environment
    )
    yield Disk(folder / "out/feltd.img", folder / "out/root.ext4")
    shutil.rmtree(folder)


def test_an_empty_system_on_trial_is_followed_by_the_proven_one_at_once(disk: Disk) -> None:
    assert disk.starts(BootBlock("A", "B"), "empty") == ("rauc.slot=A ro", BootBlock("A"))


def test_a_trial_is_started_once_and_a_proven_system_as_often_as_asked(disk: Disk) -> None:
    disk.write_b(disk.system)
    said, block = disk.starts(BootBlock("A", "B"), "trial")
    assert (said, block) == ("rauc.slot=B feltd.trial ro", BootBlock("A"))
    assert disk.starts(block, "after-the-trial") == ("rauc.slot=A ro", BootBlock("A"))
    assert disk.starts(BootBlock("B"), "proven") == ("rauc.slot=B ro", BootBlock("B"))


def test_a_system_whose_own_file_cannot_be_read_is_followed_by_the_proven_one(disk: Disk, tmp_path: Path) -> None:
    torn, file = tmp_path / "torn.ext4", tmp_path / "start.cfg"
    shutil.copyfile(disk.system, torn)
    file.write_text(TORN, encoding="ascii")
    place = "/usr/share/feltd-image/start.cfg"
    for order in (f"rm {place}", f"write {file} {place}"):
        subprocess.run(["debugfs", "-w", "-R", order, torn], check=True, capture_output=True)
    told = subprocess.run(["debugfs", "-R", f"cat {place}", torn], check=True, capture_output=True, text=True).stdout
    assert re.sub(r"^debugfs.*\n", "", told) == TORN
    disk.write_b(torn)
    assert disk.starts(BootBlock("A", "B"), "torn") == ("rauc.slot=A ro", BootBlock("A"))
