"""A floor of one release and a table of another, on PostgreSQL, each a process of its own: today's with that before.

The program of the release before is taken from its revision; the libraries are today's. With
FELTD_PACKAGE_BEFORE=feltd_…_amd64.deb it is taken from that package, which was built, with the libraries in it.
"""

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from tests.floor.conftest import as_owner
from tests.floor.postgres_support import WHY_NOT, Server, binaries, server
from tests.floor.tls_support import casino, settings_of_both
from tests.releases import BEFORE, PACKAGE, ROOT, NotHereError, environment_of, unpacked
from tests.running import eventually

TABLE: Final = "table-1"
SENT: Final = 300
"""Entries that a table must have sent: some rounds."""
KEPT: Final = "SELECT coalesce(max(seq), 0) FROM floor.head"
ROLE: Final = "CREATE ROLE floord LOGIN IN ROLE floor_custody"
PAUSE: Final = 0.1
"""Seconds between two questions to the database."""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(binaries() is None, reason=WHY_NOT), pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Release:
    """The program of a release: where its code is. `python`: its package's interpreter; None for today's."""

    tree: Path
    python: Path | None = None

    def command(self, *words: str) -> tuple[list[str], dict[str, str]]:
        """What starts `feltd` of this release, and its environment."""
        if self.python is not None:
            return [str(self.python), "-I", "-m", "feltd.cli", *words], dict(os.environ)
        return [sys.executable, "-m", "feltd.cli", *words], environment_of(self.tree)

    def runs(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        command, environment = self.command(*words)
        return subprocess.run(command, env=environment, cwd=self.tree, capture_output=True, text=True, check=False)

    def succeeds(self, *words: str) -> str:
        """What a command says that must end well."""
        done = self.runs(*words)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    @contextmanager
    def running(self, log: Path, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
        """A process that goes on until the block ends, and is then told to end in good order."""
        command, environment = self.command(*words)
        with log.open("wb") as told:
            process = subprocess.Popen(
                command, env=environment, cwd=self.tree, stdin=subprocess.DEVNULL, stdout=told, stderr=told
            )
            try:
                yield process
            finally:
                process.terminate()
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


TODAY: Final = Release(ROOT)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The release before, as it was; skips where this clone has not its revision."""
    if package := os.environ.get(PACKAGE):
        into = tmp_path_factory.mktemp("package")
        return Release(into, unpacked(Path(package).resolve(), into))
    try:
        return Release(BEFORE.take_out(tmp_path_factory.mktemp("before")))
    except NotHereError as why:
        pytest.skip(str(why))


@dataclass(frozen=True)
class Floor:
    """A floor's files and database."""

    folder: Path
    keys: Path
    database: Server

    @property
    def settings(self) -> str:
        """The daemon's file."""
        return str(self.keys / "floor.toml")

    @property
    def own_record(self) -> Path:
        """The table's journal."""
        return self.folder / TABLE / "table.journal"

    def prepare(self, release: Release) -> None:
        """Bring the database's schema to that of a release."""
        release.succeeds("floor", "prepare", self.database.address("owner"))

    @contextmanager
    def served(self, release: Release) -> Iterator[None]:
        """The daemon, of a release."""
        pit, log = self.keys / "pit", self.folder / "floord.log"
        pit.unlink(missing_ok=True)
        with release.running(log, "floor", "run", "--config", self.settings) as process:
            begun(pit.exists, process, log)
            yield

    @contextmanager
    def table(self, release: Release) -> Iterator[None]:
        """A table that plays, and its uplink; both of a release."""
        at, log = self.folder / TABLE, self.folder / "table.log"
        play = ("simulate", "--folder", str(at), "--port", "0", "--no-tour", "--mistakes", "0.5", "--seed", "1")
        with release.running(log, *play, "--pace", "4") as process:
            begun((at / "table.journal.door").exists, process, log)
            with release.running(self.folder / "uplink.log", "uplink", str(self.keys / f"{TABLE}.toml")):
                yield

    def takes(self, more: int) -> None:
        """Wait until it has so many entries more of the table."""
        asyncio.run(self._takes(more))

    async def _takes(self, more: int) -> None:
        connection = await asyncpg.connect(self.database.address("owner"))
        try:
            wanted = await connection.fetchval(KEPT) + more
            while await connection.fetchval(KEPT) < wanted:  # noqa: ASYNC110 - what a database takes sets no event
                await asyncio.sleep(PAUSE)
        finally:
            await connection.close()

    def acknowledges(self, release: Release) -> None:
        """Have a release's command acknowledge the table's alarms, and find what it answers in the table's record."""
        answer = release.succeeds("floor", "decide", TABLE, "acknowledge", "--config", self.settings)
        [entry] = re.findall(rf"^{TABLE}: done, entry (\d+)$", answer, re.MULTILINE)
        with closing(sqlite3.connect(f"file:{self.own_record}?mode=ro", uri=True)) as record:
            # it answers with the last entry of what was done: the display says another thing now and then
            asked = "SELECT name FROM entries WHERE kind = 'event' AND seq <= ? ORDER BY seq DESC LIMIT 1"
            assert record.execute(asked, (int(entry),)).fetchall() == [("supervisor",)]


def begun(true: Callable[[], bool], process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait for what a process does first; fail with its words where it has ended."""
    asyncio.run(eventually(lambda: true() or process.poll() is not None))
    assert process.poll() is None, log.read_text(encoding="utf-8")


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    """A database without a schema, certificates, and the files of both sides."""
    keys, door = casino(tmp_path / "casino", TABLE), tmp_path / TABLE / "table.journal.door"
    with server() as database:
        settings_of_both(keys, TABLE, database.address("floord"), door)
        yield Floor(tmp_path, keys, database)


def require_one_record(floor: Floor, release: Release) -> None:
    """The floor's copy is as it was taken in, is sound, and is the table's own record as far as it goes."""
    release.succeeds("floor", "verify", "--config", floor.settings)
    copy = floor.folder / "copy.journal"
    release.succeeds("floor", "restore", TABLE, "--into", str(copy), "--config", floor.settings)
    release.succeeds("journal", "verify", str(copy))
    kept = chains(copy)
    assert len(kept) >= SENT
    assert kept == chains(floor.own_record)[: len(kept)]


def chains(journal: Path) -> list[tuple[int, bytes]]:
    """Each entry's number, and the chain up to it."""
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as record:
        return record.execute("SELECT seq, chain FROM entries ORDER BY seq").fetchall()


@pytest.mark.parametrize("newer", ["floor", "table"])
def test_a_table_and_a_floor_of_different_releases_keep_one_record(floor: Floor, before: Release, newer: str) -> None:
    """What the table writes arrives, once and sound; and the floor acknowledges an alarm at it."""
    of_floor, of_table = (TODAY, before) if newer == "floor" else (before, TODAY)
    floor.prepare(of_floor)
    asyncio.run(as_owner(floor.database, ROLE))
    with floor.served(of_floor):
        with floor.table(of_table):
            floor.takes(SENT)
            floor.acknowledges(of_floor)
        require_one_record(floor, of_floor)


def test_a_floor_is_brought_up_to_date_beneath_the_daemon_that_serves_a_table(floor: Floor, before: Release) -> None:
    """Today's schema beneath the daemon before, then today's daemon; the table's record goes on where it was."""
    floor.prepare(before)
    asyncio.run(as_owner(floor.database, ROLE))
    with floor.table(before):
        with floor.served(before):
            floor.takes(SENT // 2)
            floor.prepare(TODAY)
            floor.takes(SENT // 2)
        with floor.served(TODAY):
            floor.takes(SENT // 2)
            require_one_record(floor, TODAY)
