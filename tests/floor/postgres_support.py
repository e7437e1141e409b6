"""A PostgreSQL server of a test's own: Debian's binaries, in a temporary folder, as a user without rights."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from feltd.floor import backup

WHY_NOT = "no PostgreSQL server binary is found (Debian: apt install postgresql)"
WHICH = "FELTD_POSTGRES"
"""The environment's word for the server: its version, where there are several, or the folder of its binaries.
Without it the newest of Debian's is taken."""
LAID_OUT = ("-U", "owner", "-A", "trust", "-E", "UTF8", "--no-locale")
"""What initdb is told of each server of the tests."""


def binaries() -> Path | None:
    """The folder of the server's binaries; None where there is none on this machine.

    A folder that was named and has no server is an error: the tests would pass on another one, or not at all.
    """
    wanted = os.environ.get(WHICH, "*")
    if "/" in wanted:
        assert Path(wanted, "initdb").is_file(), f"{WHICH}: {wanted} has no initdb: name the folder bin of a server"
        return Path(wanted)
    found = sorted(Path("/usr/lib/postgresql").glob(f"{wanted}/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return None if on_path is None or shutil.which("postgres") is None else Path(on_path).resolve().parent


@dataclass(frozen=True)
class Server:
    """A server at a socket in its folder. `data`: where its databases are."""

    folder: Path
    programs: Path
    data: Path

    def address(self, role: str, database: str = "postgres") -> str:
        """Where a role finds a database."""
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def stop(self, how: str = "immediate") -> None:
        """End the server; `immediate` is the end of its power: nothing is written on the way."""
        self._control("stop", "-m", how)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c max_connections=20"
        self._control("start", "-l", str(self.folder / "log"), "-o", options)

    def _control(self, *words: str) -> None:
        as_nobody(self.programs / "pg_ctl", "-w", "-s", "-D", str(self.data), *words)


@contextmanager
def its_own_programs(programs: Path) -> Iterator[None]:
    """While the block runs, feltd takes PostgreSQL's programs from there: an older pg_dump refuses a newer server."""
    with patch.object(backup, "DEBIANS", programs.parent.parent):
        yield


@contextmanager
def server(programs: Path | None = None, kept: Path | None = None) -> Iterator[Server]:
    """A server, for as long as the block lasts. `programs`: its binaries, in the place of this machine's. `kept`: a
    folder for its databases, which go on being there; None: it is new, and they end with it."""
    programs = programs or binaries()
    assert programs is not None, WHY_NOT
    # Its name is short: a socket's path has 107 bytes.
    with its_own_programs(programs), TemporaryDirectory(prefix="feltd-pg-", dir="/tmp") as name:
        folder = Path(name)
        data = folder / "data" if kept is None else kept / "data"
        if os.geteuid() == 0:  # the server refuses root
            os.chown(folder, *nobody())
        running = Server(folder, programs, data)
        _lay_out(running)
        running.start()
        try:
            yield running
        finally:
            running.stop("immediate" if kept is None else "fast")


def _lay_out(new: Server) -> None:
    """Make the folder of its databases where there is none; end a server that was left running in it."""
    if (new.data / "postmaster.pid").exists():
        with suppress(AssertionError):  # of a machine that lost its power: nothing runs
            new.stop()
    if new.data.exists():
        return
    if new.data.parent != new.folder:
        new.data.parent.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(new.data.parent, *nobody())
    as_nobody(new.programs / "initdb", "-D", str(new.data), *LAID_OUT, "-N", "-k")


def nobody() -> tuple[int, int]:
    entry = pwd.getpwnam("nobody")
    return entry.pw_uid, entry.pw_gid


def as_nobody(program: Path, *words: str) -> None:
    user, group = nobody() if os.geteuid() == 0 else (None, None)
    done = subprocess.run(
        [program, *words], user=user, group=group, extra_groups=[] if user else None, cwd="/", check=False,
        env={**os.environ, "HOME": "/"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stderr}{_log_of(words)}"


def _log_of(words: Sequence[str]) -> str:
    """The end of the log that a program was told to write: what kept a server from starting stands there alone."""
    log = Path(words[words.index("-l") + 1]) if "-l" in words else None
    return log.read_text(encoding="utf-8", errors="replace")[-2000:] if log and log.exists() else ""
