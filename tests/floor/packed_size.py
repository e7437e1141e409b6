"""What an entry takes in the floor's database, as it comes and packed: `make bench-floor`.

A simulated table's record is brought up as an uplink does it at a table that plays, a few entries at once, then packed.
Bytes are those of PostgreSQL's tables with their indexes, on a server of its own.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asyncpg

from feltd.floor.engine import Batch
from feltd.floor.packing import pack_old
from feltd.floor.postgres import PostgresEngine, prepare
from feltd.floor.proving import prove_all
from feltd.record.rows import JournalRows
from tests.feltd.test_hand_history import BLINDS, simulate
from tests.floor.postgres_support import WHY_NOT, Server, binaries, server

AT_ONCE = 5
"""Entries of a batch: four looks a second at a table that plays."""


async def measured(running: Server, record: Path, copies: int) -> list[str]:
    """Bring a record up as that of so many tables, and pack it; lines for people."""
    owner = running.address("owner")
    await prepare(owner)
    connection = await asyncpg.connect(owner)
    await connection.execute("CREATE ROLE floord LOGIN IN ROLE floor_custody")
    engine = await PostgresEngine.open(running.address("floord"))
    empty = await _size(connection)
    begun = time.perf_counter()
    entries, raw = await _brought_up(engine, record, copies)
    took = time.perf_counter() - begun
    full = await _size(connection) - empty
    begun = time.perf_counter()
    done = await pack_old(owner, time.time() + 60)
    packing = time.perf_counter() - begun
    for table in ("batch", "packed"):
        await connection.execute(f"VACUUM FULL floor.{table}")
    packed = await _size(connection) - empty
    _, faults = await prove_all(engine)
    await engine.close()
    await connection.close()
    return [
        f"{entries} entries of {copies} tables, {raw / entries:.0f} bytes each as the table writes them",
        f"as they come, {AT_ONCE} at once: {full / entries:.0f} bytes an entry ({took:.0f} s)",
        f"packed: {packed / entries:.0f} bytes an entry ({done.entries} in {done.packs} packs, {packing:.0f} s)",
        f"10^8 entries: {full / entries / 10:.1f} GB as they come, {packed / entries / 10:.1f} GB packed",
        f"proved: {'all as they were taken in' if not faults else f'{len(faults)} FAULTS'}",
    ]


async def _size(connection: Any) -> int:
    ask = "SELECT pg_total_relation_size('floor.batch') + pg_total_relation_size('floor.packed')"
    return int(await connection.fetchval(ask))


async def _brought_up(engine: PostgresEngine, record: Path, copies: int) -> tuple[int, int]:
    """The same rows for each table: the chain is each journal's own, so the floor takes them as its own."""
    found: list[bytes] = []
    with JournalRows(record) as rows:
        while piece := rows.stored(len(found), 500, 10**6).rows:
            found += piece
    for number in range(1, copies + 1):
        journal = number.to_bytes(16, "big")
        stand = (await engine.open_journal(str(number), journal, 2)).stand
        for first in range(0, len(found), AT_ONCE):
            batch = Batch(
                str(number), journal, first + 1, stand.chain, bytes(32), tuple(found[first : first + AT_ONCE])
            )
            [done] = await engine.append_many([batch])
            stand = done.stand
    return len(found) * copies, sum(map(len, found)) * copies


def main(words: Sequence[str]) -> int:
    """Measure; 1 where no server is found."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.packed_size")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--tables", type=int, default=3)
    asked = parser.parse_args(words)
    if binaries() is None:
        print(WHY_NOT)
        return 1
    with TemporaryDirectory() as folder, server() as running:
        simulate(Path(folder), "tas-2018-holdem", BLINDS, (1, 2, 3, 5, 6, 7), rounds=asked.rounds)
        for line in asyncio.run(measured(running, Path(folder) / "table.journal", asked.tables)):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
