"""Three nodes with Debian's etcd and Patroni, set up by `feltd floor cluster`: no person changes over.

While tables send, the primary's machine loses its power, and another one stands still for longer than the others wait
for it and then goes on. What was acknowledged is there once, each row as its table has it.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import asyncpg
import pytest

from feltd.floor.cluster import SQL_PORT
from feltd.floor.postgres import PostgresEngine, prepare
from feltd.floor.servers import Servers
from hil_tests.cluster_nodes import Machine, cluster, why_not
from tests.floor.sending_tables import TABLES, Tables
from tests.running import eventually, running

pytestmark = [pytest.mark.timeout(900), pytest.mark.skipif(why_not() is not None, reason=str(why_not()))]
PASSWORD = "floord"
FAULTS = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError)


@pytest.fixture
def machines() -> Iterator[list[Machine]]:
    """Three that run."""
    with cluster() as made:
        yield made


def address(machines: Sequence[Machine], role: str = f"feltd-floor:{PASSWORD}", database: str = "floor") -> str:
    """Of all of them."""
    hosts = ",".join(f"{machine.node.address}:{SQL_PORT}" for machine in machines)
    authority = machines[0].folder / "patroni" / "authority.pem"
    return f"postgresql://{role}@{hosts}/{database}?sslmode=verify-full&sslrootcert={authority}"


async def primary(machines: Sequence[Machine], standbys: int) -> Machine:
    """The one that is the primary, once so many follow it and one of them is waited for."""
    ask = (
        "SELECT NOT pg_is_in_recovery() AND (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming') = "
        f"{standbys} AND (SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync') = 1"
    )
    while True:
        for machine in machines:
            with suppress(*FAULTS):
                if await machine.ask(ask):
                    return machine
        await asyncio.sleep(0.2)


async def with_floor(machines: Sequence[Machine]) -> Machine:
    """A floor in the cluster; the machine that is the primary."""
    first = await primary(machines, 2)
    await first.ask("CREATE DATABASE floor")
    own = first.config["postgresql"]["authentication"]["superuser"]
    await prepare(address([first], f"{own['username']}:{own['password']}"))
    await first.ask(f"CREATE ROLE \"feltd-floor\" LOGIN PASSWORD '{PASSWORD}' IN ROLE floor_custody")
    return first


def test_a_primary_that_loses_its_power_or_stands_still_costs_nothing_that_was_acknowledged(
    machines: list[Machine],
) -> None:
    async def work() -> None:
        async with asyncio.timeout(800):
            await played(machines)

    try:
        asyncio.run(work())
    except BaseException:
        for machine in machines:
            print(f"== {machine.node.name}\n{machine.said()}")
        raise


async def played(machines: list[Machine]) -> None:
    first = await with_floor(machines)
    floor = await PostgresEngine.open(address(machines))
    tables = Tables(floor)
    sending = [asyncio.ensure_future(tables.send(n)) for n in range(TABLES)]
    async with running(floor.servers.watch()):
        await eventually(lambda: min(tables.acknowledged) > 50)
        first.cut()
        rest = [machine for machine in machines if machine is not first]
        await gone_on(tables, lambda: min(tables.acknowledged))
        second = await primary(rest, 1)
        first.start()
        assert await primary(machines, 2) is second
        second.signal(signal.SIGSTOP)
        await gone_on(tables, lambda: min(tables.acknowledged))
        second.signal(signal.SIGCONT)
        third = await primary(machines, 2)
        assert third is not second
        await gone_on(tables, lambda: min(tables.acknowledged))
        tables.stopped = True
        await asyncio.gather(*sending)
    assert tables.lost == []
    await tables.proved(floor)
    await floor.close()
    found = Servers(address(machines))
    await found.look()
    assert found.trouble == ()
    assert sorted(one.standby for one in found.found) == [False, True, True]
    assert max(one.history.timeline for one in found.found) >= 3, "each change is a history of its own"


async def gone_on(tables: Tables, least: Callable[[], int]) -> None:
    """Every table has had a further batch acknowledged, and all that each had written before."""
    written = max(len(journal.rows) for journal in tables.journals)
    await eventually(lambda: least() > written)
