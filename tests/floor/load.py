"""What a floor does under the load of many tables: `make bench-load`. Prints a line for each figure.

    python -m tests.floor.load [--tables 1000] [--seconds 60] [--away 60]

A PostgreSQL server of its own, floord in its own process, and this process with all tables. Each table writes five
entries once a second, all of them apart in time, and sends them at once. Then all of them are away for a while in which
they play on, and come back beside live play. What this process costs is told apart: no floor has it.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import asyncpg

from feltd.custody.rows import chains_of, digests_of, packed
from feltd.floor.engine import Batch
from feltd.floor.postgres import PostgresEngine, prepare
from feltd.record.entries import chain_start
from feltd.record.signed_heads import SignedHead, message_of
from tests.floor.load_tables import CALLING_AT_ONCE, PlayedJournal, Table, played_rows
from tests.floor.postgres_support import WHY_NOT, Server, binaries, server
from tests.floor.tls_support import HOST, casino
from tests.floor.two_servers import Node, both, follow, synchronous, two_servers
from tests.ports import free_port

ENTRIES: Final = 5
"""A second, of each table."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """Processor seconds up to a moment: of floord, the server's processes, this process."""

    floord: float
    server: float
    here: float

    def since(self, before: "Cost", seconds: float, entries: int) -> str:
        """As cores over so many seconds, and for a thousand entries, which a busy machine changes less."""
        floord, server, here = (
            (now - then) / seconds
            for now, then in zip(
                (self.floord, self.server, self.here), (before.floord, before.server, before.here), strict=True
            )
        )
        each = seconds / entries * 1e6
        return (
            f"{floord + server:.2f} core: floord {floord:.2f}, PostgreSQL {server:.2f} (the tables' own {here:.2f}); a "
            f"thousand entries take {floord * each:.0f} ms of floord, {server * each:.0f} of PostgreSQL"
        )


def cost(floord: int, postmaster: int) -> Cost:
    """What was spent until now."""
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text(encoding="ascii").split()
    return Cost(_spent(floord), sum(map(_spent, (postmaster, *map(int, children)))), time.process_time())


def _spent(pid: int) -> float:
    """Of a process, and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS


def memory(pid: int) -> str:
    """Of a process: resident, and its part of what it shares."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    found = {line.partition(":")[0]: int(line.split()[1]) / 1024 for line in text.splitlines()[1:]}
    return f"{found['Rss']:.0f} MiB resident, {found['Pss']:.0f} by its part of what it shares"


def said(line: str) -> None:
    """Tell a figure as soon as it is known."""
    print(line, flush=True)


def spread(waits: Sequence[float]) -> str:
    """Milliseconds, for people."""
    cuts = statistics.quantiles(waits, n=100, method="inclusive")
    return f"p50 {cuts[49] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms, most {max(waits) * 1000:.0f} ms"


async def connected(tables: Sequence[Table]) -> None:
    """Every table calls, some at once."""
    for first in range(0, len(tables), CALLING_AT_ONCE):
        await asyncio.gather(*(table.call() for table in tables[first : first + CALLING_AT_ONCE]))


async def lived(tables: Sequence[Table], seconds: float) -> None:
    """All of them play, spread over each second."""
    begins = time.monotonic() + 0.5
    at = [begins + number / len(tables) for number in range(len(tables))]
    await asyncio.gather(
        *(table.play(ENTRIES, 1.0, first, begins + seconds) for table, first in zip(tables, at, strict=True))
    )


async def measured(
    running: Server, folder: Path, floord: int, floor: str, plan: argparse.Namespace, rows: Sequence[bytes]
) -> None:
    """Live play, the memory meanwhile, and what comes after a time away."""
    postmaster = int((running.folder / "data" / "postmaster.pid").read_text(encoding="ascii").split()[0])
    tables = [Table(f"t{number}", PlayedJournal(number, rows), folder, floor) for number in range(1, plan.tables + 1)]
    alone = memory(floord)
    said(f"{plan.tables} tables x {ENTRIES} entries a second, {len(b''.join(rows)) / len(rows):.0f} bytes each")
    await connected(tables)
    said(f"floord: {memory(floord)} with {plan.tables} tables connected; before, {alone}")
    before, begun = cost(floord, postmaster), time.monotonic()
    await lived(tables, plan.seconds)
    spent, took = cost(floord, postmaster), time.monotonic() - begun
    waits = [wait for table in tables for wait in table.waits]
    said(f"live for {took:.0f} s: a batch to its acknowledgement {spread(waits)}{_broken(tables)}")
    entries = sum(table.acknowledged for table in tables)
    said(f"{spent.since(before, took, entries)}; of its cores, signatures of heads {_signatures(len(tables)):.3f}")
    said(f"floord: {memory(floord)} behind it")
    for table in tables:
        await table.leave()
        table.journal.play(ENTRIES * plan.away)
        table.broken, table.goal = 0, len(table.journal.rows)
        table.reached.clear()
    owed = sum(table.goal - table.acknowledged for table in tables)
    begun = time.monotonic()
    await connected(tables)
    calling, begun = time.monotonic() - begun, time.monotonic()
    live = asyncio.ensure_future(lived(tables, plan.back))
    await asyncio.gather(*(table.reached.wait() for table in tables))
    said(
        f"{owed} entries of {plan.away} s away came in {time.monotonic() - begun:.1f} s beside live play, once all "
        f"were connected again ({calling:.1f} s){_broken(tables)}"
    )
    await live
    for table in tables:
        await table.leave()


def _broken(tables: Sequence[Table]) -> str:
    broken = sum(table.broken for table in tables)
    return f"; {broken} CONNECTIONS ENDED and were made anew" if broken else ""


def _signatures(tables: int) -> float:
    """Cores that checking one signed head of each table in ten seconds takes, from the time of one."""
    journal = PlayedJournal(1, [])
    journal.sign()
    head = SignedHead.parse(journal.signed[1])
    key = journal._key(1).public_key()
    text = message_of(journal.journal_id, head.seq, 1, head.chain, head.next_key)
    begun = time.process_time()
    for _ in range(200):
        key.verify(head.signature, text)
    return (time.process_time() - begun) / 200 * tables / 10


async def beside_copy(running: Server, seconds: float, rows: tuple[bytes, ...]) -> None:
    """Batches added by the database's function, and the same rows by a bare COPY into a table of the same columns."""
    many, connection = 500, await asyncpg.connect(running.address("owner"))
    await connection.execute("CREATE TABLE bare (LIKE floor.batch INCLUDING ALL)")
    engine = await PostgresEngine.open(running.address("floord"))
    journals = [(10**6 + number).to_bytes(16, "big") for number in range(many)]
    chains = [chain_start(journal) for journal in journals]
    for journal in journals:
        await engine.open_journal(journal.hex(), journal, 2)
    names = ["journal", "first", "last", "before", "chain", "rows"]
    took = {"append": 0.0, "copy": 0.0}
    entries, first = 0, 1
    while min(took.values()) < seconds:
        after = [chains_of(chain, rows)[-1] for chain in chains]
        given = [
            Batch(journal.hex(), journal, first, before, chain, rows)
            for journal, before, chain in zip(journals, chains, after, strict=True)
        ]
        begun = time.perf_counter()
        await engine.append_many(given)
        took["append"] += time.perf_counter() - begun
        # the bare one gets what floord makes of the rows too: digests for the chain, and the deflated batch
        begun = time.perf_counter()
        bare = []
        for one in given:
            digests_of(one.rows)
            bare.append((one.journal, one.first, one.last, one.before, one.chain, packed(one.rows)))
        await connection.copy_records_to_table("bare", records=bare, columns=names)
        took["copy"] += time.perf_counter() - begun
        entries, first, chains = entries + many * len(rows), first + len(rows), after
    await engine.close()
    await connection.close()
    append, copy = entries / took["append"], entries / took["copy"]
    said(
        f"{many} batches of {ENTRIES} a commit: {append:.0f} entries a second; a bare COPY of the same rows "
        f"{copy:.0f}: {append / copy:.2f} of it"
    )


async def one_or_two_disks(first: Node, second: Node, seconds: float, rows: Sequence[bytes]) -> None:
    """A commit where one server acknowledges, and where its standby must have it too."""
    await prepare(first.own)
    await first.ask("CREATE ROLE floord LOGIN IN ROLE floor_custody")
    await asyncio.to_thread(follow, first, second)
    for name in ("one disk", "two servers' disks"):
        if name != "one disk":
            await synchronous(first, second)
        engine = await PostgresEngine.open(both(first, second))
        waits = await _commits(engine, rows, seconds, name)
        await engine.close()
        said(f"a commit of 100 batches, acknowledged on {name}: {spread(waits)}")


async def _commits(engine: PostgresEngine, rows: Sequence[bytes], seconds: float, name: str) -> list[float]:
    journals = [number.to_bytes(15, "big") + name[:1].encode() for number in range(100)]
    chains = [chain_start(journal) for journal in journals]
    for journal in journals:
        await engine.open_journal(journal.hex(), journal, 2)
    waits: list[float] = []
    ends, first = time.monotonic() + seconds, 1
    while time.monotonic() < ends or len(waits) < 10:
        after = [chains_of(chain, rows)[-1] for chain in chains]
        given = [
            Batch(journal.hex(), journal, first, before, chain, tuple(rows))
            for journal, before, chain in zip(journals, chains, after, strict=True)
        ]
        begun = time.perf_counter()
        await engine.append_many(given)
        waits.append(time.perf_counter() - begun)
        first, chains = first + len(rows), after
    return waits


@dataclass(frozen=True)
class LoadedFloor:
    """A floor of this run's own. `keys`: a folder with its certificates, `t1` and so on, and its log."""

    running: Server
    keys: Path
    floord: int
    address: str


@asynccontextmanager
async def floor_for(tables: int, socket: str = "") -> AsyncIterator[LoadedFloor]:
    """PostgreSQL and floord for so many tables, as long as the block lasts. `socket`: for pages, in `keys`."""
    with TemporaryDirectory(prefix="feltd-load-", dir="/tmp") as name, server() as running:
        await prepare(running.address("owner"))
        connection = await asyncpg.connect(running.address("owner"))
        await connection.execute("CREATE ROLE floord LOGIN IN ROLE floor_custody")
        await connection.close()
        keys = await asyncio.to_thread(casino, Path(name) / "casino", *(f"t{number + 1}" for number in range(tables)))
        port = free_port()
        pages = f'socket = "{socket}"\n' if socket else ""
        (keys / "floor.toml").write_text(
            f'[floor]\nhost = "{HOST}"\nport = {port}\ndatabase = "{running.address("floord")}"\n{pages}'
            'certificate = "floor.pem"\nkey = "floor.key"\nauthority = "authority.pem"\n'
        )
        command = [sys.executable, "-m", "feltd.cli", "floor", "run", "--config", str(keys / "floor.toml")]
        with (keys / "log").open("wb") as log:
            floord = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            while "listens at" not in (keys / "log").read_text(encoding="utf-8"):
                assert floord.returncode is None, (keys / "log").read_text(encoding="utf-8")
                await asyncio.sleep(0.1)
            yield LoadedFloor(running, keys, floord.pid, f"wss://{HOST}:{port}")
        finally:
            floord.terminate()
            await floord.wait()


async def floor_under_load(plan: argparse.Namespace, rows: Sequence[bytes]) -> None:
    """A floor of its own, and its figures."""
    async with floor_for(plan.tables) as floor:
        await measured(floor.running, floor.keys, floor.floord, floor.address, plan, rows)
        await beside_copy(floor.running, plan.copy_seconds, tuple(rows[:ENTRIES]))


def main(words: Sequence[str]) -> int:
    """Measure; 1 where no server is found."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.load")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60, help="of live play")
    parser.add_argument("--away", type=int, default=60, help="seconds that all tables are away")
    parser.add_argument("--back", type=int, default=30, help="seconds of live play after that")
    parser.add_argument("--copy-seconds", type=float, default=5, help="of each way of adding rows")
    plan = parser.parse_args(words)
    if binaries() is None:
        print(WHY_NOT)
        return 1
    busy = os.getloadavg()[0]
    rows = played_rows(ENTRIES * (plan.seconds + plan.away + plan.back + 5))
    asyncio.run(floor_under_load(plan, rows))
    with two_servers() as (first, second):
        asyncio.run(one_or_two_disks(first, second, plan.copy_seconds, rows[:ENTRIES]))
    said(f"{os.cpu_count()} processors; processes that wanted them: {busy:.1f} before, {os.getloadavg()[0]:.1f} after")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
