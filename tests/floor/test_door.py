"""The uplink's user at the table's door: the record, and nothing else."""

import asyncio
import os
from pathlib import Path

from feltd.door.asking.record import SocketRecord
from feltd.door.serving.listener import OpenDoor, ReadersDoor, ShutDoor, listening
from feltd.door.serving.records import RecordReaders
from feltd.door.wire.messages import Purpose, Refused, hello_of
from feltd.launcher.table_process import reader_of
from tests.feltd.door_support import hello, said_to
from tests.feltd.page_support import Page


def test_an_uplinks_user_reads_the_record_and_is_not_let_to_the_table(tmp_path: Path) -> None:
    async def work() -> None:
        page = Page(tmp_path)
        readers = RecordReaders(page.bench.journal.path)
        door = OpenDoor(page.door, "Table 7", page.bench.journal.reader.journal_id, readers)
        place = tmp_path / "door.sock"
        try:
            async with listening(place, os.getuid() + 1, door, os.getuid()):
                [refused] = await said_to(place, hello(Purpose.TABLE))
                assert isinstance(refused, Refused)
                assert "the record and nothing else" in refused.why
                found = await asyncio.to_thread(_rows, place)
                assert found == page.bench.journal.reader.head().seq
            async with listening(place, os.getuid() + 1, door):
                [refused] = await said_to(place, hello(Purpose.RECORD))
                assert "is not let in" in refused.why
        finally:
            readers.close()
            page.close()

    asyncio.run(work())


def _rows(place: Path) -> int:
    with SocketRecord(place) as record:
        return len(record.stored(0).rows)


def test_a_table_that_is_out_of_order_tells_its_uplink_why() -> None:
    shut = ShutDoor(Refused("no disk"))
    assert ReadersDoor(shut).receive(hello_of(hello(Purpose.RECORD).strip())) == Refused("no disk")


def test_an_uplinks_user_that_is_not_there_keeps_no_table_from_starting() -> None:
    assert reader_of("nobody-knows-them") is None
    assert reader_of(None) is None
    assert reader_of(str(os.getuid())) == os.getuid()
