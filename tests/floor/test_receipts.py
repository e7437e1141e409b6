"""The floor's receipts: signed by its key, entered into the table's record once a round, and held against it."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.custody.certificates import context_of_floor
from feltd.custody.errors import CertificateWrongError
from feltd.custody.messages import FROM_FLOOR, Beat, Hello, Rows, Stand, Time, from_bytes, to_bytes
from feltd.door import CommandRefused, PlayStopped
from feltd.door.obeying import FloorCommand, FloorReceipt, Obeyed, ShownCode, SignedCommand, TournamentCommand
from feltd.door.serving.listener import OpenDoor, listening
from feltd.door.serving.records import RecordReaders
from feltd.door.witnessing import WitnessWord
from feltd.floor.custody import Append, Session
from feltd.floor.engine import Appended, Batch
from feltd.floor.memory import MemoryEngine
from feltd.floor.receipt_key import load_receipt_key, make_receipt_key
from feltd.floor.serving import receiving
from feltd.record import JournalReader
from feltd.record.entries import chain_start
from feltd.record.findings import Elsewhere
from feltd.record.notes import CONTRADICTED_NOTE, RECEIPT_NOTE
from feltd.record.receipts import ReceiptKey
from feltd.record.rows import JournalRows
from feltd.record.verify import verify
from feltd.table.daemon.at_the_door import AtTheDoor
from feltd.table.host.health import LoopLag
from feltd.table.keeper.changes import Changes
from feltd.table.keeper.obeying import FloorMay
from feltd.table.keeper.receipts import Receipts
from feltd.uplink.calling import Uplink
from tests.feltd.page_support import Page
from tests.feltd.table_support import Bench
from tests.floor.custody_support import FakeJournal, at_once
from tests.floor.tls_support import HOST, casino, of_table, own
from tests.running import eventually, running

NOW = 1_700_000_000.0
KEY = ReceiptKey(Ed25519PrivateKey.from_private_bytes(bytes([3]) * 32))
OTHER = ReceiptKey(Ed25519PrivateKey.from_private_bytes(bytes([4]) * 32))


def _adds(engine: MemoryEngine) -> Append:
    async def added(batch: Batch) -> Appended:
        return (await engine.append_many([batch]))[0]

    return added


class Receiver:
    """A table that takes the floor's receipts."""

    def __init__(self, bench: Bench, *keys: ReceiptKey) -> None:
        self.bench = bench
        self.path = bench.journal.path
        public = tuple(key.public for key in keys)
        self.told: list[str] = []
        self.receipts = Receipts(bench.keeper, bench.journal, public, lambda: JournalRows(self.path), self.told.append)

    async def obey(self, command: FloorCommand) -> Obeyed:
        raise CommandRefused("nothing is obeyed here")

    async def obey_signed(self, command: SignedCommand) -> Obeyed:
        raise CommandRefused("nothing is obeyed here")

    async def obey_tournament(self, command: TournamentCommand) -> Obeyed:
        raise CommandRefused("nothing is obeyed here")

    async def show_code(self, code: ShownCode) -> bool:
        raise CommandRefused("nothing is shown here")

    async def hear_witness(self, word: WitnessWord) -> None:
        raise CommandRefused("nothing is heard here")

    async def take_receipt(self, receipt: FloorReceipt) -> bool:
        taken = await self.receipts.take(receipt)
        await self.bench.synced()
        return taken

    async def play(self, number: int) -> None:
        """A round, as short as one can be."""
        self.bench.journal.begin_round(number)
        self.bench.journal.end_round(number)
        await self.bench.synced()

    def receipt(self, key: ReceiptKey = KEY, entry: int | None = None, journal: bytes | None = None) -> FloorReceipt:
        """The receipt of a floor that has the record up to an entry, its last where none is said."""
        with JournalRows(self.path) as record:
            stored = record.stored(record.last_entry() if entry is None else entry, 0, 0)
            name = record.journal_id if journal is None else journal
            seq = record.last_entry() if entry is None else entry
        made = key.receipt(name, seq, stored.before or bytes(32), NOW)
        return FloorReceipt(seq, made.chain.hex(), made.wall_ms, made.signature.hex())

    def entered(self) -> list[int]:
        """The entries that the receipts in the record are about."""
        with JournalRows(self.path) as record:
            return [entry.body["entry"] for entry in record.entries() if entry.body.get("note") == RECEIPT_NOTE]


def test_a_round_has_one_receipt_at_most_and_a_receipt_brings_no_other(tmp_path: Path) -> None:
    async def work() -> None:
        table = Receiver(Bench(tmp_path), KEY)
        table.bench.journal.append_note("a start")
        await table.bench.synced()
        assert not await table.take_receipt(table.receipt()), "no round has ended yet"
        await table.play(1)
        first = table.receipt()
        assert await table.take_receipt(first)
        for _ in range(3):
            assert not await table.take_receipt(table.receipt())
        table.bench.journal.begin_round(2)
        await table.bench.synced()
        assert not await table.take_receipt(table.receipt()), "the second round is not over"
        middle = table.receipt()
        table.bench.journal.end_round(2)
        await table.bench.synced()
        assert not await table.take_receipt(middle), "it does not cover the round's end"
        second = table.receipt()
        again = Receiver(table.bench, KEY)  # a start knows what its record says
        both = await asyncio.gather(table.take_receipt(second), table.take_receipt(second))
        assert sorted(both) == [False, True]
        assert not await again.take_receipt(again.receipt())
        assert table.entered() == [first.entry, second.entry]
        table.bench.journal.close()

    asyncio.run(work())


def test_what_is_no_receipt_of_this_record_by_the_floors_key_is_refused(tmp_path: Path) -> None:
    async def work() -> None:
        table = Receiver(Bench(tmp_path), KEY, OTHER)
        await table.play(1)
        good = table.receipt()
        stranger = ReceiptKey(Ed25519PrivateKey.from_private_bytes(bytes([5]) * 32))
        for wrong in (
            table.receipt(stranger),
            table.receipt(journal=bytes(16)),
            replace(good, at=good.at + 1),
            replace(good, entry=good.entry - 1),
        ):
            with pytest.raises(CommandRefused, match="not signed by the floor"):
                await table.take_receipt(wrong)
        for broken in (replace(good, chain="é" * 64), replace(good, signature=""), replace(good, entry=0)):
            with pytest.raises(CommandRefused, match="no receipt"):
                await table.take_receipt(broken)
        made = KEY.receipt(table.bench.journal.reader.journal_id, good.entry, bytes(32), NOW)
        fork = FloorReceipt(good.entry, made.chain.hex(), made.wall_ms, made.signature.hex())
        with pytest.raises(CommandRefused, match="another history"):
            await table.take_receipt(fork)
        made = KEY.receipt(table.bench.journal.reader.journal_id, 99, bytes(32), NOW)
        with pytest.raises(CommandRefused, match="another history"):
            await table.take_receipt(FloorReceipt(99, made.chain.hex(), made.wall_ms, made.signature.hex()))
        assert len(table.told) == 1, "said once in a run"
        with pytest.raises(CommandRefused, match="names no key"):
            await Receiver(table.bench).take_receipt(good)
        assert table.entered() == []
        table.bench.keeper.stopped = "the disk"
        with pytest.raises(PlayStopped):
            await table.take_receipt(good)
        table.bench.keeper.stopped = None
        assert await table.take_receipt(table.receipt(OTHER)), "the key that comes after it counts too"
        table.bench.journal.close()

    asyncio.run(work())


def test_receipts_go_from_the_floor_into_the_record_which_verifies(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> Path:
        engine, page = MemoryEngine(lambda: NOW), Page(tmp_path)
        table = Receiver(page.bench, KEY)
        readers = RecordReaders(table.path)
        reception = OpenDoor(page.door, "Table 7", page.bench.journal.reader.journal_id, readers, table)
        context = context_of_floor(own(folder, "floor"))
        try:
            await table.play(1)
            async with (
                listening(tmp_path / "door.sock", os.getuid(), reception),
                receiving(engine, HOST, 0, context, receipts=KEY) as server,
            ):
                floor = f"wss://{HOST}:{server.sockets[0].getsockname()[1]}"
                uplink = Uplink(tmp_path / "door.sock", [floor], of_table(folder, "7"), "a test")
                async with running(uplink.run()):
                    await eventually(table.entered)
        finally:
            readers.close()
            page.close()
        return table.path

    path = asyncio.run(work())
    with JournalReader.open(path) as reader:
        found = verify(reader, Elsewhere(floor_keys=(KEY.public,)))
        assert (found.sound, found.receipts.count) == (True, 1)
        assert found.receipts.last is not None
        assert found.receipts.last.key == KEY.public
        by_another = verify(reader, Elsewhere(floor_keys=(OTHER.public,)))
        assert [fault.kind for fault in by_another.faults] == ["receipt"]


def test_a_floor_signs_what_it_has_of_a_fork_too_and_nothing_of_an_empty_journal() -> None:
    engine, journal = MemoryEngine(lambda: NOW), FakeJournal(1)

    def told(receipts: ReceiptKey | None = KEY) -> Time:
        session = Session("7", engine, _adds(engine), lambda: NOW, receipts)
        at_once(session.take(Hello(1, journal.journal_id, 2, "a test")))
        answer = at_once(session.take(Beat(NOW, len(journal.rows))))
        assert isinstance(answer, Time)
        read: Time = from_bytes(to_bytes(answer), FROM_FLOOR)
        return read

    assert told().receipt == ""
    journal.play(3)
    session = Session("7", engine, _adds(engine), lambda: NOW)
    at_once(session.take(Hello(1, journal.journal_id, 2, "a test")))
    assert isinstance(
        at_once(session.take(Rows(1, journal.chains[0], journal.chains[3], 3, 0, tuple(journal.rows)))), Stand
    )
    answer = told()
    expected = KEY.receipt(journal.journal_id, 3, journal.chains[3], NOW)
    assert (answer.receipt, answer.receipt_at) == (expected.signature.hex(), expected.wall_ms)
    assert told(None).receipt == "", "a floor without a key signs nothing"
    kept = engine.journals[journal.journal_id]
    kept.stand = replace(kept.stand, forked=True)
    forked = told()
    assert (forked.forked, forked.receipt) == (True, expected.signature.hex()), "by it the table finds out"


def test_a_record_that_was_put_back_with_all_its_files_is_told_by_the_floor_on_page_display_and_record(
    tmp_path: Path,
) -> None:
    folder = casino(tmp_path / "casino", "7")
    display: list[Mapping[str, Any]] = []

    async def work() -> list[str]:
        engine, page = MemoryEngine(lambda: NOW), Page(tmp_path)
        table = Receiver(page.bench, KEY)
        may = FloorMay(receipts=(KEY.public,))
        staff, changes = page.staff, Changes()
        door = AtTheDoor("Table 7", page.workshop, page.signatures, staff, LoopLag(), changes, may)
        page.bridge.indicating.show = display.append  # type: ignore[method-assign, assignment]
        await table.play(1)
        journal = page.bench.journal.reader.journal_id
        other = FakeJournal(1)
        other.journal_id, other.chains[0] = journal, chain_start(journal)
        other.play(40)
        session = Session("7", engine, _adds(engine), lambda: NOW)
        at_once(session.take(Hello(1, journal, 2, "the board before its card was put back")))
        at_once(session.take(Rows(1, other.chains[0], other.chains[40], 40, 0, tuple(other.rows))))
        readers = RecordReaders(table.path)
        reception = OpenDoor(page.door, "Table 7", journal, readers, door)
        context = context_of_floor(own(folder, "floor"))
        try:
            async with (
                listening(tmp_path / "door.sock", os.getuid(), reception),
                receiving(engine, HOST, 0, context, receipts=KEY) as server,
            ):
                floor = f"wss://{HOST}:{server.sockets[0].getsockname()[1]}"
                uplink = Uplink(tmp_path / "door.sock", [floor], of_table(folder, "7"), "a test")
                async with running(uplink.run()):
                    await eventually(lambda: display)
        finally:
            readers.close()
            told = [str(fault) for fault in page.bridge.faults]
            page.close()
        return told

    told = asyncio.run(work())
    assert any("the floor has signed that it has other entries of this record, up to 40" in words for words in told)
    assert display == [
        {"display": {"text": "Record: the floor has other entries of it. Call a technician", "rule": None}}
    ]
    with JournalReader.open(tmp_path / "table.journal") as reader:
        notes = [entry.body for entry in reader.entries() if entry.body.get("note") == CONTRADICTED_NOTE]
    assert [note["entry"] for note in notes] == [40]


def test_the_key_of_the_floor_is_made_once_and_read(tmp_path: Path) -> None:
    file = tmp_path / "receipts.key"
    made = make_receipt_key(file)
    assert load_receipt_key(file).public == made.public
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CertificateWrongError, match="Nothing is written over"):
        make_receipt_key(file)
    file.write_text("nonsense")
    with pytest.raises(CertificateWrongError, match="no key for receipts"):
        load_receipt_key(file)
    with pytest.raises(CertificateWrongError, match="cannot be read"):
        load_receipt_key(tmp_path / "none")
