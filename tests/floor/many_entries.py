"""What an entry costs a floor that has many already: `python -m tests.floor.many_entries [--entries 100000000]`.

A day after the other comes in and is packed by night, as at a floor that runs. A line for each day says what its
entries took of the processors and the disk, and how long a table waits that calls or whose part is read. Where a day
costs no more than the first, an entry's cost does not depend on how many there are. The rows are those of a table that
was really played, over and over: the floor keeps bytes, and each pack is deflated by itself.
"""

import argparse
import asyncio
import math
import shutil
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import asyncpg

from feltd.custody.rows import chains_of
from feltd.floor.engine import Batch
from feltd.floor.packing import ROWS, pack_old
from feltd.floor.postgres import PostgresEngine, prepare
from feltd.floor.proving import faults_of
from feltd.record.entries import chain_start
from tests.floor.load import cost
from tests.floor.load_tables import played_rows
from tests.floor.postgres_support import WHY_NOT, Server, binaries, server

AT_ONCE: Final = 5
"""Entries of a batch: four looks a second at a table that plays."""
PLAYED: Final = 10 * ROWS
"""Rows that come over and over: more than a pack has."""
LOOKS: Final = 20
"""Calls and reads that are timed behind each day."""


@dataclass(frozen=True)
class Day:
    """What a day took. `entries`: that the floor has behind it; processor seconds for a million entries, its own."""

    entries: int
    adding: float
    packing: float
    bytes_each: float
    hello_ms: float
    read_ms: float

    def __str__(self) -> str:
        return (
            f"{self.entries:>11} entries: a million more took {self.adding:.0f} s of processors to add, "
            f"{self.packing:.0f} to pack; {self.bytes_each:.1f} bytes each on the disk; a table's call "
            f"{self.hello_ms:.1f} ms, {ROWS} entries read {self.read_ms:.1f} ms"
        )


class Tables:
    """Tables that send the same rows, each in a journal of its own."""

    def __init__(self, engine: PostgresEngine, rows: Sequence[bytes], tables: int) -> None:
        self._engine = engine
        self._rows = rows
        self.journals = [number.to_bytes(16, "big") for number in range(1, tables + 1)]
        self._chains = [chain_start(journal) for journal in self.journals]
        self.sent = 0
        """Entries of each table."""

    async def call(self) -> None:
        """Each says its first hello."""
        for journal in self.journals:
            await self._engine.open_journal(journal.hex(), journal, 2)

    async def send(self, entries: int) -> None:
        """Each sends so many more, in batches that the floor adds together."""
        for first in range(self.sent, self.sent + entries, AT_ONCE):
            at = first % len(self._rows)
            rows = tuple(self._rows[at : at + AT_ONCE])
            after = [chains_of(chain, rows)[-1] for chain in self._chains]
            given = [
                Batch(journal.hex(), journal, first + 1, before, chain, rows)
                for journal, before, chain in zip(self.journals, self._chains, after, strict=True)
            ]
            done = await self._engine.append_many(given)
            assert [one.stand.chain for one in done] == after
            self._chains = after
        self.sent += entries


async def measured(running: Server, plan: argparse.Namespace) -> list[Day]:
    """Bring in day after day; tell each as soon as it is over. Raises AssertionError where a row is not as it came."""
    owner = running.address("owner")
    postmaster = int((running.folder / "data" / "postmaster.pid").read_text(encoding="ascii").split()[0])
    await prepare(owner)
    connection = await asyncpg.connect(owner)
    await connection.execute("CREATE ROLE floord LOGIN IN ROLE floor_custody")
    empty = await _size(connection)
    engine = await PostgresEngine.open(running.address("floord"))
    tables = Tables(engine, await asyncio.to_thread(played_rows, PLAYED), plan.tables)
    await tables.call()
    days: list[Day] = []
    chance = Random(plan.tables)

    def spent() -> float:
        now = cost(postmaster, postmaster)
        return now.server + now.here

    ends = time.monotonic() + plan.minutes * 60
    while tables.sent * plan.tables < plan.entries and _has_room(running.folder, plan) and _has_time(ends):
        before, begun = spent(), tables.sent
        await tables.send(plan.day // plan.tables)
        added, came = spent(), (tables.sent - begun) * plan.tables
        done = await pack_old(owner, time.time() + 60)
        assert done.faults == ()
        packed = spent()
        await connection.execute("VACUUM floor.batch")
        entries = tables.sent * plan.tables
        calls, reads = [], []
        for _ in range(LOOKS):
            journal, after = chance.choice(tables.journals), chance.randrange(tables.sent - ROWS)
            at = time.perf_counter()
            await engine.open_journal(journal.hex(), journal, 2)
            calls.append(time.perf_counter() - at)
            at = time.perf_counter()
            found = await engine.batches(journal, after, 1)
            reads.append(time.perf_counter() - at)
            assert found[0].first <= after + 1 <= found[0].first + len(found[0].rows) - 1
        size = await _size(connection) - empty
        day = Day(
            entries, (added - before) / came * 1e6, (packed - added) / came * 1e6, size / entries,
            statistics.median(calls) * 1000, statistics.median(reads) * 1000,
        )  # fmt: skip
        print(day, flush=True)
        days.append(day)
    begun_at, whole = time.perf_counter(), await engine.status()
    one = whole[0]
    assert [fault async for fault in faults_of(engine, one)] == []
    print(f"a table's {one.stand.seq} entries proved in {time.perf_counter() - begun_at:.1f} s", flush=True)
    await engine.close()
    await connection.close()
    return days


def _has_room(folder: Path, plan: argparse.Namespace) -> bool:
    """Whether the disk has room for a further day; where not, that is told."""
    free = shutil.disk_usage(folder).free / 2**30
    if free < plan.leave:
        print(f"ended here: {free:.0f} GiB are left on the disk of {folder}, and --leave says {plan.leave:g}")
    return bool(free >= plan.leave)


def _has_time(ends: float) -> bool:
    """Whether a further day may begin; where not, that is told."""
    over = time.monotonic() >= ends
    if over:
        print("ended here: the time that --minutes names is over")
    return not over


async def _size(connection: Any) -> int:
    ask = "SELECT sum(pg_total_relation_size('floor.' || name)) FROM unnest('{batch,packed,head,journal}'::text[]) name"
    return int(await connection.fetchval(ask))


def main(words: Sequence[str]) -> int:
    """Measure; 1 where no server is found, or no room."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.many_entries")
    parser.add_argument("--entries", type=int, default=10**8)
    parser.add_argument("--day", type=int, default=10**6, help="entries of all tables that come before they are packed")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--leave", type=float, default=10.0, help="GiB of the disk that stay free")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no further day begins")
    plan = parser.parse_args(words)
    if binaries() is None:
        print(WHY_NOT)
        return 1
    begun = time.monotonic()
    with server() as running:
        days = asyncio.run(measured(running, plan))
        disk = sum(file.stat().st_size for file in (running.folder / "data").rglob("*") if file.is_file())
    if not days:
        return 1
    first, last = days[0], days[-1]
    print(
        f"from {first.entries} to {last.entries} entries: adding {last.adding / first.adding:.2f} times what the first "
        f"ones took, packing {last.packing / first.packing:.2f}, the disk {last.bytes_each / first.bytes_each:.2f}"
    )
    print(f"{time.monotonic() - begun:.0f} s in all; the server's whole folder has {disk / 1e9:.2f} GB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
