"""The record kept day by day: verified against its anchors, and what rounds have added written out beside it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.record import JournalReader, Span
from feltd.record.export import verify_export
from feltd.table.host import memory
from feltd.table.journal import Journal
from feltd.table.journal.keeping import ANCHORS, keep, kept_anchors
from feltd.text.errors import JournalDisk, JournalExportInvalid
from table_fsm.events import CardExposed, CardPlaced

KEY = os.urandom(32)


class Evening:
    """A journal that grows by rounds, and what is kept of it."""

    def __init__(self, folder: Path) -> None:
        self.path, self.exports = folder / "table.journal", folder / "exports"
        self.rounds = 0

    def play(self, rounds: int, *, open_at_the_end: bool = False) -> None:
        journal = Journal.open(self.path, KEY)
        for number in range(self.rounds + 1, self.rounds + rounds + 1):
            journal.begin_round(number)
            card = CardPlaced(t=float(number), zone="seat:1", card="As", face="down")
            journal.append_event(card, source=None, round_number=number, rulebook_digest="ab" * 32)
            seen = CardExposed(t=float(number), zone="seat:1", card="As")
            journal.append_event(seen, source=None, round_number=number, rulebook_digest="ab" * 32)
            if not (open_at_the_end and number == self.rounds + rounds):
                journal.end_round(number)
        self.rounds += rounds
        journal.append_note("feltd stops")
        journal.close()

    def keep(self) -> tuple[int, int]:
        with JournalReader.open(self.path, KEY) as reader:
            kept = keep(reader, self.exports)
        assert kept.verification.sound
        return kept.first, kept.last

    def files(self) -> list[Path]:
        return sorted(self.exports.glob("entries-*.jsonl"))


@pytest.fixture(autouse=True)
def the_tests_own_memory_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "keep_to_itself", lambda: None)


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


def test_each_export_begins_where_the_one_before_ended_and_all_hold_their_anchors(evening: Evening) -> None:
    spans = []
    for rounds in (3, 1, 2):
        evening.play(rounds)
        spans.append(evening.keep())
    assert [first for first, _ in spans] == [1, spans[0][1] + 1, spans[1][1] + 1]
    anchors = kept_anchors(evening.exports)
    assert [anchor.seq for anchor in anchors] == [last for _, last in spans]
    for file, span in zip(evening.files(), spans, strict=True):
        with file.open(encoding="utf-8") as lines:
            proof = verify_export(lines, anchors=anchors)
        assert (proof.first, proof.last) == span
        assert proof.unproved == 0  # every card in it is opened and proved: its round is over


def test_a_round_in_progress_waits_for_the_next_time(evening: Evening) -> None:
    evening.play(2, open_at_the_end=True)
    first, last = evening.keep()
    assert "As" in evening.files()[0].read_text(encoding="utf-8")
    assert evening.keep() == (0, 0)
    assert len(evening.files()) == 1
    journal = Journal.open(evening.path, KEY)
    journal.end_round(2)
    journal.close()
    assert evening.keep()[0] == last + 1
    assert first == 1


def test_a_round_begun_before_the_last_one_ended_is_not_kept_with_it(evening: Evening) -> None:
    journal = Journal.open(evening.path, KEY)
    for number in (1, 2):
        journal.begin_round(number)
        card = CardPlaced(t=float(number), zone="seat:1", card="As", face="down")
        journal.append_event(card, source=None, round_number=number, rulebook_digest="ab" * 32)
    journal.end_round(1)
    journal.close()
    with JournalReader.open(evening.path) as reader:
        [second] = [row.seq for row in reader.rows(Span(name="round.key", round=2))]
    assert evening.keep() == (1, second - 1)
    assert evening.keep() == (0, 0)
    evening.rounds = 2
    evening.play(1)
    assert evening.keep() == (0, 0), "round 2 is not over"


def test_a_journal_put_back_to_an_earlier_copy_of_itself_is_found(evening: Evening) -> None:
    evening.play(1)
    earlier = evening.path.read_bytes()
    evening.play(2)
    evening.keep()
    for beside in evening.path.parent.glob(f"{evening.path.name}-*"):
        beside.unlink()
    evening.path.write_bytes(earlier)
    with JournalReader.open(evening.path, KEY) as reader:
        kept = keep(reader, evening.exports)
    assert [fault.kind.value for fault in kept.verification.faults] == ["cut off", "anchor"]
    assert (kept.file, len(evening.files())) == (None, 1)


def test_another_journal_in_the_place_of_the_kept_one_is_found(evening: Evening) -> None:
    evening.play(1)
    evening.keep()
    for file in evening.path.parent.glob(f"{evening.path.name}*"):
        file.unlink()
    evening.rounds = 0
    evening.play(2)
    with JournalReader.open(evening.path, KEY) as reader:
        [fault] = keep(reader, evening.exports).verification.faults
    assert "belongs to another journal" in fault.text
    assert len(evening.files()) == 1


def test_a_folder_that_cannot_be_written_and_a_line_that_is_no_anchor_are_named(evening: Evening) -> None:
    evening.play(1)
    evening.exports.write_text("a file where a folder should be")
    with JournalReader.open(evening.path, KEY) as reader:
        with pytest.raises(JournalDisk, match="exports: cannot be written"):
            keep(reader, evening.exports)
        evening.exports.unlink()
        evening.exports.mkdir()
        (evening.exports / ANCHORS).write_text("feltd-anchor 1 nonsense\n", encoding="utf-8")
        with pytest.raises(JournalExportInvalid, match="not an anchor"):
            keep(reader, evening.exports)


def command(evening: Evening) -> Result:
    folder = evening.path.parent
    (folder / "key").write_bytes(KEY)
    (folder / "table.toml").write_text(
        '[table]\nname = "T"\nrulebook = "tas-2018-holdem"\nseats = [1]\n'
        f'[journal]\npath = "{evening.path}"\nsealing_key_file = "key"\n',
        encoding="utf-8",
    )
    return CliRunner().invoke(cli, ["journal", "keep", str(folder / "table.toml")], catch_exceptions=False)


def test_the_command_says_what_was_kept_and_that_nothing_was(evening: Evening) -> None:
    evening.play(1)
    first = command(evening)
    assert (first.exit_code, "entries, sound" in first.output) == (0, True)
    assert f"{evening.files()[0]}: entries 1 to " in first.output
    again = command(evening)
    assert (again.exit_code, again.output.splitlines()[-1]) == (0, "no round has ended since the last time")


def test_the_command_names_the_entry_that_was_changed_and_ends_with_1(evening: Evening) -> None:
    evening.play(1)
    with closing(sqlite3.connect(evening.path)) as database:
        database.execute("UPDATE entries SET wall = 1 WHERE seq = 2")
        database.commit()
    result = command(evening)
    assert (result.exit_code, "entry 2: changed" in result.output) == (1, True)
    assert not evening.files()
