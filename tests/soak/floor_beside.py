"""A floor beside a table that plays for a long time: its uplink, floord and PostgreSQL, each a process of its own."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg

from feltd.record import JournalReader
from feltd.record.signed_heads import heads_file, read_end
from tests.floor.beside_table import Files, Other, assert_one_record, floor_has, prepared, settings
from tests.floor.postgres_support import Server, server
from tests.floor.test_release_before import PAUSE, TODAY
from tests.soak.looking import Sample, look

DAYS: Final = 60
"""For which the certificates of a stretch are good."""
_SIGNED: Final = "SELECT coalesce(max(seq), 0) FROM floor.signer"
_THERE: Final = "SELECT count(*) FROM pg_roles WHERE rolname = 'floord'"


@dataclass(frozen=True, slots=True)
class FloorBeside:
    """Floord and uplink. `folder`: of this stretch."""

    folder: Path
    database: Server
    files: Files
    others: tuple[Other, ...]

    def look(self, events: int) -> Mapping[str, Sample]:
        """One look at each process, by name. Fails where one has ended."""
        for other in self.others:
            other.assert_runs()
        return {other.name: look(other.pid, events) for other in self.others}

    async def faults(self, journal: Path, key: bytes, patience: float) -> list[str]:
        """Wait until the floor has all of the table's record; what is wrong where it has not within so many seconds, or
        where its copy is another one. The table still runs: its uplink asks it."""
        with JournalReader.open(journal, key) as reader:
            wanted = reader.head().seq
        try:
            async with asyncio.timeout(patience):
                await floor_has(self.database, wanted, self.others)
                await self._signed_up_to(journal)
            await asyncio.to_thread(assert_one_record, self.folder, journal, self.files.floord)
        except TimeoutError:
            return [f"the floor has not got {wanted} entries, with their signed heads, within {patience:g} s"]
        except AssertionError as wrong:
            return [f"the floor: {wrong}"]
        for copied in self.folder.glob("copy.journal*"):
            copied.unlink()
        return []

    async def _signed_up_to(self, journal: Path) -> None:
        """Wait for the heads that the table has signed: an uplink brings them within ten seconds, in which a table that
        plays so fast ends more rounds than a record may have without a head."""
        connection = await asyncpg.connect(self.database.address("owner"))
        try:
            while await connection.fetchval(_SIGNED) < _signed(journal):  # noqa: ASYNC110 - what a database takes sets no event
                await asyncio.sleep(PAUSE)
        finally:
            await connection.close()


def _signed(journal: Path) -> int:
    end = read_end(heads_file(journal))
    return 0 if end is None or end.last is None else end.last.seq


@contextmanager
def floor_beside(folder: Path, kept: Path, door: Path) -> Iterator[Callable[[], FloorBeside]]:
    """Start a database, whose folder is `kept`, and make the files of a floor in `folder`; what is given starts floord
    and the uplink of the table whose `door` that is. All of them end with the block."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with server(kept=kept) as database, ExitStack() as stack:
        asyncio.run(_prepared(database))
        files = settings(folder, database, door, DAYS)
        others = files.others(folder)

        def start() -> FloorBeside:
            for other in others:
                other.start()
                stack.callback(other.end)
            return FloorBeside(folder, database, files, others)

        yield start


async def _prepared(database: Server) -> None:
    """The schema as it is today, and the daemon's role where there is none yet."""
    connection = await asyncpg.connect(database.address("owner"))
    try:
        there = await connection.fetchval(_THERE)
    finally:
        await connection.close()
    if there:
        await asyncio.to_thread(TODAY.succeeds, "floor", "prepare", database.address("owner"))
    else:
        await prepared(database)
