"""RAUC itself writes updates onto two disks, with the image's own configuration and feltd as what it asks.

Its service runs beside a message bus of the test's own. Bundles are of RAUC's plain form, since the other wants the
kernel's dm-verity, which a board has and not every machine that tests.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from debian.layout import ROOT
from feltd.update.board import BOOT_BLOCK, IDENTITY
from feltd.update.boot_block import BootBlock, read
from image import bundle
from image.build import HERE

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root has disks of its own"),
]
TOOLS: Final = ("rauc", "mksquashfs", "openssl", "dbus-daemon", "losetup", "mke2fs")
SYSTEM_BYTES: Final = 8 << 20
BUS: Final = """\
<busconfig><type>system</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
<allow user="*"/></policy></busconfig>
"""
ASKED: Final = """\
#!{python}
import sys
import time
from pathlib import Path
sys.path.insert(0, "{checkout}")
from feltd.update import board
found = board.board_at
board.board_at = lambda: found(Path("{root}"))
from feltd.cli import cli
cli(["update", "{word}", *sys.argv[1:]])
"""


class Rauc:
    """RAUC's service for a board below a folder; `disks`: those of its two systems."""

    def __init__(self, folder: Path, disks: tuple[str, str]) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.disks = disks
        self._environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder / 'bus'}"}

    def lay_out(self) -> None:
        """The board's files, and the image's configuration with this folder's places."""
        for name, text in ((IDENTITY, "compatible=feltd-amd64\nversion=0.8.0\n"), ("proc/cmdline", "rauc.slot=A\n")):
            (self.root / name).parent.mkdir(parents=True)
            (self.root / name).write_text(text, encoding="ascii")
        (self.root / BOOT_BLOCK).parent.mkdir(parents=True)
        (self.root / BOOT_BLOCK).write_bytes(BootBlock("A").to_bytes())
        (self.folder / "data").mkdir()
        (self.folder / "bus.conf").write_text(BUS.format(socket=self.folder / "bus"), encoding="ascii")
        text = (HERE / "root/etc/rauc/system.conf").read_text(encoding="utf-8")
        for place, ours in (
            ("/dev/disk/by-partlabel/root-a", self.disks[0]),
            ("/dev/disk/by-partlabel/root-b", self.disks[1]),
            ("/usr/lib/feltd-image", str(self.folder)),
            ("/data/update", str(self.folder / "data")),
            ("/run/rauc", str(self.folder / "mounted")),
            ("/etc/feltd/update.pem", str(self.folder / "ours.pem")),
            ("ARCHITECTURE", "amd64"),
            ("bundle-formats=verity", "bundle-formats=plain"),
        ):
            assert place in text
            text = text.replace(place, ours)
        (self.folder / "system.conf").write_text(text, encoding="utf-8")
        for name, word in (("boot-system", "system"), ("update-allowed", "allowed")):
            asked = ASKED.format(python=sys.executable, checkout=ROOT, root=self.root, word=word)
            if word == "allowed":
                asked = asked.replace("*sys.argv[1:]", 'sys.argv[1] + "/manifest.raucm"')
                inner = self.folder / "allowed.py"
                inner.write_text(asked, encoding="utf-8")
                asked = f'#!/bin/sh\nexec {sys.executable} {inner} "$RAUC_BUNDLE_MOUNT_POINT"\n'
            (self.folder / name).write_text(asked, encoding="utf-8")
            (self.folder / name).chmod(0o755)
        for name in ("ours", "theirs"):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                 "30", "-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.pem",
                 "-subj", f"/CN={name}"],
                check=True, capture_output=True,
            )  # fmt: skip

    def tell(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `rauc`, as somebody at this board would."""
        asked = ["rauc", "--conf", str(self.folder / "system.conf"), *words]
        return subprocess.run(asked, capture_output=True, text=True, check=False, env=self._environment)

    def serve(self, stack: ExitStack) -> None:
        """Have bus and service run until the stack ends."""
        bus = ["dbus-daemon", f"--config-file={self.folder / 'bus.conf'}", "--nofork"]
        rauc = ["rauc", "--conf", str(self.folder / "system.conf"), "--override-boot-slot=A", "service"]
        self._run(stack, bus, "bus.log")
        self._until((self.folder / "bus").exists)
        self._run(stack, rauc, "rauc.log")
        self._until(lambda: self.tell("status").returncode == 0)

    def said(self) -> str:
        """What the service has said."""
        return (self.folder / "rauc.log").read_text(encoding="utf-8")

    def bundle(self, name: str, compatible: str, version: str, by: str = "ours") -> str:
        """Make a bundle with a system of its own; its path. The system lies beside it (`.ext4`)."""
        content = self.folder / f"{name}.content"
        content.mkdir()
        made = bundle.manifest(version, "amd64").replace("feltd-amd64", compatible).replace("verity", "plain")
        (content / "manifest.raucm").write_text(made, encoding="ascii")
        system = content / "root.ext4"
        system.touch()
        os.truncate(system, SYSTEM_BYTES)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", system], check=True)
        file = self.folder / f"{name}.raucb"
        keys = [f"--cert={self.folder / by}.pem", f"--key={self.folder / by}.key"]
        subprocess.run(["rauc", *keys, "bundle", content, file], check=True, capture_output=True)
        shutil.copyfile(system, self.folder / f"{name}.ext4")
        return str(file)

    def _run(self, stack: ExitStack, words: list[str], log: str) -> None:
        out = stack.enter_context((self.folder / log).open("wb"))
        process = subprocess.Popen(words, stdout=out, stderr=out, env=self._environment)
        stack.callback(process.wait)
        stack.callback(process.kill)

    def _until(self, condition: object) -> None:
        assert callable(condition)
        until = time.monotonic() + 300.0
        while not condition():
            assert time.monotonic() < until, self.folder
            time.sleep(0.05)


@pytest.fixture
def rauc(tmp_path: Path) -> Iterator[Rauc]:
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)}: `.ci/update` installs what this needs")
    if "squashfs" not in Path("/proc/filesystems").read_text(encoding="ascii"):
        pytest.skip("this kernel has no squashfs, which bundles are")
    with ExitStack() as stack:
        disks = []
        for name in ("a", "b"):
            disk = tmp_path / f"{name}.disk"
            disk.touch()
            os.truncate(disk, 2 * SYSTEM_BYTES)
            made = subprocess.run(["losetup", "--find", "--show", disk], capture_output=True, text=True, check=False)
            if made.returncode != 0:
                pytest.skip(f"no loop device can be had here: {made.stderr.strip()}")
            disks.append(made.stdout.strip())
            stack.callback(subprocess.run, ["losetup", "--detach", disks[-1]], check=True)
        board = Rauc(tmp_path, (disks[0], disks[1]))
        board.lay_out()
        board.serve(stack)
        yield board


def test_rauc_writes_what_feltd_allows_onto_the_other_system_and_has_it_tried(rauc: Rauc) -> None:
    block = rauc.root / BOOT_BLOCK
    for name, compatible, version, words in (
        ("old", "feltd-amd64", "0.7.0", "it has 0.7.0, older than 0.8.0, which runs"),
        ("other", "feltd-arm64", "0.9.0", 'it is for "feltd-arm64", and this board is "feltd-amd64"'),
    ):
        assert rauc.tell("install", rauc.bundle(name, compatible, version)).returncode != 0
        assert words in rauc.said()
        assert read(block) == BootBlock("A")
    told = rauc.tell("install", rauc.bundle("theirs", "feltd-amd64", "0.9.0", by="theirs"))
    assert "signature verification failed" in told.stdout + told.stderr
    assert read(block) == BootBlock("A")
    assert not any((rauc.folder / "b.disk").read_bytes()), "something was written that is not allowed"

    told = rauc.tell("install", rauc.bundle("good", "feltd-amd64", "0.9.0"))
    assert told.returncode == 0, told.stdout + rauc.said()
    subprocess.run(["blockdev", "--flushbufs", rauc.disks[1]], check=True)
    assert (rauc.folder / "b.disk").read_bytes()[:SYSTEM_BYTES] == (rauc.folder / "good.ext4").read_bytes()
    assert read(block) == BootBlock("A", "B")
    assert not any((rauc.folder / "a.disk").read_bytes()), "the system that runs was written"
    status = rauc.tell("status").stdout
    assert "Activated: rootfs.1 (B)" in status
    assert "(A)" in status[: status.index("Activated")]
