"""A board updates itself in a machine: installed, tried, kept; taken back; its power cut at each tenth of the writing.

By hand: each start takes some 90 seconds of a processor. All of it is one update, of which every write is noted
(`machine.write_log`): the trial goes on where it ended, and the power cuts are in it, with what a disk's own cache
loses. `FELTD_UPDATE_FOLDER` names a folder in which image and noted update stay: with it a run is cut in parts, as
`-k tenth-04`.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from debian.build import project_version
from debian.layout import ROOT
from feltd.update.boot_block import BootBlock, read
from hil_tests.board_machine import (
    FIRMWARE,
    READY,
    START_SECONDS,
    BoardMachine,
    Partition,
    digest,
    mtools,
    owned,
    partitions,
)
from hil_tests.machine import write_log
from hil_tests.update_folder import AnotherImageError, check_same, ended, folder
from image import bundle
from image.build import HERE, ImageError, build, check_tools

pytestmark = [
    pytest.mark.timeout(6 * 3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="an image is made by root only"),
]
CUTS: Final = int(os.environ.get("FELTD_UPDATE_CUTS", "10"))
PATIENCE: Final = 3 * START_SECONDS
NEWER: Final = "9.9.9"
"""What the bundles say. The system in them is that of this checkout."""
ASKS: Final = (
    "systemd.unit=multi-user.target systemd.wants=kernel-command-line.service systemd.run_success_action=none "
    "systemd.run_failure_action=none 'systemd.run=/lib/systemd/systemd-networkd-wait-online --any --timeout=600' "
    "'systemd.run=/opt/feltd/bin/feltd update install {address}'"
)
"""On the kernel's command line: root installs an update at this start. By night the board would want two people."""
SYSTEMS_OWN: Final = "    source /usr/share/feltd-image/start.cfg\n"
"""Of GRUB's file on the boot partition: it goes on with the file of the system that it starts."""


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
    def on(self, *, asks: str | None = None, log: Path | None = None, processors: int = 2) -> Iterator[BoardMachine]:
        """Switched on for as long as the block lasts; then its power is taken.

        `asks`: the address of an update to install. `log`: has each write, and the disk's beginning is kept beside it.
        """
        self.starts += 1
        folder = self.folder / f"start-{self.starts}"
        folder.mkdir()
        self._tell_kernel("" if asks is None else ASKS.format(address=asks))
        if log is not None:
            copied(self.disk, log.with_suffix(".before"))
        name = f"update-{self.folder.name}-{self.starts}"
        with BoardMachine(folder, name, self.disk, "user,model=virtio", log, processors=processors) as machine:
            yield machine

    def runs(self, machine: BoardMachine) -> tuple[str, bool]:
        """The system that was started, and whether on trial; waits until the table is ready."""
        line = machine.wait_for(r"Command line: .*rauc\.slot=([AB])( feltd\.trial)?", PATIENCE)
        machine.wait_for(READY, PATIENCE)
        return line[1], line[2] is not None

    def _tell_kernel(self, words: str) -> None:
        boot = f"{self.disk}@@{partitions(self.disk)['boot'].start}"
        file = self.folder / "grub.cfg"
        told = mtools("mcopy", "-n", "-o", "-i", boot, "::EFI/debian/grub.cfg", str(file))
        assert told.returncode == 0, told.stderr
        text, here = file.read_text("utf-8"), re.compile(r"# asked:.*?# asked\.\n", re.DOTALL)
        assert text.count(SYSTEMS_OWN) == 1
        text = here.sub("", text)
        if words:  # quoted ones, which no variable of GRUB's holds: the system's file with them goes before its own
            start = (
                (HERE / "start.cfg").read_text("utf-8").replace("SERIAL", "ttyS0").replace("$board", f"$board {words}")
            )
            text = text.replace(SYSTEMS_OWN, f"# asked:\n{start}# asked.\n{SYSTEMS_OWN}")
        file.write_text(text, encoding="utf-8")
        told = mtools("mcopy", "-o", "-i", boot, str(file), "::EFI/debian/grub.cfg")
        assert told.returncode == 0, told.stderr


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder with a new board's `image` and `system`, the `update.pem` that it believes, and in `served` what it is
    offered."""
    try:
        check_tools()
        bundle.check_tools()
    except ImageError as reason:
        pytest.skip(str(reason))
    if shutil.which("qemu-system-x86_64") is None or not FIRMWARE.exists():
        pytest.skip("not installed: qemu-system-x86 or ovmf: `.ci/image` installs what this needs")
    with folder(os.environ.get("FELTD_UPDATE_FOLDER")) as kept:
        given = os.environ.get("FELTD_UPDATE_IMAGE")
        with ended(kept / "made") as new:
            if new is not None:
                _lay_out(new, _made(new) if given is None else Path(given))
            elif given is not None:
                try:
                    check_same(kept / "made/system", Path(given).with_suffix(".system"))
                except AnotherImageError as reason:
                    pytest.fail(str(reason))
        yield kept / "made"


def _lay_out(folder: Path, made: Path) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "7300", "-keyout", folder / "update.key", "-out", folder / "update.pem", "-subj", "/CN=updates"],
        check=True, capture_output=True,
    )  # fmt: skip
    copied(made, folder / "image")
    copied(made.with_suffix(".system"), folder / "system")
    (folder / "served").mkdir()


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


@pytest.fixture
def own() -> Iterator[Path]:
    """A folder of a test's own, with room for a board's disk."""
    with folder(None) as name:
        yield name


def newer(place: Path) -> Path:
    """The system as a bundle's maker wants it named, each time as it was made."""
    return copied(place / "system", place / f"feltd_{NEWER}_amd64.system")


def offer(place: Path, system: Path) -> None:
    """Put a signed update of this system on the server."""
    made = bundle.make_bundle(system, place / "update.pem", place / "update.key", place)
    made.replace(place / "served/feltd.raucb")


def new_board(place: Path, address: str, folder: Path) -> Board:
    """A board that was never started, with the owner's files, in an empty folder."""
    copied(place / "image", folder / "disk")
    certificate = (place / "update.pem").read_text(encoding="ascii")
    return Board(folder, owned(folder / "disk", {"update.pem": certificate, "update.url": f"{address}\n"}))


@dataclass(frozen=True, slots=True)
class Written:
    """An update whose every write is noted. `asked`: all of them; from `begun` to before `ended` the update's.

    `system_a`: the digest of the system that runs, `system_b`: of the one that the update brings.
    """

    board: Board
    log: Path
    asked: tuple[write_log.Logged, ...]
    begun: int
    ended: int
    system_a: str
    system_b: str

    def tenths(self) -> dict[int, int]:
        """The write that is under way at each tenth of the new system's bytes, by tenth."""
        room = partitions(self.board.disk)["root-b"]
        inside = [at for at in range(self.begun, self.ended) if _within(self.asked[at], room)]
        found: dict[int, int] = {}
        total, done = sum(self.asked[at].size for at in inside), 0
        for at in inside:
            done += self.asked[at].size
            found.setdefault(min(CUTS, done * CUTS // total), at)
        return {tenth: at for tenth, at in found.items() if tenth > 0}

    def boot_blocks(self) -> list[int]:
        """The writes to the partition that GRUB reads."""
        room = partitions(self.board.disk)["boot"]
        return [at for at in range(self.begun, self.ended) if _within(self.asked[at], room)]


def _within(asked: write_log.Logged, room: Partition) -> bool:
    return asked.size > 0 and room.start <= asked.offset < room.start + room.size


@pytest.fixture(scope="module")
def written(place: Path, address: str) -> Written:
    """A new board takes an update."""
    folder = place.with_name("written")
    with ended(folder) as new:
        if new is not None:
            _note_an_update(place, address, new)
    board, log = Board(folder, folder / "disk"), folder / "log"
    asked = tuple(write_log.read_log(log))
    parts = partitions(board.disk)
    inside = [number for number, one in enumerate(asked) if _within(one, parts["root-b"])]
    boots = [number for number, one in enumerate(asked) if _within(one, parts["boot"])]
    return Written(
        board, log, asked, min(boots[0], inside[0]), max(boots[-1], inside[-1]) + 1,
        digest(board.disk, parts["root-a"]), digest(board.disk, parts["root-b"]),
    )  # fmt: skip


def _note_an_update(place: Path, address: str, folder: Path) -> None:
    offer(place, newer(place))
    board = new_board(place, address, folder)
    with board.on(asks=address, log=folder / "log") as machine:
        assert board.runs(machine) == ("A", False)
        machine.wait_for(rf"{NEWER} is installed as system B", PATIENCE)


def test_an_update_is_tried_kept_and_one_whose_table_does_not_come_up_is_taken_back(
    place: Path, address: str, written: Written, own: Path
) -> None:
    """The first is the noted one: its machine lost its power once that was installed."""
    board = Board(own, copied(written.board.disk, own / "disk"))
    with board.on(processors=1) as machine:
        assert board.runs(machine) == ("B", True)
        machine.wait_for(r"system B is good", PATIENCE)
    with board.on(processors=1) as machine:
        assert board.runs(machine) == ("B", False)
    assert digest(board.disk, partitions(board.disk)["root-a"]) == written.system_a, "the system before has changed"

    system = newer(place)
    subprocess.run(["debugfs", "-w", "-R", "rm /opt/feltd/bin/python3", system], check=True, capture_output=True)
    offer(place, system)
    with board.on(asks=address, processors=1) as machine:
        assert board.runs(machine) == ("B", False)
        machine.wait_for(rf"{NEWER} is installed as system A", PATIENCE)
    with board.on(processors=1) as machine:
        machine.wait_for(r"Command line: .*rauc\.slot=A feltd\.trial", PATIENCE)
        until = time.monotonic() + PATIENCE
        while machine.running and time.monotonic() < until:  # QEMU ends where a board starts again
            time.sleep(1.0)
        assert not machine.running, "the trial has no end"
    with board.on(processors=1) as machine:
        assert board.runs(machine) == ("B", False)


def test_whenever_the_power_fails_the_disk_names_a_system_that_is_whole(written: Written) -> None:
    tenths, blocks = written.tenths(), written.boot_blocks()
    assert len(tenths) == CUTS
    assert blocks
    medium = written.board.folder / "medium"
    copied(written.log.with_suffix(".before"), medium)
    playing, done, seen = write_log.Medium(medium, written.log), 0, []
    for number, at in enumerate(sorted({*tenths.values(), *blocks})):
        playing.play(written.asked[done:at])
        done, left = at, written.board.folder / "left"
        lost = playing.cut(written.asked[at], number, left)
        parts, block = partitions(left), _boot_block(left)
        assert digest(left, parts["root-a"]) == written.system_a, "the system that runs is not as it was"
        assert (block.proven, block.trial) in (("A", None), ("A", "B")), f"cut {number}: {block}"
        if block.trial:
            assert digest(left, parts["root-b"]) == written.system_b, f"cut {number}: a torn system would be tried"
        seen.append((at, block.trial, lost))
    tried = sum(trial is not None for _, trial, _ in seen)
    print(f"{len(seen)} cuts, {len(tenths)} at tenths: {tried} would try system B, and it is whole there; the others A")
    print(f"pieces lost that were not flushed: {[lost for _, _, lost in seen]}")
    assert any(lost for _, _, lost in seen)


@pytest.mark.parametrize("tenth", range(1, CUTS + 1), ids=lambda tenth: f"tenth-{tenth:02}")
def test_a_power_cut_in_the_writing_is_followed_by_the_proven_system(written: Written, tenth: int) -> None:
    at = written.tenths()[tenth]
    folder = written.board.folder / f"cut-{tenth}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    copied(written.log.with_suffix(".before"), folder / "medium")
    medium = write_log.Medium(folder / "medium", written.log)
    medium.play(written.asked[:at])
    medium.cut(written.asked[at], tenth, folder / "disk")
    (folder / "medium").unlink()
    board, begun = Board(folder, folder / "disk"), time.monotonic()
    with board.on(processors=1) as machine:
        assert board.runs(machine) == ("A", False)
    print(f"tenth {tenth}: the table is ready {time.monotonic() - begun:.0f} s after the power came back")
    shutil.rmtree(folder)


def _boot_block(disk: Path) -> BootBlock:
    """What GRUB would read on this disk."""
    copy = disk.with_suffix(".grubenv")
    boot = f"{disk}@@{partitions(disk)['boot'].start}"
    told = mtools("mcopy", "-n", "-o", "-i", boot, "::EFI/debian/grubenv", str(copy))
    assert told.returncode == 0, told.stderr
    return read(copy)


def copied(disk: Path, to: Path) -> Path:
    """A disk again, without room for what is empty on it."""
    subprocess.run(["cp", "--sparse=always", disk, to], check=True)
    return to
