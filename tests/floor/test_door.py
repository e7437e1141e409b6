"""The uplink's user at the table's door: the record, and nothing else."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from feltd.door import CommandRefused
from feltd.door.asking.obeying import code_shown
from feltd.door.asking.record import SocketRecord
from feltd.door.obeying import ShownCode
from feltd.door.serving.listener import OpenDoor, PlacesOf, ShutDoor, listening, places
from feltd.door.serving.records import RecordReaders
from feltd.door.wire.messages import Purpose, Refused, hello_of
from feltd.launcher.table_process import reader_of
from feltd.record import HostEntry, Span
from feltd.record.entries import Row, decode
from feltd.text.errors import FeltdError
from table_fsm.events import CardPlaced
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


@pytest.mark.parametrize("purpose", ["page", "uplink"])
def test_sealed_bodies_and_wrapped_keys_are_for_the_uplinks_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, purpose: str
) -> None:
    """The table's own user is another one here, as it is where feltd was installed from its package."""
    monkeypatch.setattr("feltd.door.serving.listener.uid_of", lambda _: os.getuid() + 2)
    users = (os.getuid(), os.getuid() + 1) if purpose == "page" else (os.getuid() + 1, os.getuid())

    async def work() -> None:
        page = Page(tmp_path)
        readers = RecordReaders(page.bench.journal.path)
        page.bench.journal.begin_round(1)
        page.bench.take(CardPlaced, zone="seat:1", card="Ah", face="down")
        await page.bench.synced()
        door = OpenDoor(page.door, "Table 7", page.bench.journal.reader.journal_id, readers)
        try:
            async with listening(tmp_path / "door.sock", users[0], door, users[1]):
                keys, stored = await asyncio.to_thread(_read, tmp_path / "door.sock", may=purpose == "uplink")
        finally:
            readers.close()
            page.close()
        assert len(keys) == 1
        assert "commitment" in keys[0]
        if purpose == "page":
            assert "wrapped" not in keys[0]
            assert stored is None
        else:
            assert keys[0]["wrapped"]
            assert any(row.sealed for row in stored or [])

    asyncio.run(work())


def _read(place: Path, *, may: bool) -> tuple[list[dict[str, Any]], list[Row] | None]:
    """The keys of rounds as they are told, and what is stored; None where it is to be refused."""
    with SocketRecord(place) as record:
        keys = [entry.body for entry in record.entries(Span(name=HostEntry.ROUND_KEY))]
        if not may:
            with pytest.raises(FeltdError, match="for the uplink's user alone"):
                record.stored(0)
            return keys, None
        return keys, [decode(row) for row in record.stored(0).rows]


def _rows(place: Path) -> int:
    with SocketRecord(place) as record:
        return len(record.stored(0).rows)


def test_a_table_that_is_out_of_order_tells_its_uplink_why() -> None:
    shut = ShutDoor(Refused("no disk"))
    door = PlacesOf(shut, frozenset({Purpose.RECORD, Purpose.COMMANDS}), "feltd-uplink")
    assert door.receive(hello_of(hello(Purpose.RECORD).strip())) == Refused("no disk")


PAGE, TABLE, UPLINK = 1, 2, 3
OF_PAGE, OF_UPLINK = {Purpose.TABLE, Purpose.RECORD}, {Purpose.RECORD, Purpose.COMMANDS}


@pytest.mark.parametrize(
    ("page", "uplink", "signed", "may"),
    [
        (PAGE, None, False, {PAGE: OF_PAGE}),
        (PAGE, None, True, {PAGE: OF_PAGE}),
        (PAGE, UPLINK, False, {PAGE: OF_PAGE, UPLINK: OF_UPLINK}),
        (PAGE, UPLINK, True, {PAGE: OF_PAGE, UPLINK: OF_UPLINK}),
        (PAGE, PAGE, False, {PAGE: OF_PAGE}),
        (PAGE, PAGE, True, {PAGE: OF_PAGE | OF_UPLINK}),
        (TABLE, None, False, {TABLE: OF_PAGE | OF_UPLINK}),
        (TABLE, UPLINK, False, {TABLE: OF_PAGE, UPLINK: OF_UPLINK}),
        (TABLE, TABLE, False, {TABLE: OF_PAGE | OF_UPLINK}),
        (PAGE, TABLE, False, {PAGE: OF_PAGE, TABLE: OF_UPLINK}),
    ],
)
def test_for_what_each_user_may_come_is_a_closed_list(
    page: int, uplink: int | None, signed: bool, may: dict[int, set[Purpose]]
) -> None:
    """One person's table runs as one user; else nobody is the floor but the uplink's, or who has its signature."""
    assert places(page, TABLE, uplink, signed=signed) == may


def test_who_has_the_pages_user_does_not_come_as_the_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("feltd.door.serving.listener.uid_of", lambda _: os.getuid() + 2)

    async def work() -> None:
        page = Page(tmp_path)
        readers = RecordReaders(page.bench.journal.path)
        journal = page.bench.journal.reader.journal_id
        door = OpenDoor(page.door, "Table 7", journal, readers, page.door)
        place = tmp_path / "door.sock"
        try:
            async with listening(place, os.getuid(), door, os.getuid() + 1):
                for _ in range(2):
                    with pytest.raises(CommandRefused, match=r"name the uplink's user in \[door\] uplink"):
                        await code_shown(place, ShownCode("1234"))
                [refused] = await said_to(place, hello(Purpose.PIT))
                assert isinstance(refused, Refused)
                assert "no floor's" in refused.why
            async with listening(place, os.getuid(), door, os.getuid(), signed=True):
                with pytest.raises(CommandRefused, match="code"):
                    await code_shown(place, ShownCode("no code at all"))
        finally:
            readers.close()
            page.close()

    asyncio.run(work())
    said = [record.getMessage() for record in caplog.records if "is not let in for" in record.getMessage()]
    assert len(said) == 2, "once for each, however often somebody knocks"


def test_an_uplinks_user_that_is_not_there_keeps_no_table_from_starting() -> None:
    assert reader_of("nobody-knows-them") is None
    assert reader_of(None) is None
    assert reader_of(str(os.getuid())) == os.getuid()
