"""A floor beside a table that plays for a long time: its uplink, floord and PostgreSQL, each a process of its own."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from feltd.record import JournalReader
from tests.floor.beside_table import Files, Other, assert_one_record, floor_has, prepared, settings
from tests.floor.postgres_support import Server, server
from tests.soak.looking import Sample, look


@dataclass(slots=True)
class FloorBeside:
    """Floord and uplink, and what was seen of them."""

    folder: Path
    database: Server
    files: Files
    others: tuple[Other, ...]
    seen: dict[str, list[Sample]] = field(default_factory=dict)

    def look(self, events: int) -> None:
        """One look at each process. Fails where one has ended."""
        for other in self.others:
            other.assert_runs()
            self.seen.setdefault(other.name, []).append(look(other.pid, events))

    async def faults(self, journal: Path, key: bytes, patience: float) -> list[str]:
        """Wait until the floor has all of the table's record; what is wrong where it has not within so many seconds, or
        where its copy is another one. The table still runs: its uplink asks it."""
        with JournalReader.open(journal, key) as reader:
            wanted = reader.head().seq
        try:
            async with asyncio.timeout(patience):
                await floor_has(self.database, wanted, self.others)
            await asyncio.to_thread(assert_one_record, self.folder, journal, self.files.floord)
        except TimeoutError:
            return [f"the floor has not got {wanted} entries within {patience:g} s"]
        except AssertionError as wrong:
            return [f"the floor: {wrong}"]
        return []


@contextmanager
def floor_beside(folder: Path, door: Path) -> Iterator[Callable[[], FloorBeside]]:
    """Make a database and the files of a floor in `folder`; what is given starts floord and the uplink of the table
    whose `door` that is. All of them end with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    with server() as database, ExitStack() as stack:
        asyncio.run(prepared(database))
        files = settings(folder, database, door)
        others = files.others(folder)

        def start() -> FloorBeside:
            for other in others:
                other.start()
                stack.callback(other.end)
            return FloorBeside(folder, database, files, others)

        yield start
