"""What the chain is not over: tables, indexes, views and triggers of a journal's file."""

import sqlite3
from pathlib import Path

import pytest

from feltd.record import JournalReader
from feltd.record.findings import FaultKind
from feltd.record.verify import verify
from feltd.table.journal import Journal
from table_fsm.events import Tick
from table_fsm.outputs import Output, Phase

KEY = bytes(range(32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    journal.begin_round(1)
    for step in range(4):
        journal.append_event(Tick(t=float(step)), source=None, round_number=1, rulebook_digest=None)
        journal.append_output(Output(float(step), Phase("dealing")), round_number=1, rulebook_digest=None)
    journal.end_round(1)
    journal.close()
    return path


def found(path: Path) -> list[tuple[FaultKind, int, str]]:
    with JournalReader.open(path, KEY) as reader:
        return [(fault.kind, fault.seq, fault.text) for fault in verify(reader).faults]


def test_what_feltd_made_is_as_feltd_makes_it(path: Path) -> None:
    assert found(path) == []


MADE = {
    "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE name = 'ruling'; END": "a trigger 't'",
    "CREATE VIEW v AS SELECT * FROM entries": "a view 'v'",
    "CREATE TABLE more (x)": "a table 'more'",
    "CREATE INDEX i ON entries (wall)": "a index 'i'",
    "DROP INDEX rulings": "the index 'rulings' is missing",
    "INSERT INTO meta VALUES ('more', 1)": "the table meta has a row 'more'",
    "ALTER TABLE meta ADD COLUMN more": "the table 'meta' is not as feltd makes it",
}


@pytest.mark.parametrize("sql", MADE)
def test_what_feltd_does_not_make_is_found(path: Path, sql: str) -> None:
    database = sqlite3.connect(path)
    database.execute(sql)
    database.commit()
    database.close()
    [(kind, seq, text)] = found(path)
    assert (kind, seq) == (FaultKind.STRUCTURE, 0)
    assert MADE[sql] in text


def test_an_index_whose_content_is_not_the_tables_names_the_entry(path: Path) -> None:
    """Made as an attacker would: the index is filled under another condition, and its text put back."""
    database = sqlite3.connect(path)
    [true] = database.execute("SELECT sql FROM sqlite_schema WHERE name = 'host_entries'").fetchone()
    database.execute("DROP INDEX host_entries")
    database.execute(true.replace("kind = 'host'", "kind = 'host' AND name <> 'round.end'"))
    database.execute("PRAGMA writable_schema=ON")
    database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'host_entries'", (true,))
    database.commit()
    database.close()
    assert [(kind, seq) for kind, seq, _ in found(path)] == [(FaultKind.STRUCTURE, 10)]
