"""What the chain is not over: tables, indexes, views and triggers of a journal's file."""

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.record import HostEntry, JournalReader, stored_rows
from feltd.record.findings import FaultKind
from feltd.record.verify import verify
from feltd.table.check.record import record_faults
from feltd.table.journal import Journal
from feltd.text.errors import JournalCorrupt
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
    if "row 'more'" in MADE[sql]:  # which no start reads
        return
    content = path.read_bytes()
    with pytest.raises(JournalCorrupt, match="it was changed by somebody else: ") as refused:
        Journal.open(path, KEY)
    assert MADE[sql] in refused.value.what
    assert path.read_bytes() == content
    assert list(record_faults(path, list, KEY)) == [f"{refused.value.what}. {refused.value.remedy}"]


def leave_out_of_index(path: Path, index: str, condition: str, but: str) -> None:
    """As an attacker would: the index is filled under another condition, and its text put back."""
    database = sqlite3.connect(path)
    [true] = database.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (index,)).fetchone()
    database.execute(f"DROP INDEX {index}")
    database.execute(true.replace(condition, f"{condition} AND {but}"))
    database.execute("PRAGMA writable_schema=ON")
    database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (true, index))
    database.commit()
    database.close()


def test_an_index_whose_content_is_not_the_tables_names_the_entry_and_no_start_goes_on(path: Path) -> None:
    leave_out_of_index(path, "host_entries", "kind = 'host'", "name <> 'round.end'")
    assert [(kind, seq) for kind, seq, _ in found(path)] == [(FaultKind.STRUCTURE, 10)]
    content = path.read_bytes()
    with pytest.raises(JournalCorrupt, match="the index 'host_entries' does not have entry 10 as") as refused:
        Journal.open(path, KEY)
    assert path.read_bytes() == content
    assert list(record_faults(path, list, KEY)) == [f"{refused.value.what}. {refused.value.remedy}"]


def test_of_older_entries_verify_alone_compares_the_indexes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_of_index(path, "host_entries", "kind = 'host'", "name <> 'round.begin'")
    assert [(kind, seq) for kind, seq, _ in found(path)] == [(FaultKind.STRUCTURE, 1)]
    monkeypatch.setattr(stored_rows, "INDEX_CHECKED", 9)
    Journal.open(path, KEY).close()


@pytest.mark.parametrize("seq", [0, -1, -(2**63)])
def test_entries_before_the_first_are_named_and_nobody_reads_or_writes_on(path: Path, seq: int) -> None:
    database = sqlite3.connect(path)
    database.execute(
        "INSERT INTO entries SELECT ?, kind, 'ruling', t, host, wall, round, rulebook, answers, device, boot_id,"
        " device_seq, body, key, sealed, chain FROM entries WHERE kind = 'output' LIMIT 1",
        (seq,),
    )
    database.commit()
    database.close()
    assert found(path) == [(FaultKind.STRUCTURE, seq, f"there is an entry {seq}: the first is entry 1")]
    named = rf"there are entries before the first, put in by somebody else: {seq}\b"
    with JournalReader.open(path) as reader:
        for read in (
            reader.rulings,
            lambda: list(reader.entries()),
            lambda: list(reader.entries(newest_first=True)),
            lambda: reader.host_entries(HostEntry.ROUND_END),
        ):
            with pytest.raises(JournalCorrupt, match=named):
                read()
    with pytest.raises(JournalCorrupt, match=named):
        Journal.open(path, KEY)
    [fault] = record_faults(path, list, KEY)
    assert fault.startswith("there are entries before the first")
    answer = CliRunner().invoke(cli, ["journal", "show", str(path), "--name", "ruling"])
    assert answer.exit_code != 0
    assert "put in by somebody else" in str(answer.exception) + answer.output
