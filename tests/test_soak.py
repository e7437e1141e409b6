"""The long run, for a short time: what it finds wrong is told, and a table that plays has nothing wrong."""

import asyncio
import dataclasses
from pathlib import Path

import pytest

from feltd.record import JournalReader
from feltd.table.journal import Journal
from tests.devices.direct_play import books
from tests.floor.beside_table import prepared, settings
from tests.floor.postgres_support import WHY_NOT, binaries, server
from tests.soak.__main__ import line, one
from tests.soak.floor_beside import FloorBeside
from tests.soak.looking import JUDGED, Sample, grown
from tests.soak.running import PageReader, door_of, page_faults

BOOK = "tas-2018-holdem"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
def test_a_table_that_plays_has_nothing_wrong_and_its_floor_has_its_record(tmp_path: Path) -> None:
    soaked = one(books()[BOOK], tmp_path / "table", 100, seed=3, floor=True)
    assert soaked.faults == ()
    assert soaked.events >= 100
    assert soaked.read > 0
    assert set(soaked.others) == {"page", "uplink", "floor", "dealer and devices"}
    assert "nothing is wrong" in line(soaked)
    assert "; floor: memory " in line(soaked)
    assert "the record is torn" in line(dataclasses.replace(soaked, faults=("the record is torn",)))


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
def test_a_floor_that_has_not_all_of_the_record_is_told(tmp_path: Path) -> None:
    path, key = tmp_path / "table.journal", bytes(32)
    journal = Journal.open(path, key)
    asyncio.run(journal.flush())
    journal.close()
    with JournalReader.open(path, key) as reader:
        entries = reader.head().seq
    with server() as database:
        asyncio.run(prepared(database))
        files = settings(tmp_path, database, door_of(tmp_path))
        found = asyncio.run(FloorBeside(tmp_path, database, files, ()).faults(path, key, patience=0.0))
    assert found == [f"the floor has not got {entries} entries within 0 s"]


def test_a_page_that_does_not_come_is_told() -> None:
    assert asyncio.run(page_faults(PageReader(0), patience=0.0)) == ["no page was reached within 0 s"]
    there = PageReader(0)
    there.came.set()
    assert asyncio.run(page_faults(there, patience=0.0)) == []


def test_a_process_that_grows_is_told() -> None:
    larger = [Sample(0, 60.0, 40), Sample(JUDGED // 2, 64.0, 41), Sample(JUDGED, 67.0, 42)]
    assert grown(larger) == ["memory grew from 64.0 to 67.0 MiB", "open files grew from 41 to 42"]
    assert grown([*larger[:2], Sample(JUDGED, 65.0, 41)]) == []
    assert grown(larger[:2]) == []
