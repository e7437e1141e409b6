"""Three nodes apart, each with a network and a disk of its own, while tables send: nothing acknowledged is lost.

The primary's cable is pulled, its disk is full, its power goes with what its disk had; last, a bit of a standby's files
turns over. Before that the primary's clock is put back by an hour, and the clocks of two etcds are moved apart by two.
Each says how long it was until every table was acknowledged again.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from feltd.floor.cluster import SHORTEST_FAILOVER
from feltd.floor.postgres import PostgresEngine
from hil_tests.cluster_apart import Apart, cluster_apart, why_not
from hil_tests.go_clock import CAN
from hil_tests.test_floor_cluster import address, gone_on, primary, with_floor
from tests.floor.sending_tables import TABLES, Tables
from tests.running import eventually, running

pytestmark = [pytest.mark.timeout(1800), pytest.mark.skipif(why_not() is not None, reason=str(why_not()))]
HOUR = 3600
ROWS = "SELECT count(*) FROM floor.batch WHERE octet_length(rows) > 0"


@pytest.fixture
def machines() -> Iterator[list[Apart]]:
    """Three that run."""
    with cluster_apart() as made:
        yield made


def test_a_pulled_cable_a_full_disk_a_power_cut_and_a_flipped_bit_cost_nothing_that_was_acknowledged(
    machines: list[Apart],
) -> None:
    async def work() -> None:
        await played(machines)

    try:
        asyncio.run(work())
    except BaseException:
        for machine in machines:
            print(f"== {machine.node.name}\n{machine.said()}")
        raise


@asynccontextmanager
async def told(what: str, tables: Tables) -> AsyncIterator[None]:
    """Say what a fault took: the block brings it about, and what was written before its end is acknowledged then."""
    begun, before = time.monotonic(), sum(tables.acknowledged)
    yield
    await gone_on(tables, lambda: min(tables.acknowledged))
    assert tables.lost == []
    print(
        f"{what}: {time.monotonic() - begun:.0f} s until every table was acknowledged again; {before} entries were "
        "acknowledged before, none is lost",
        flush=True,
    )


async def played(machines: list[Apart]) -> None:
    await with_floor(machines)
    floor = await PostgresEngine.open(address(machines))
    tables = Tables(floor)
    sending = [asyncio.ensure_future(tables.send(n)) for n in range(TABLES)]
    async with running(floor.servers.watch()):
        await eventually(lambda: min(tables.acknowledged) > 50)
        first = await _primary(machines, 2)
        async with told("the primary's cable is pulled", tables):
            first.plug(connected=False)
            await _primary([one for one in machines if one is not first], 1)
        first.plug(connected=True)
        second = await _primary(machines, 2)
        assert second is not first
        async with told("the primary's power goes", tables):
            second.cut_power()
            second.start()
        third = await _primary(machines, 2)
        async with told("the primary's disk is full", tables):
            third.fill_disk()
            await gone_or_stopped(third, tables)
            third.make_room()
        fourth = await _primary(machines, 2)
        async with told("the primary's clock is put back by an hour", tables):
            fourth.move_clock(-HOUR)
            await asyncio.to_thread(fourth.restart_patroni)
        if CAN:
            fifth = await _primary(machines, 2)
            async with told("the clocks of two etcds are an hour behind and an hour ahead", tables):
                fifth.move_etcd_clock(-HOUR)
                next(one for one in machines if one is not fifth).move_etcd_clock(HOUR)
                await lead_was_renewed(tables)
        last = await _primary(machines, 2)
        standby = next(one for one in machines if one is not last)
        file = await last.ask("SELECT pg_relation_filepath('floor.batch')", "floor")
        async with told("a bit of a standby's file turns over", tables):
            standby.cut()
            standby.flip_bit(file)
            standby.start()
            await _primary(machines, 2)
        tables.stopped = True
        await asyncio.gather(*sending)
    assert tables.lost == []
    await tables.proved(floor)
    await floor.close()
    try:
        assert await standby.ask(ROWS, "floor") == await last.ask(ROWS, "floor")
        print("the page was whole again: a later copy of it came over the primary's log", flush=True)
    except asyncpg.DataCorruptedError as fault:
        print(f"the standby tells it to who reads: {fault}", flush=True)


async def gone_or_stopped(full: Apart, tables: Tables) -> None:
    """The full disk has been met: another one leads, or nobody is acknowledged by this one."""
    written = sum(tables.acknowledged)
    while True:
        try:
            await full.ask("CREATE TABLE IF NOT EXISTS wants_room AS SELECT generate_series(1, 200000)")
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            assert sum(tables.acknowledged) >= written
            return


async def lead_was_renewed(tables: Tables) -> None:
    """The lead would have run out twice since, and tables are acknowledged."""
    ends, acknowledged = time.monotonic() + 2 * SHORTEST_FAILOVER, sum(tables.acknowledged)
    await eventually(lambda: time.monotonic() > ends and sum(tables.acknowledged) > acknowledged)


async def _primary(machines: list[Apart], standbys: int) -> Apart:
    found = await primary(machines, standbys)
    return next(one for one in machines if one is found)
