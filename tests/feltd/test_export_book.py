"""A part of a record that begins in the middle of a round proves under which rulebook it does."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.record import JournalReader
from feltd.record.book_before import BookNamed
from feltd.record.export import export, export_round, verify_export
from feltd.table.journal import Journal
from feltd.text.errors import JournalExportInvalid
from table_fsm.events import TableClose, Tick
from table_fsm.outputs import Output, Refusal

BOOK = "ab" * 32
NAMED, CLOSE = 2, 6
"""The entries that name the rulebook, and that close the table."""


def recorded(folder: Path, *, refused: bool = False) -> Path:
    """A round of which the first event names its rulebook; then the table is asked to close, and ticks go on."""
    path = folder / "table.journal"
    journal = Journal.open(path, os.urandom(32))
    journal.begin_round(1)
    for number in range(4):
        digest = BOOK if number == 0 else None
        journal.append_event(Tick(t=1.0 + number), source=None, round_number=1, rulebook_digest=digest)
    journal.append_event(TableClose(t=6.0), source=None, round_number=1, rulebook_digest=None)
    if refused:
        error = Refusal("table.close", "a round is in progress")
        journal.append_output(Output(6.0, error), round_number=1, rulebook_digest=None)
    for number in range(3):
        journal.append_event(Tick(t=7.0 + number), source=None, round_number=1, rulebook_digest=None)
    journal.append_note("a look")
    journal.end_round(1)
    journal.append_snapshot("{}", round_number=1, rulebook_digest=BOOK)
    journal.append_event(Tick(t=20.0), source=None, round_number=1, rulebook_digest=BOOK)
    journal.append_event(Tick(t=21.0), source=None, round_number=1, rulebook_digest=None)
    journal.close()
    return path


def lines_of(path: Path, first: int, last: int | None = None) -> list[str]:
    with JournalReader.open(path) as reader:
        return list(export(reader, first, reader.head().seq if last is None else last))


def test_a_part_from_the_middle_of_a_round_proves_its_rulebook(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    for first in (3, 4, 5, CLOSE):
        proof = verify_export(lines_of(path, first))
        assert (proof.first, proof.book) == (first, BookNamed(bytes.fromhex(BOOK), NAMED))
    file = tmp_path / "part.jsonl"
    file.write_text("\n".join(lines_of(path, 4)) + "\n")
    said = CliRunner().invoke(cli, ["journal", "verify", str(file)])
    assert f"entry {NAMED}, before its first one, names the rulebook {BOOK}: proved" in said.output
    assert "that no entry between the two names another is the word of who made the export" in said.output
    assert "begins under" not in CliRunner().invoke(cli, ["journal", "verify", str(path)]).output


def test_a_part_that_names_it_itself_and_one_of_a_closed_table_lead_nowhere(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    with JournalReader.open(path) as reader:
        assert json.loads(next(export_round(reader, 1)))["rulebook"] is None
    snapshot = next(json.loads(line)["entry"]["seq"] for line in lines_of(path, 1) if '"snapshot"' in line)
    for first in (1, NAMED, CLOSE + 1, CLOSE + 3, snapshot + 1):
        assert json.loads(lines_of(path, first)[0])["rulebook"] is None
    assert json.loads(lines_of(path, CLOSE + 4, CLOSE + 4)[0])["rulebook"] is None, "it has no event"
    assert verify_export(lines_of(path, 1)).book is None
    assert verify_export(lines_of(path, snapshot + 2)).book == BookNamed(bytes.fromhex(BOOK), snapshot + 1)


def test_a_table_that_refused_to_close_plays_on_under_its_rulebook(tmp_path: Path) -> None:
    path = recorded(tmp_path, refused=True)
    assert verify_export(lines_of(path, CLOSE + 2)).book == BookNamed(bytes.fromhex(BOOK), NAMED)


def test_a_record_that_names_none_at_all_leads_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, os.urandom(32))
    for number in range(3):
        journal.append_event(Tick(t=1.0 + number), source=None, round_number=0, rulebook_digest=None)
    journal.close()
    assert json.loads(lines_of(path, 3)[0])["rulebook"] is None


def test_the_first_entry_of_a_record_may_name_it(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, os.urandom(32))
    for digest in (BOOK, None):
        journal.append_event(Tick(t=1.0), source=None, round_number=0, rulebook_digest=digest)
    journal.close()
    assert verify_export(lines_of(path, 2)).book == BookNamed(bytes.fromhex(BOOK), 1)


def test_entries_before_the_part_that_were_changed_prove_nothing_and_fail_nothing(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    database = sqlite3.connect(path)
    database.execute("UPDATE entries SET chain = 5 WHERE seq = ?", (NAMED - 1,))
    database.commit()
    database.close()
    lines = lines_of(path, 5)
    assert json.loads(lines[0])["rulebook"] is None
    assert verify_export(lines).book is None


def other(edit: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], None]:
    def changed(said: dict[str, Any]) -> None:
        edit(said["rulebook"])

    return changed


@pytest.mark.parametrize(
    "edit",
    [
        other(lambda book: book["entry"].update(rulebook="cd" * 32)),
        other(lambda book: book["entry"].update(seq=1)),
        other(lambda book: book["entry"].pop("rulebook")),
        other(lambda book: book["digests"].pop()),
        other(lambda book: book["digests"].reverse()),
        other(lambda book: book.update(before="00" * 32)),
        other(lambda book: book.pop("entry")),
        lambda said: said.update(rulebook=BOOK),
    ],
)
def test_a_rulebook_that_the_record_does_not_name_there_is_refused(
    tmp_path: Path, edit: Callable[[dict[str, Any]], None]
) -> None:
    first, *rest = lines_of(recorded(tmp_path), 5)
    verify_export([first, *rest])
    said = json.loads(first)
    edit(said)
    with pytest.raises(JournalExportInvalid, match="line 1: does not hold"):
        verify_export([json.dumps(said), *rest])


def test_an_entry_that_names_no_rulebook_is_no_proof_of_one(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    first, *rest = lines_of(path, 4, 5)
    said = json.loads(first)
    said["rulebook"] = {
        "entry": json.loads(lines_of(path, 3, 3)[1])["entry"],
        "before": json.loads(lines_of(path, 3, 3)[0])["chain"],
        "digests": [],
    }
    with pytest.raises(JournalExportInvalid, match="does not lead to its first entry"):
        verify_export([json.dumps(said), *rest])
