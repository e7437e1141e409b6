"""Two PostgreSQL servers on loopback, over TLS with a casino's certificates, as a guide's reader sets them up."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import FINE
from feltd.custody.errors import CustodyError
from tests.floor.postgres_support import LAID_OUT, as_nobody, binaries, its_own_programs, nobody
from tests.floor.tls_support import HOST, casino
from tests.ports import free_port
from tests.running import eventually_answers, until

REPLICA = "feltd_standby"
PASSWORD = "replica"
_HBA = f"""
local all owner trust
hostssl all owner {HOST}/32 trust
hostssl all floord {HOST}/32 trust
hostssl postgres {REPLICA} {HOST}/32 scram-sha-256
hostssl replication {REPLICA} {HOST}/32 scram-sha-256
"""


@dataclass(frozen=True)
class Node:
    """One of the two."""

    name: str
    folder: Path
    programs: Path
    port: int

    @property
    def data(self) -> Path:
        """Its data."""
        return self.folder / self.name

    def address(self, role: str, database: str = "postgres") -> str:
        """Where a role finds it over TLS."""
        return f"postgresql://{role}@{HOST}:{self.port}/{database}?{self._tls}"

    @property
    def own(self) -> str:
        """The owner's address over its own socket."""
        return f"postgresql://owner@/postgres?host={self.folder}&port={self.port}"

    @property
    def of_replica(self) -> str:
        """The address for a standby."""
        return f"postgresql://{REPLICA}:{PASSWORD}@{HOST}:{self.port}/postgres?{self._tls}"

    @property
    def _tls(self) -> str:
        return f"sslmode=verify-full&sslrootcert={self.folder}/authority.pem"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        tls = f"-c ssl=on -c ssl_cert_file={self.folder}/floor.pem -c ssl_key_file={self.folder}/floor.key"
        where = f"-c listen_addresses={HOST} -c port={self.port} -c unix_socket_directories={self.folder}"
        options = f"{where} {tls} -c max_connections=30 -c hba_file={self.folder}/hba.conf -c wal_keep_size=64MB"
        log = str(self.folder / f"{self.name}.log")
        as_nobody(self.programs / "pg_ctl", "-w", "-s", "-D", str(self.data), "start", "-l", log, "-o", options)

    def stop(self, how: str = "immediate") -> None:
        """End it."""
        as_nobody(self.programs / "pg_ctl", "-w", "-s", "-D", str(self.data), "stop", "-m", how)

    def kill(self) -> None:
        """SIGKILL to all of its processes at once: the machine's power."""
        first = self.pid
        of_it = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii").split()
        killed = (first, *map(int, of_it))
        for one in killed:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        until(lambda: not any(map(_alive, killed)))
        # where nobody has taken the dead one off yet, a start takes it for alive
        (self.data / "postmaster.pid").unlink()
        (self.folder / f".s.PGSQL.{self.port}.lock").unlink()

    @property
    def pid(self) -> int:
        """Of its first process."""
        return int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0])

    @property
    def runs(self) -> bool:
        """Whether its first process is there."""
        return (self.data / "postmaster.pid").exists() and _alive(self.pid)

    def make_folder(self) -> None:
        """Its data's folder, empty."""
        self.data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(self.data, *nobody())

    async def ask(self, question: str, *values: object) -> object:
        """What its owner is answered."""
        connection = await asyncpg.connect(self.own)
        try:
            return await connection.fetchval(question, *values)
        finally:
            await connection.close()


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def two_servers() -> Iterator[tuple[Node, Node]]:
    """A primary that runs with a role for its standby, and a folder for that."""
    programs = binaries()
    assert programs is not None
    with its_own_programs(programs), TemporaryDirectory(prefix="feltd-two-", dir="/tmp") as name:
        folder = Path(name)
        keys = casino(folder / "casino")
        for file in ("authority.pem", "floor.pem", "floor.key"):
            shutil.copy(keys / file, folder / file)
        (folder / "hba.conf").write_text(_HBA)
        if os.geteuid() == 0:
            for place in (folder, *folder.glob("floor.*"), folder / "authority.pem", folder / "hba.conf"):
                os.chown(place, *nobody())
        first, second = (Node(one, folder, programs, free_port()) for one in ("db1", "db2"))
        as_nobody(programs / "initdb", "-D", str(first.data), *LAID_OUT, "-N")
        first.start()
        role = f"CREATE ROLE {REPLICA} LOGIN REPLICATION PASSWORD '{PASSWORD}'"
        try:
            asyncio.run(first.ask(role))
            yield first, second
        finally:
            for node in (first, second):
                if node.data.exists() and node.runs:
                    node.stop()


def follow(first: Node, second: Node) -> None:
    """Make the second a standby of the first by the command, and start it."""
    second.make_folder()
    done = run("standby", first.of_replica, second.data, "--name", second.name)
    assert done.exit_code == FINE, done.output
    second.start()


def run(*words: object) -> Result:
    """A command of `feltd floor`, as typed."""
    done = CliRunner().invoke(cli, ["floor", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit | CustodyError), done.output
    return done


def both(first: Node, second: Node) -> str:
    """The daemon's address of the two."""
    address = first.address("floord")
    return address.replace(f"{HOST}:{first.port}", f"{HOST}:{first.port},{HOST}:{second.port}")


async def synchronous(first: Node, second: Node) -> None:
    """Commits wait for the standby, and it is there."""

    async def follows() -> bool:
        count = "SELECT count(*) FROM floor.standbys() WHERE connected"
        return await first.ask(count) == 1

    await eventually_answers(follows)
    await asyncio.to_thread(lambda: run("synchronous", first.own, second.name))

    async def waits() -> bool:
        return await first.ask("SELECT count(*) FROM floor.standbys() WHERE synchronous") == 1

    await eventually_answers(waits)
