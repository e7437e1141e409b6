"""Entries as they are stored, given at the table's door to whoever may read the record."""

import os
from pathlib import Path

import pytest

from feltd.custody.rows import chains_of
from feltd.record import JournalReader
from feltd.record.database import connect_writer
from feltd.record.entries import chain_start
from feltd.record.rows import JournalRows
from feltd.table.journal import Journal
from feltd.text.errors import JournalCorrupt
from table_fsm.events import Tick

MANY = 2**20


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    written = Journal.open(path, os.urandom(32))
    for tick in range(30):
        written.append_event(Tick(t=float(tick)), source=None, round_number=0, rulebook_digest="ab" * 32)
    written.close()
    return path


def test_rows_go_on_where_the_last_ones_ended_and_prove_the_chain(journal: Path) -> None:
    with JournalRows(journal) as record, JournalReader.open(journal) as reader:
        head = reader.head()
        chain, seq = chain_start(record.journal_id), 0
        while seq < head.seq:
            found = record.stored(seq, 7, MANY)
            assert found.before == chain
            assert found.head == head.seq
            chain = chains_of(chain, found.rows)[-1]
            assert found.chain == chain
            seq += len(found.rows)
        assert chain == head.chain
        assert record.stored(seq, 7, MANY).rows == ()
        assert record.stored(seq, 7, MANY).before == head.chain


def test_a_journal_that_does_not_reach_so_far_says_so(journal: Path) -> None:
    with JournalRows(journal) as record:
        beyond = record.stored(record.last_entry() + 1, 7, MANY)
        assert (beyond.before, beyond.rows, beyond.head) == (None, (), record.last_entry())


def test_an_answer_is_bounded_and_never_empty(journal: Path) -> None:
    with JournalRows(journal) as record:
        assert len(record.stored(0, 500, 1).rows) == 1
        assert record.stored(3, 0, MANY).rows == ()


@pytest.mark.parametrize("change", ["chain = 7", "chain = x'00'", "body = x'00ff', t = 'text', seq = 5", "kind = NULL"])
def test_an_entry_that_was_not_written_so_is_told(journal: Path, change: str) -> None:
    connection = connect_writer(journal, None)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    if change == "kind = NULL":
        change = "answers = 99999999999999999999999"
    connection.execute(f"UPDATE entries SET {change} WHERE seq = 5")
    connection.close()
    with JournalRows(journal) as record:
        if "chain" in change:
            with pytest.raises(JournalCorrupt, match="feltd journal verify"):
                record.stored(0, 500, MANY)
        else:  # any value has an encoding: the chain shows that it is another
            found = record.stored(0, 500, MANY)
            assert chains_of(chain_start(record.journal_id), found.rows)[-1] != found.chain
