"""A floor beside a table's own processes: floord on PostgreSQL and the table's uplink, each a process of its own."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import asyncpg

from tests.floor.conftest import as_owner
from tests.floor.postgres_support import Server
from tests.floor.test_release_before import KEPT, PAUSE, ROLE, TABLE, TODAY, chains
from tests.floor.tls_support import casino, settings_of_both
from tests.warm import WarmProcess, WarmStart, start_feltd

_PINNED: Final = "SELECT count(*) FROM floor.signer WHERE size > 0"
"""Whether a message about the table's heads has come: a killed sender's next one takes up to ten seconds."""


class Other:
    """A process of feltd beside the table. It is started again only where it was killed: none may end by itself."""

    def __init__(self, folder: Path, *words: str, warm: WarmStart | None = None) -> None:
        """`warm`: as of `start_feltd`."""
        self.name = words[0]
        self.log = folder / f"{words[0]}.log"
        self._words = words
        self._warm = warm
        self._process: subprocess.Popen[bytes] | WarmProcess | None = None

    @property
    def pid(self) -> int:
        """The number of the process that runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        self._process = start_feltd(self._words, self.log, os.environ, self._warm)

    def kill(self) -> None:
        """SIGKILL, at once. Fails where it had ended by itself."""
        self.assert_runs()
        self.end()

    def assert_runs(self) -> None:
        assert self._process is not None
        assert self._process.poll() is None, f"it has ended by itself: {self.log.read_text(encoding='utf-8')[-4000:]}"

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@dataclass(frozen=True, slots=True)
class Files:
    """The settings of a floor and of a table's uplink."""

    floord: Path
    uplink: Path

    def others(self, folder: Path, warm: Mapping[str, WarmStart] = MappingProxyType({})) -> tuple[Other, Other]:
        """The uplink and floord, not yet started; their logs go to `folder`. `warm`: what starts them, by their
        command."""
        return (
            Other(folder, "uplink", str(self.uplink), warm=warm.get("uplink")),
            Other(folder, "floor", "run", "--config", str(self.floord), warm=warm.get("floor")),
        )


async def prepared(database: Server) -> None:
    """The schema, and the daemon's role."""
    TODAY.succeeds("floor", "prepare", database.address("owner"))
    await as_owner(database, ROLE)


def settings(folder: Path, database: Server, door: Path, days: int = 1) -> Files:
    """Write the files, with certificates. `door`: the table's. `days`: for which the certificates are good."""
    keys = casino(folder / "casino", TABLE, days=days)
    return Files(*settings_of_both(keys, TABLE, database.address("floord"), door))


async def floor_has(database: Server, entries: int, others: Iterable[Other]) -> None:
    """Wait until the floor has so many entries of the table, and the first key of its signed heads. Fails where one of
    these processes ends meanwhile."""
    connection = await asyncpg.connect(database.address("owner"))
    try:
        while await connection.fetchval(KEPT) < entries or not await connection.fetchval(_PINNED):
            for other in others:
                other.assert_runs()
            await asyncio.sleep(PAUSE)
    finally:
        await connection.close()


def assert_one_record(folder: Path, journal: Path, floor: Path) -> None:
    """The floor's copy verifies, and is the table's record as far as the table was reached, which must be to the last
    event of a device. What the table tells of a device that is silent comes at any time, also as it is stopped."""
    TODAY.succeeds("floor", "verify", "--config", str(floor))
    copy = folder / "copy.journal"
    TODAY.succeeds("floor", "restore", TABLE, "--into", str(copy), "--config", str(floor))
    TODAY.succeeds("journal", "verify", str(copy))
    own, kept = chains(journal), chains(copy)
    assert kept == own[: len(kept)]
    assert len(kept) >= _last_told(journal), "an event is in the table's record and not in the floor's copy"


def _last_told(journal: Path) -> int:
    """The number of the entry of the last event that a device told."""
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as record:
        [[last]] = record.execute("SELECT max(seq) FROM entries WHERE device_seq IS NOT NULL").fetchall()
    assert last is not None, "no device has told anything"
    return int(last)
