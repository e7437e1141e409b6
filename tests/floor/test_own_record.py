"""The floor's own record: who comes to the pit page is chained, proved and handed out as a table's record is."""

import asyncio
import json
from pathlib import Path

import pytest

from feltd.custody.certificates import require_name
from feltd.custody.errors import CertificateWrongError
from feltd.door.access import AccessFact
from feltd.floor.engine import Engine
from feltd.floor.facts import OWN
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_record import OwnRecord
from feltd.floor.pit_book import PitBook
from feltd.floor.proving import prove_all
from feltd.floor.restoring import newest_of, restore
from feltd.floor.told import status_lines
from feltd.record import HostEntry, JournalReader, Span
from feltd.record.access import AccessKind
from feltd.record.verify import verify
from tests.floor.conftest import as_owner
from tests.floor.postgres_support import Server
from tests.floor.test_scenes import Run

PAGE = "0a1b2c3d"


def came(number: int, who: str = "lea") -> AccessFact:
    return AccessFact(number, AccessKind.SIGNED_IN, 1000.0 + number, who, "supervisor", "10.20.0.9")


def test_who_came_stands_once_in_a_record_that_proves_itself(engine: Run, tmp_path: Path) -> None:
    async def work(floor: Engine) -> None:
        one, other = OwnRecord(floor, lambda: 2000.0), OwnRecord(floor, lambda: 2001.0)
        await asyncio.gather(one.access(PAGE, [came(1), came(2)]), other.access("11111111", [came(1, "max")]))
        await one.access(PAGE, [came(1), came(2), came(3)])  # its answer was lost
        await one.access(PAGE, [])
        await other.note({"note": "who sees which tables", "name": "pit 2"})
        proof, faults = await prove_all(floor)
        assert (proof.entries, faults) == (5, [])
        file = tmp_path / "own.journal"
        status = await floor.status()
        await restore(floor, newest_of(status, OWN, None), file)
        with JournalReader.open(file) as reader:
            assert verify(reader).faults == ()
            rows = [(row.name, json.loads(row.body)) for row in reader.rows(Span())]
        said = [(body["who"], body["page"], body["n"]) for name, body in rows if name == HostEntry.ACCESS]
        assert sorted(said) == [("lea", PAGE, 1), ("lea", PAGE, 2), ("lea", PAGE, 3), ("max", "11111111", 1)]
        assert rows[-1][1] == {"note": "who sees which tables", "name": "pit 2"}
        assert await floor.facts.behind() == []
        book = PitBook(floor)
        await book.load()
        assert book.line(OWN) is None
        assert all(line.startswith("the floor's own record") for line in status_lines(status, 0.0))

    engine(work)


def test_a_floor_that_was_put_back_goes_on_with_its_own_record() -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: 0.0)
        record = OwnRecord(floor)
        await record.access(PAGE, [came(1)])
        backup = floor.saved()
        await record.access(PAGE, [came(2)])
        floor.put_back(backup)
        await record.access(PAGE, [came(3)])
        [status] = await floor.status()
        assert status.stand.seq == 2
        floor.journals.clear()
        await record.access(PAGE, [came(4)])
        [status] = await floor.status()
        assert (status.table, status.stand.seq) == (OWN, 1)
        next(iter(floor.journals.values())).table = "7"
        await record.access(PAGE, [came(5)])
        assert {one.table for one in await floor.status()} == {"7", OWN}

    asyncio.run(work())


def test_a_sign_in_that_was_changed_in_the_database_is_found(postgres: Server) -> None:
    async def work() -> None:
        from feltd.floor.postgres import PostgresEngine
        from tests.floor.conftest import emptied

        await emptied(postgres)
        floor = await PostgresEngine.open(postgres.address("floord"))
        try:
            await OwnRecord(floor).access(PAGE, [came(1)])
            await OwnRecord(floor).access(PAGE, [came(2)])
            await as_owner(postgres, "SET session_replication_role = replica; DELETE FROM floor.batch WHERE first = 2")
            _, faults = await prove_all(floor)
            assert [(one.table, one.seq) for one in faults] == [(OWN, 1)]
        finally:
            await floor.close()

    asyncio.run(work())


def test_no_table_has_the_floors_name() -> None:
    with pytest.raises(CertificateWrongError, match="no name for a table"):
        require_name(OWN)
