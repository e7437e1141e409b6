"""Nodes of a cluster on this machine: real etcd and Patroni, each node with addresses and folders of its own.

Where it is asked for, each has a network namespace and a disk image of its own too (`cluster_apart`).
"""

import json
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import asyncpg

from feltd.floor.cluster import SHORTEST_FAILOVER, SQL_PORT, Cluster, Node, Places, nodes_of, write_cluster
from hil_tests.families import family_of, is_alive
from tests.floor.postgres_support import binaries

USER: Final = "postgres"
PROGRAMS: Final = ("etcd", "patroni")
AUTHORITY: Final = "authority.pem"


def why_not() -> str | None:
    """Why no cluster can be had here; None where one can."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing or binaries() is None:
        return f"{', '.join(missing) or 'a PostgreSQL server'} is not on this machine: .ci/cluster gets it"
    if os.geteuid() != 0:
        return f"only root starts programs as {USER}"
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return f"there is no user {USER}: Debian's package of the server makes it"
    return None


@dataclass
class Machine:
    """One node with its two programs."""

    node: Node
    folder: Path
    config: dict[str, Any]
    prefix: tuple[str, ...] = ()
    """What its programs are started by."""
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def data(self) -> Path:
        """PostgreSQL's folder."""
        return self.disk / "data"

    @property
    def disk(self) -> Path:
        """What its two programs write to."""
        return self.folder / "disk"

    def start(self) -> None:
        """Switch it on."""
        told = (self.folder / "etcd" / "etcd.env").read_text(encoding="utf-8").split("\n")
        etcd = dict(line.split("=", 1) for line in told if line)
        self.running = [self._begun("etcd", ["etcd"], etcd), self._begun_patroni()]

    def restart_patroni(self) -> None:
        """As systemd does it: Patroni ends its PostgreSQL, and begins anew."""
        etcd, patroni = self.running
        patroni.terminate()
        patroni.wait()
        self.running = [etcd, self._begun_patroni()]

    def _begun_patroni(self) -> subprocess.Popen[bytes]:
        command = [*self.with_clock(), "patroni", str(self.folder / "patroni" / "config.yml")]
        return self._begun("patroni", command, {})

    def with_clock(self) -> tuple[str, ...]:
        """What has a program, and those that it starts, read another clock than the machine's; nothing here."""
        return ()

    def _begun(self, name: str, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        who = pwd.getpwnam(USER)
        with (self.folder / f"{name}.log").open("ab") as log:
            as_user = ("setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups")
            return subprocess.Popen(
                [*self.prefix, *as_user, *command],
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        """To all of its processes."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def cut(self) -> None:
        """Its power goes: SIGKILL to all of it."""
        pids = self.pids()
        self.signal(signal.SIGKILL)
        for process in self.running:
            process.wait()
        while any(map(is_alive, pids)):
            pass
        self.forget_numbers()

    def forget_numbers(self) -> None:
        """With the power the numbers of its processes are gone."""
        for left in (self.data / "postmaster.pid", self.folder / f".s.PGSQL.{SQL_PORT}.lock"):
            left.unlink(missing_ok=True)

    def pids(self) -> set[int]:
        """All of its processes."""
        found = {process.pid for process in self.running if process.poll() is None}
        with suppress(FileNotFoundError, IndexError):
            found.add(int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0]))
        return family_of(found)

    def said(self) -> str:
        """The end of what its programs said."""
        logs = (self.folder / f"{name}.log" for name in PROGRAMS)
        return "\n".join("\n".join(log.read_text(errors="replace").splitlines()[-15:]) for log in logs if log.exists())

    async def ask(self, question: str, database: str = "postgres") -> Any:
        """What PostgreSQL's superuser is answered. Raises what asyncpg raises."""
        known = self.config["postgresql"]["authentication"]["superuser"]
        connection = await asyncpg.connect(
            host=self.node.address, port=SQL_PORT, user=known["username"], password=known["password"],
            database=database, ssl="require", timeout=5,
        )  # fmt: skip
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()


@contextmanager
def cluster(*, failover: int = SHORTEST_FAILOVER, hold: bool = False) -> Iterator[list[Machine]]:
    """Three machines that are switched on, until the block ends."""
    programs = binaries()
    assert programs is not None
    with TemporaryDirectory(prefix="feltd-three-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        here = f"127.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 200 + 20}"
        nodes = nodes_of([f"db{number}={here}.{number},127.0.0.1" for number in (1, 2, 3)])
        made = Cluster(nodes, ("127.0.0.1/32",), hold, failover, places_in(folder, programs))
        machines = [Machine(node, place, config) for node, place, config in folders_of(made, folder)]
        try:
            for machine in machines:
                machine.start()
            yield machines
        finally:
            for machine in machines:
                machine.signal(signal.SIGCONT)
                machine.cut()


def places_in(folder: Path, programs: Path) -> Places:
    """Where things lie on each node of a cluster in this folder."""
    at = f"{folder}/{{node}}"
    return Places(f"{at}/etcd", f"{at}/disk/etcd-data", f"{at}/patroni", f"{at}/disk/data", str(programs), at)


def folders_of(made: Cluster, folder: Path) -> Iterator[tuple[Node, Path, dict[str, Any]]]:
    """Write a folder for each node, of the programs' user: the node, its folder, Patroni's settings."""
    write_cluster(folder / "made", made)
    for node in made.nodes:
        place = folder / node.name
        shutil.copytree(folder / "made" / node.name, place)
        (place / "disk").mkdir()
        own(place, *place.rglob("*"))
        yield node, place, json.loads((place / "patroni" / "config.yml").read_text(encoding="utf-8"))


def own(*places: Path) -> None:
    """Give them to the programs' user."""
    who = pwd.getpwnam(USER)
    for place in places:
        os.chown(place, who.pw_uid, who.pw_gid)
