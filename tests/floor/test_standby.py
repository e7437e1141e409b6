"""Two real servers: a standby that follows, a primary that is killed while tables send, and a person who promotes."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from feltd.cli.exits import FINE
from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.floor import servers
from feltd.floor.engine import Seen
from feltd.floor.postgres import PostgresEngine, prepare
from feltd.floor.promoting import promote, wait_for
from feltd.floor.servers import Memory, Servers
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import WHY_NOT, binaries
from tests.floor.sending_tables import TABLES, Tables
from tests.floor.test_scenes import Line
from tests.floor.tls_support import HOST
from tests.floor.two_servers import Node, both, follow, run, synchronous, two_servers
from tests.running import eventually, eventually_answers, running

pytestmark = [pytest.mark.skipif(binaries() is None, reason=WHY_NOT), pytest.mark.slow]


@pytest.fixture
def nodes() -> Iterator[tuple[Node, Node]]:
    """A primary with a floor, and a standby that follows it."""
    with two_servers() as (first, second):
        asyncio.run(prepare(first.own))
        asyncio.run(first.ask("CREATE ROLE floord LOGIN IN ROLE floor_custody"))
        follow(first, second)
        yield first, second


def test_a_primary_killed_in_the_midst_of_appends_loses_and_doubles_nothing(nodes: tuple[Node, Node]) -> None:
    first, second = nodes

    async def work() -> None:
        await synchronous(first, second)
        floor = await PostgresEngine.open(both(first, second))
        tables = Tables(floor)
        sending = [asyncio.ensure_future(tables.send(n)) for n in range(TABLES)]
        async with running(floor.servers.watch()):
            await eventually(lambda: min(tables.acknowledged) > 100)
            with pytest.raises(CustodyError, match=r"still answers.*--although-it-answers"):
                await promote(second.own, "berg", "too early")
            assert min(tables.acknowledged) < 10**6
            first.kill()
            await eventually(lambda: floor.trouble is not None)
            before = list(tables.acknowledged)
            told = await asyncio.to_thread(lambda: run("promote", second.own, "--reason", "db1 burnt"))
            assert told.exit_code == FINE
            assert "is the primary now (timeline 2)" in told.output
            await eventually(
                lambda: all(now > then + 100 for now, then in zip(tables.acknowledged, before, strict=True))
            )
            tables.stopped = True
            await asyncio.gather(*sending)
            await eventually(lambda: any("one disk alone" in words for words in floor.servers.trouble))
        assert tables.lost == []
        await tables.proved(floor)
        [entry] = await floor.promotions()
        assert (entry.timeline, entry.why) == (2, "db1 burnt")
        assert entry.who
        await floor.close()

    asyncio.run(work())


def test_an_old_primary_that_comes_back_is_written_to_no_more(
    nodes: tuple[Node, Node], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "LOOK_EVERY", 0.05)
    first, second = nodes

    async def work() -> None:
        kept = tmp_path / "promotion"
        floor = await PostgresEngine.open(both(first, second), Memory(kept))
        journal = FakeJournal(1)
        journal.play(5)
        line = await Line(journal, floor).hello()
        await line.all_up()
        await _caught_up(first, second)
        async with running(floor.servers.watch()):
            with pytest.raises(CustodyError, match="still answers"):
                await promote(second.own, "berg", "db1 is cut off")
            await promote(second.own, "berg", "db1 is cut off", although_it_answers=True)
            await eventually(lambda: any("old primary: " in words for words in floor.servers.trouble))
            await _goes_over(floor, second)
        [status] = await floor.status()
        assert status.stand.seq == 5
        await floor.close()
        again = await PostgresEngine.open(both(first, second))
        assert len(await again.promotions()) == 1, "of two primaries the newer one is written to"
        await again.close()
        second.stop()
        with pytest.raises(FloorAwayError, match=f"{first.port} was primary before a promotion"):
            await PostgresEngine.open(both(first, second), Memory(kept))
        with pytest.raises(CustodyError, match="never a standby"):
            await promote(first.own, "berg", "by mistake")

    asyncio.run(work())


async def _caught_up(first: Node, second: Node) -> None:
    """All that the first has written is on the second."""
    written = await first.ask("SELECT pg_current_wal_lsn()::text")
    replayed = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn"
    await eventually_answers(lambda: second.ask(replayed, written))


async def _goes_over(floor: PostgresEngine, second: Node) -> None:
    """What was connected to the old primary ends, and is connected to the new one."""
    while True:
        try:
            if await floor.promotions():
                return
        except FloorAwayError:
            continue


def test_nothing_is_acknowledged_while_the_standby_is_away_until_a_person_says_so(
    nodes: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "LOOK_EVERY", 0.05)
    first, second = nodes

    async def work() -> None:
        await synchronous(first, second)
        floor = await PostgresEngine.open(first.address("floord"))
        journal = FakeJournal(1)
        line = await Line(journal, floor).hello()
        second.kill()
        journal.play(5)
        async with running(floor.servers.watch()):
            sending = asyncio.ensure_future(line.all_up())
            await eventually(lambda: any("nothing is acknowledged" in words for words in floor.servers.trouble))
            await floor.note_seen(Seen("7", journal.journal_id, 5, None, None))  # a sign of life waits for no standby
            assert not sending.done()
            with pytest.raises(CustodyError, match='no standby "db2" is connected; there are: none'):
                await wait_for(first.own, "db2")
            await wait_for(first.own, None)
            assert (await sending).seq == 5
            await eventually(lambda: any("one disk alone" in words for words in floor.servers.trouble))
            second.start()
            await eventually(lambda: floor.servers.trouble == ())
        await floor.close()

    asyncio.run(work())


def test_timers_on_the_standby_leave_the_work_to_the_primary(nodes: tuple[Node, Node], tmp_path: Path) -> None:
    _, second = nodes
    for words in (("backup", second.own, tmp_path, "--keep", 3), ("pack", second.own)):
        told = run(*words)
        assert (told.exit_code, told.output) == (FINE, "this server is a standby: the primary does it\n")
    assert list(tmp_path.iterdir()) == []


def test_the_old_primary_becomes_a_standby_of_the_new_one(nodes: tuple[Node, Node]) -> None:
    first, second = nodes
    first.stop("fast")  # it hands over all that it has
    asyncio.run(promote(second.own, "berg", "db1 is renewed"))
    refused = run("standby", second.of_replica, first.data, "--name", "db1")
    assert "is not empty" in refused.output
    first.data.rename(first.data.with_name("evidence"))
    follow(second, first)

    async def work() -> None:
        await synchronous(second, first)
        found = Servers(both(first, second))
        await found.look()
        assert (found.trouble, found.away) == ((), ())
        assert [one.standby for one in found.found] == [True, False]

    asyncio.run(work())
    told = run("status", "--config", _settings(first.folder, both(first, second)))
    primary = rf"server {HOST}:{second.port}: primary, timeline 2; standby db1 \d+ bytes behind, synchronous"
    assert re.search(primary, told.output)
    assert "timeline 2, by berg: db1 is renewed" in told.output


def _settings(folder: Path, database: str) -> Path:
    file = folder / "floor.toml"
    file.write_text(f'[floor]\ncertificate = "c"\nkey = "k"\nauthority = "a"\ndatabase = "{database}"\n')
    return file
