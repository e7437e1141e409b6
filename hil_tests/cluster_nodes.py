"""Nodes of a cluster on this machine: real etcd and Patroni, each node with addresses and folders of its own."""

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
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def data(self) -> Path:
        """PostgreSQL's folder."""
        return self.folder / "data"

    def start(self) -> None:
        """Switch it on."""
        told = (self.folder / "etcd" / "etcd.env").read_text(encoding="utf-8").split("\n")
        etcd = dict(line.split("=", 1) for line in told if line)
        self.running = [
            self._begun("etcd", ["etcd"], etcd),
            self._begun("patroni", ["patroni", str(self.folder / "patroni" / "config.yml")], {}),
        ]

    def _begun(self, name: str, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        who = pwd.getpwnam(USER)
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                command, env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=who.pw_uid, group=who.pw_gid, extra_groups=[],
                cwd="/", start_new_session=True,
            )  # fmt: skip

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
        while any(map(_alive, pids)):
            pass
        for left in (self.data / "postmaster.pid", self.folder / f".s.PGSQL.{SQL_PORT}.lock"):
            left.unlink(missing_ok=True)  # with the power its numbers of processes are gone too

    def pids(self) -> set[int]:
        """All of its processes."""
        found = {process.pid for process in self.running if process.poll() is None}
        with suppress(FileNotFoundError, IndexError):
            found.add(int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0]))
        while more := {child for pid in found for child in _children(pid)} - found:
            found |= more
        return found

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
        at = f"{folder}/{{node}}"
        places = Places(f"{at}/etcd", f"{at}/etcd-data", f"{at}/patroni", f"{at}/data", str(programs), at)
        write_cluster(folder / "made", Cluster(nodes, ("127.0.0.1/32",), hold, failover, places))
        who = pwd.getpwnam(USER)
        machines = []
        for node in nodes:
            shutil.copytree(folder / "made" / node.name, folder / node.name)
            for place in (folder / node.name, *(folder / node.name).rglob("*")):
                os.chown(place, who.pw_uid, who.pw_gid)
            config = json.loads((folder / node.name / "patroni" / "config.yml").read_text(encoding="utf-8"))
            machines.append(Machine(node, folder / node.name, config))
        try:
            for machine in machines:
                machine.start()
            yield machines
        finally:
            for machine in machines:
                machine.signal(signal.SIGCONT)
                machine.cut()


def _children(pid: int) -> Iterator[int]:
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (thread / "children").read_text(encoding="ascii").split())
    except (FileNotFoundError, ProcessLookupError):
        return


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
