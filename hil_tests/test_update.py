"""A board updates itself in a machine: installed, tried, kept; taken back; its power cut at each tenth of the writing.

By hand, since it takes hours. The end of QEMU loses what the machine had not given to its disk yet, and no more: what a
disk's own cache loses is not in here (hil_tests/test_power_cuts.py has that).
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from debian.build import project_version
from debian.layout import ROOT
from hil_tests.board_machine import (
    FIRMWARE,
    READY,
    SECTOR,
    START_SECONDS,
    BoardMachine,
    digest,
    mtools,
    owned,
    partitions,
)
from image import bundle
from image.build import ImageError, build, check_tools

pytestmark = [
    pytest.mark.timeout(6 * 3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="an image is made by root only"),
]
CUTS: Final = int(os.environ.get("FELTD_UPDATE_CUTS", "10"))
PATIENCE: Final = 3 * START_SECONDS
NEWER: Final = "9.9.9"
"""What the bundles say. The system in them is that of this checkout."""
ASKS: Final = "systemd.wants=feltd-update.service"
"""On the kernel's command line: it asks for an update at this start, and not by night."""


class Files(SimpleHTTPRequestHandler):
    """Hands out a folder, and says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Board:
    """A board's disk, its machine from one start to the next, and the house's server."""

    def __init__(self, folder: Path, disk: Path) -> None:
        self.folder = folder
        self.disk = disk
        self.starts = 0

    @contextmanager
    def on(self, *, asks: bool = False) -> Iterator[BoardMachine]:
        """Switched on for as long as the block lasts; then its power is taken. `asks`: for an update."""
        self.starts += 1
        folder = self.folder / f"start-{self.starts}"
        folder.mkdir()
        self._tell_kernel(asks)
        with BoardMachine(
            folder, f"update-{self.folder.name}-{self.starts}", self.disk, "user,model=virtio"
        ) as machine:
            yield machine

    def runs(self, machine: BoardMachine) -> tuple[str, bool]:
        """The system that was started, and whether on trial; waits until the table is ready."""
        line = machine.wait_for(r"Command line: .*rauc\.slot=([AB])( feltd\.trial)?", PATIENCE)
        machine.wait_for(READY, PATIENCE)
        return line[1], line[2] is not None

    def _tell_kernel(self, asks: bool) -> None:
        boot = f"{self.disk}@@{partitions(self.disk)['boot'].start}"
        file = self.folder / "grub.cfg"
        told = mtools("mcopy", "-o", "-i", boot, "::EFI/debian/grub.cfg", str(file))
        assert told.returncode == 0, told.stderr
        text = file.read_text(encoding="utf-8").replace(f" {ASKS}", "")
        if asks:
            text = text.replace("console=ttyS0", f"console=ttyS0 {ASKS}")
        file.write_text(text, encoding="utf-8")
        told = mtools("mcopy", "-o", "-i", boot, str(file), "::EFI/debian/grub.cfg")
        assert told.returncode == 0, told.stderr


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder with a new board's `image`, the `update.pem` that it believes, and in `served` what it is offered."""
    try:
        check_tools()
        bundle.check_tools()
    except ImageError as reason:
        pytest.skip(str(reason))
    if shutil.which("qemu-system-x86_64") is None or not FIRMWARE.exists():
        pytest.skip("not installed: qemu-system-x86 or ovmf: `.ci/image` installs what this needs")
    with tempfile.TemporaryDirectory(prefix="feltd-update-", dir="/var/tmp") as name:
        folder = Path(name)
        given = os.environ.get("FELTD_UPDATE_IMAGE")
        made = _made(folder) if given is None else Path(given)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-days", "7300", "-keyout", folder / "update.key", "-out", folder / "update.pem", "-subj", "/CN=updates"],
            check=True, capture_output=True,
        )  # fmt: skip
        shutil.copyfile(made, folder / "image")
        (folder / "served").mkdir()
        shutil.copyfile(made.with_suffix(".system"), folder / f"feltd_{NEWER}_amd64.system")
        yield folder


def _made(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "debian.build", "--into", str(folder)], check=True, cwd=ROOT)
    return build(folder / f"feltd_{project_version()}_amd64.deb", folder, int(time.time()))


@pytest.fixture(scope="module")
def address(place: Path) -> Iterator[str]:
    """Where the machine finds the server's one file."""
    handler = partial(Files, directory=str(place / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        try:
            yield f"http://10.0.2.2:{serving.server_address[1]}/feltd.raucb"
        finally:
            serving.shutdown()
            thread.join()


def offer(place: Path, system: Path) -> None:
    """Put a signed update of this system on the server."""
    made = bundle.make_bundle(system, place / "update.pem", place / "update.key", place)
    made.replace(place / "served/feltd.raucb")


def new_board(place: Path, address: str, name: str) -> Board:
    """A board that was never started, with the owner's files."""
    folder = place / name
    folder.mkdir()
    shutil.copyfile(place / "image", folder / "disk")
    certificate = (place / "update.pem").read_text(encoding="ascii")
    return Board(folder, owned(folder / "disk", {"update.pem": certificate, "update.url": f"{address}\n"}))


def test_an_update_is_tried_kept_and_one_whose_table_does_not_come_up_is_taken_back(place: Path, address: str) -> None:
    system = place / f"feltd_{NEWER}_amd64.system"
    offer(place, system)
    board = new_board(place, address, "kept")
    with board.on(asks=True) as machine:
        assert board.runs(machine) == ("A", False)
        machine.wait_for(rf"{NEWER} is installed as system B", PATIENCE)
    before = digest(board.disk, partitions(board.disk)["root-a"])
    with board.on() as machine:
        assert board.runs(machine) == ("B", True)
        machine.wait_for(r"system B is good", PATIENCE)
    with board.on() as machine:
        assert board.runs(machine) == ("B", False)
    assert digest(board.disk, partitions(board.disk)["root-a"]) == before, "the system before is not as it was"

    subprocess.run(["debugfs", "-w", "-R", "rm /opt/feltd/bin/python3", system], check=True, capture_output=True)
    offer(place, system)
    with board.on(asks=True) as machine:
        assert board.runs(machine) == ("B", False)
        machine.wait_for(rf"{NEWER} is installed as system A", PATIENCE)
    with board.on() as machine:
        machine.wait_for(r"Command line: .*rauc\.slot=A feltd\.trial", PATIENCE)
        until = time.monotonic() + PATIENCE
        while machine.running and time.monotonic() < until:  # QEMU ends where a board starts again
            time.sleep(1.0)
        assert not machine.running, "the trial has no end"
    with board.on() as machine:
        assert board.runs(machine) == ("B", False)


@pytest.mark.parametrize("tenth", range(1, CUTS + 1))
def test_a_power_cut_in_the_writing_is_followed_by_the_proven_system(place: Path, address: str, tenth: int) -> None:
    offer(place, _whole(place))
    board = new_board(place, address, f"cut-{tenth}")
    size = partitions(board.disk)["root-b"].size
    with board.on(asks=True) as machine:
        assert board.runs(machine) == ("A", False)
        machine.wait_for(r"rauc.*(?:installing|Marking)", PATIENCE)
        begun = board.disk.stat().st_blocks * SECTOR
        until = time.monotonic() + PATIENCE
        wanted = size * tenth // (CUTS + 1)
        while board.disk.stat().st_blocks * SECTOR - begun < wanted:
            assert machine.running, "it ended by itself"
            assert time.monotonic() < until, "nothing is written any more"
            time.sleep(0.05)
    with board.on() as machine:
        assert board.runs(machine) == ("A", False)
    shutil.rmtree(board.folder)


def _whole(place: Path) -> Path:
    """The system again, where a test before has taken something out of it."""
    system = place / f"feltd_{NEWER}_amd64.system"
    given = os.environ.get("FELTD_UPDATE_IMAGE")
    made = next(place.glob("feltd_*.img")) if given is None else Path(given)
    shutil.copyfile(made.with_suffix(".system"), system)
    return system
