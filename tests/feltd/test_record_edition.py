"""A record of the edition before: read as before, and gone on with in the middle of a round (`editions/README.md`)."""

import asyncio
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from feltd.record import EntryKind, JournalReader, Reveal, Seal, Span
from feltd.record.export import export_round, verify_export
from feltd.record.verify import verify
from feltd.table.journal import Journal
from feltd.table.keeper.deliveries import Delivery
from feltd.text.errors import JournalKeyWrong
from table_fsm.events import Event, parse_event
from table_fsm.table import Table
from tests.feltd.seal_support import PRIVATE, PUBLIC
from tests.feltd.table_support import KEY, Bench
from tests.feltd.test_recovery import never_stopped

KEPT: Final = Path(__file__).parent / "editions" / "record-1" / "table.journal.xz"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    path.write_bytes(lzma.decompress(KEPT.read_bytes()))
    return path


def kept_events() -> list[Event]:
    """The events that were recorded, and those that followed."""
    lines = lzma.decompress((KEPT.parent / "events.jsonl.xz").read_bytes()).decode().splitlines()
    return [parse_event(line) for line in lines]


def edition(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        (found,) = database.execute("PRAGMA user_version").fetchone()
    return int(found)


def seals(reader: JournalReader, number: int) -> set[Seal]:
    return {entry.seal for entry in reader.entries(Span(round=number, kind=EntryKind.EVENT))}


def test_it_is_read_verified_and_exported_as_before(path: Path) -> None:
    with JournalReader.open(path, KEY) as reader:
        open_round = reader.round_in_progress()
        assert open_round is not None
        found = verify(reader)
        assert (found.sound, found.authenticated) == (True, True)
        for number in range(1, open_round):
            assert seals(reader, number) == {Seal.NONE, Seal.OPENED}
        assert Seal.CLOSED in seals(reader, open_round)
        whole = {entry.seal for entry in reader.entries(Span(kind=EntryKind.EVENT), reveal=Reveal.ALL)}
        assert whole == {Seal.NONE, Seal.OPENED}
        proof = verify_export(export_round(reader, 1))
        assert proof.proved > 20
    assert edition(path) == 1


def test_an_opening_that_writes_nothing_of_the_new_kind_leaves_it_to_the_version_that_wrote_it(path: Path) -> None:
    journal = Journal.open(path, KEY)
    journal.append_note("feltd starts")
    journal.close()
    assert edition(path) == 1


def test_a_wrong_key_is_named_as_such_and_not_short_lived_keys_which_that_edition_did_not_have(path: Path) -> None:
    with pytest.raises(JournalKeyWrong, match=r"the master key \(id [0-9a-f]{16}\) does not vouch for") as caught:
        Journal.open(path, bytes(32))
    assert "Give the key that wrote the record" in caught.value.remedy
    assert ".keys" not in str(caught.value)


def test_a_round_in_progress_goes_on_and_ends_under_the_new_rule(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The text of a rulebook is another one with each version, which a start refuses in mid-round. Here it is the same.
    monkeypatch.setattr("feltd.table.keeper.recovery.round_of_another_text", lambda *_: None)
    events = kept_events()
    with JournalReader.open(path, KEY) as reader:
        cut = len(list(reader.events(Span())))

    async def go_on() -> Table:
        bench = Bench(path.parent, sealed_to=PUBLIC)
        try:
            assert not [note for note in bench.recovered.notes if "from the beginning" in note]
            assert bench.keeper.table.view() == never_stopped(events[:cut]).view()
            for event in events[cut:]:
                bench.keeper.deliver(Delivery("test", lambda _, event=event: [event]))  # type: ignore[misc]
            await bench.journal.flush()
            return bench.keeper.table
        finally:
            bench.journal.close()

    with JournalReader.open(path) as reader:
        number, before = reader.round_in_progress() or 0, reader.head().seq
        sealed = [entry.seq for entry in reader.entries(Span(kind=EntryKind.EVENT)) if entry.seal is Seal.CLOSED]
    table = asyncio.run(go_on())
    assert table.view() == never_stopped(events).view()
    assert edition(path) == 2
    with JournalReader.open(path) as reader:
        assert verify(reader).sound
        assert seals(reader, 1) == {Seal.NONE, Seal.OPENED}, "what was published stays so"
        left = {entry.seal for entry in reader.entries(Span(after=sealed[0] - 1, until=before, kind=EntryKind.EVENT))}
        assert left == {Seal.NONE, Seal.NEVER_SHOWN}
    with JournalReader.open(path, unseal=PRIVATE) as reader:
        assert seals(reader, number) == {Seal.NONE, Seal.OPENED}
