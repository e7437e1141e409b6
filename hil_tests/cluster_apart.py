"""Nodes of a cluster, each in a network namespace of its own and on a disk image of its own.

A bridge joins them with the tests, which have the last address. So a node's cable can be pulled, its disk be full, its
power go with what its disk had and no more, and a bit of its files turn over.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from feltd.floor.cluster import SHORTEST_FAILOVER, Cluster, nodes_of
from hil_tests.cluster_nodes import Machine, folders_of, own, places_in
from hil_tests.cluster_nodes import why_not as no_cluster
from hil_tests.go_clock import ThreadInTheWayError, move_clock_of
from tests.floor.postgres_support import binaries

TOOLS: Final = ("cc", "ip", "nsenter", "setpriv", "mkfs.ext4", "losetup", "mount", "umount", "fallocate")
MOVED_CLOCK: Final = "moved_clock.so"
IMAGE: Final = "1536M"
_PAGE: Final = 8192
_TRIES: Final = 1000
_LEFT: Final = 16 * 1024 * 1024


def why_not() -> str | None:
    """Why no such cluster can be had here; None where one can."""
    if (why := no_cluster()) is not None:
        return why
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"{', '.join(missing)} is not on this machine (Debian: gcc, iproute2, util-linux, e2fsprogs)"
    name = f"feltd-try-{os.getpid()}"
    try:
        _do("ip", "netns", "add", name)
        _do("ip", "netns", "del", name)
        _do("losetup", "--find")
    except AssertionError as fault:
        return f"this machine lets nobody make a network namespace or a loop device: {fault}"
    return None


@dataclass
class Apart(Machine):
    """One node with a cable and a disk of its own. `cable`: the end of it at the bridge."""

    cable: str = ""

    @property
    def image(self) -> Path:
        """Its disk."""
        return self.folder.with_name(f"{self.folder.name}.img")

    def plug(self, *, connected: bool) -> None:
        """Plug its cable in, or pull it."""
        _do("ip", "link", "set", self.cable, "up" if connected else "down")

    def with_clock(self) -> tuple[str, ...]:
        """A clock of the day of their own, for PostgreSQL and Patroni. etcd, a program of Go, has `move_etcd_clock`."""
        return "env", f"LD_PRELOAD={self.folder.parent / MOVED_CLOCK}", f"MOVED_CLOCK={self._clock}"

    @property
    def _clock(self) -> Path:
        return self.folder / "clock"

    def move_clock(self, seconds: int) -> None:
        """Have that clock differ from the machine's by so much from now on."""
        if not self._clock.exists():
            self._clock.write_bytes(bytes(8))
        with self._clock.open("r+b", buffering=0) as clock:  # the programs have mapped it
            clock.write(seconds.to_bytes(8, sys.byteorder, signed=True))

    def move_etcd_clock(self, seconds: int) -> None:
        """The same for etcd, until it is started anew."""
        for _ in range(_TRIES):
            with suppress(ThreadInTheWayError):
                return move_clock_of(self.running[0].pid, seconds)
        raise AssertionError("etcd reads its clock each time")

    def mount(self) -> None:
        """Put its disk in."""
        _do("mount", "-o", "loop", str(self.image), str(self.disk))
        own(self.disk)

    def unmount(self) -> None:
        """Take its disk out."""
        _do("umount", str(self.disk))

    def cut_power(self) -> None:
        """Its power goes at one moment: its disk keeps what was on it then, and nothing that was on the way to it."""
        kept = self.image.with_suffix(".kept")
        self.signal(signal.SIGSTOP)
        _do("cp", "--sparse=always", str(self.image), str(kept))
        self.cut()
        self.unmount()
        kept.replace(self.image)
        self.mount()
        self.forget_numbers()

    def fill_disk(self) -> None:
        """Leave no room on its disk."""
        at, filler = os.statvfs(self.disk), self.disk / "filler"
        _do("fallocate", "-l", str(at.f_bavail * at.f_frsize - _LEFT), str(filler))
        with filler.open("ab", buffering=0) as rest, suppress(OSError):  # the file system needs some of it itself
            while True:
                rest.write(bytes(_PAGE))

    def make_room(self) -> None:
        """Take that back."""
        (self.disk / "filler").unlink()

    def flip_bit(self, file: str) -> None:
        """Turn one bit over in the first page of a file of PostgreSQL's data, which must not run."""
        with (self.data / file).open("r+b") as data:
            data.seek(_PAGE // 2)
            byte = data.read(1)[0]
            data.seek(_PAGE // 2)
            data.write(bytes([byte ^ 0x10]))


@contextmanager
def cluster_apart() -> Iterator[list[Apart]]:
    """Three machines that are switched on, until the block ends."""
    programs = binaries()
    assert programs is not None
    number = os.getpid() % 250 + 1
    net, bridge = f"10.213.{number}", f"ftbr{number}"
    with TemporaryDirectory(prefix="feltd-apart-", dir="/tmp") as name, ExitStack() as ends:
        folder = Path(name)
        folder.chmod(0o755)
        source = Path(__file__).with_name("moved_clock.c")
        _do("cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(folder / MOVED_CLOCK), str(source), "-ldl")
        _do("ip", "link", "add", bridge, "type", "bridge")
        ends.callback(_do, "ip", "link", "del", bridge)
        _do("ip", "address", "add", f"{net}.254/24", "dev", bridge)
        _do("ip", "link", "set", bridge, "up")
        nodes = nodes_of([f"db{n}={net}.{n},{net}.254" for n in (1, 2, 3)])  # the tests may do what a node may
        made = Cluster(nodes, (f"{net}.254/32",), False, SHORTEST_FAILOVER, places_in(folder, programs))
        machines = []
        for n, (node, place, config) in enumerate(folders_of(made, folder), 1):
            space, cable = f"feltd-{number}-{n}", f"ft{number}-{n}"
            _do("ip", "netns", "add", space)
            ends.callback(_do, "ip", "netns", "del", space)
            _do("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
            _do("ip", "link", "set", cable, "master", bridge, "up")
            _do("ip", "-n", space, "address", "add", f"{node.address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                _do("ip", "-n", space, "link", "set", device, "up")
            machine = Apart(node, place, config, ("nsenter", f"--net=/run/netns/{space}"), cable=cable)
            _do("truncate", "-s", IMAGE, str(machine.image))
            _do("mkfs.ext4", "-q", "-m", "0", str(machine.image))
            machine.mount()
            ends.callback(machine.unmount)
            machine.move_clock(0)
            machines.append(machine)
        try:
            for machine in machines:
                machine.start()
            yield machines
        finally:
            for machine in machines:
                machine.signal(signal.SIGCONT)
                with suppress(OSError):
                    machine.cut()


def _do(*words: str) -> None:
    """Raises AssertionError with what the program said."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr.strip()}"
