"""`feltd check` on the record: does it open, is a round in progress, and would a start go on with it?"""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from feltd.record import JournalReader, Span
from feltd.record.jumps import gone_body
from feltd.record.notes import START_NOTE
from feltd.record.tail import require_chained
from feltd.table.check.record import gone_record_notes, record_faults, record_notes
from feltd.table.journal import Journal
from feltd.table.keeper.edition import software
from feltd.text.errors import JournalCorrupt
from table_fsm.events import ShoeDeckChecked
from tests.feltd.table_support import HOLDEM, KEY

WRITTEN_UNDER = "a" * 64
ANOTHER = "b" * 64


@dataclass(frozen=True)
class TextWith:
    """A rulebook at hand: it rules as the text with one digest."""

    digest: str

    def rules_as(self, digest: str, /) -> bool:
        return digest == self.digest


async def _write(path: Path, writer: str, in_progress: bool) -> None:
    journal = Journal.open(path, KEY)
    try:
        journal.append_note(START_NOTE, {"software": writer, "rulebooks": {HOLDEM: WRITTEN_UNDER}})
        journal.begin_round(12)
        journal.append_event(
            ShoeDeckChecked(t=1.0, count=52), source=None, round_number=12, rulebook_digest=WRITTEN_UNDER
        )
        if not in_progress:
            journal.end_round(12)
        await journal.flush()
    finally:
        journal.close()


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


def written(path: Path, writer: str = "9.1", *, in_progress: bool = True) -> None:
    asyncio.run(_write(path, writer, in_progress))


def faults(path: Path, digest: str) -> list[str]:
    """The faults with this digest of the rulebook at hand; nothing may be written by the look."""
    with JournalReader.open(path) as reader:
        before = list(reader.rows_with_chain(Span()))
    found = list(record_faults(path, lambda: [TextWith(digest)]))
    with JournalReader.open(path) as reader:
        assert list(reader.rows_with_chain(Span())) == before
    return found


def test_a_round_under_another_text_is_a_fault_in_the_words_of_the_start(journal: Path) -> None:
    written(journal)
    assert faults(journal, ANOTHER) == [
        "feltd 9.1 wrote the round in progress (round 12) under another text of tas-2018-holdem, and feltd "
        f"{software()} would rule on it otherwise. Start feltd 9.1 again and end the round, or have a supervisor void "
        "it there; then change the version between two rounds"
    ]


def test_of_the_same_version_the_text_is_to_be_brought_back(journal: Path) -> None:
    written(journal, software())
    assert faults(journal, ANOTHER) == [
        "the round in progress was begun under another text of tas-2018-holdem. Bring that text back, end the round, "
        "and change the rulebook between two rounds"
    ]


def test_a_round_under_the_text_at_hand_goes_on(journal: Path) -> None:
    written(journal)
    assert faults(journal, WRITTEN_UNDER) == []
    assert list(record_notes(journal))[1:] == [
        "round 12 is in progress: change the version of feltd, or a rulebook, between two rounds"
    ]


def test_between_two_rounds_nothing_is_said(journal: Path) -> None:
    written(journal, in_progress=False)
    assert faults(journal, ANOTHER) == []
    [first_key] = record_notes(journal)
    with JournalReader.open(journal) as reader:
        assert first_key == f"first key of the record, to be kept elsewhere: {(reader.first_key() or b'').hex()}"


def test_rulebooks_with_faults_of_their_own_are_not_held_against_the_record(journal: Path) -> None:
    written(journal)
    assert list(record_faults(journal, lambda: None)) == []


def test_a_record_that_does_not_open_is_a_fault_and_told_once(journal: Path) -> None:
    journal.write_bytes(b"nothing of the kind")
    [fault] = record_faults(journal, list)
    assert fault.startswith("the file is damaged or is no database. Keep it as evidence")
    assert list(record_notes(journal)) == []


def test_a_record_that_another_key_wrote_is_a_fault_before_the_start(journal: Path) -> None:
    written(journal, in_progress=False)
    assert list(record_faults(journal, lambda: None, KEY)) == []
    [fault] = record_faults(journal, lambda: None, bytes(32))
    assert "does not vouch for the end of the record" in fault
    assert "Give the key that wrote the record" in fault


def test_a_record_that_is_gone_is_named_where_the_table_knows_devices(journal: Path) -> None:
    assert list(gone_record_notes(journal)) == [], "a table that has never been started"
    devices = journal.with_name("devices.json")
    devices.write_text("{}")
    assert list(gone_record_notes(journal)) == []
    devices.write_text('{"shoe": {"serial": "S-1"}, "keys": {"serial": "K-1"}}')
    for content in (None, b""):
        if content is not None:
            journal.write_bytes(content)
        [note] = gone_record_notes(journal)
        assert "knows shoe, keys: the record of this table is gone. Bring the newest copy of it back" in note
    journal.unlink()
    written(journal, in_progress=False)
    assert list(gone_record_notes(journal)) == []


def test_that_play_is_stopped_by_it_is_named_until_a_person_accepts_it(journal: Path) -> None:
    def noted(body: dict[str, str]) -> list[str]:
        opened = Journal.open(journal, KEY)
        opened.append_jump(body)
        opened.flush_blocking(10)
        opened.close()
        return list(record_notes(journal))[1:]

    [note] = noted(gone_body("shoe"))
    assert note.startswith("play is stopped: the record was put back to an older state, or the one before it is gone")
    assert "as told at shoe. " in note
    assert noted({"device": "shoe", "accepted": "ada"}) == []


@pytest.mark.parametrize("change", ["UPDATE entries SET t = 99.0 WHERE seq = 4", "UPDATE head SET seq = 3"])
def test_a_tail_that_was_changed_is_a_fault_before_the_start_in_its_words(journal: Path, change: str) -> None:
    written(journal, in_progress=False)
    with closing(sqlite3.connect(journal)) as database:
        database.execute(change)
        database.commit()
    with pytest.raises(JournalCorrupt, match="is missing or was changed") as refused:
        Journal.open(journal, KEY)
    assert list(record_faults(journal, lambda: None)) == [f"{refused.value.what}. {refused.value.remedy}"]


def test_what_a_table_at_work_adds_meanwhile_is_no_fault(journal: Path) -> None:
    written(journal, in_progress=False)
    with JournalReader.open(journal) as reader:
        head = reader.head()
        written(journal, in_progress=False)
        require_chained(reader, head)
