"""The table's short-lived keys: destroyed once nothing can bring the round back that they open, and not before."""

import shutil
from pathlib import Path

import pytest

from feltd.record import JournalReader, Reveal, Seal, Span, database
from feltd.record.database import connect_reader, connect_writer, empty_log
from feltd.record.log_check import find_fault
from feltd.record.short_keys import keys_file, read_short_keys
from feltd.record.signed_heads import heads_file, signer_file
from feltd.table.check.record import missing_record_faults
from feltd.table.journal import Journal
from feltd.text.errors import JournalCorrupt, JournalKeyWrong, JournalMissing
from table_fsm.events import CardPlaced
from tests.feltd.seal_support import PUBLIC

KEY = bytes(range(32))
DIGEST = "ab" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "table"
    folder.mkdir()
    return folder / "table.journal"


def sealed(journal: Journal, number: int) -> int:
    event = CardPlaced(t=float(number), zone="seat:1", card="As")
    return journal.append_event(event, source=None, round_number=number, rulebook_digest=DIGEST)


def end(journal: Journal, number: int) -> None:
    with journal.together():
        journal.end_round(number)
        journal.append_snapshot("{}", round_number=number, rulebook_digest=DIGEST)
    journal.flush_blocking()


def settle(journal: Journal) -> None:
    """Wait for what the writer does after it has told of an entry: it takes the next one after that."""
    journal.append_note("x")
    journal.flush_blocking()


def said(journal: Journal) -> str:
    """Why keys are still there."""
    return journal.health.counters.keys_error or ""


def generations(path: Path) -> set[int]:
    with JournalReader.open(path) as reader:
        return set(read_short_keys(path, reader.journal_id))


def as_after_a_power_cut(path: Path, to: Path) -> Path:
    """The files of an open journal, copied: the log is as it lies."""
    shutil.copytree(path.parent, to)
    (to / "table.journal-shm").unlink(missing_ok=True)
    return to / "table.journal"


def test_a_key_is_destroyed_with_the_state_after_its_round_and_an_unused_one_stays(path: Path) -> None:
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    assert generations(path) == {0, 1}
    seq = sealed(journal, 1)
    end(journal, 1)
    settle(journal)
    assert generations(path) == {1, 2}
    with JournalReader.open(path, KEY) as reader:
        assert [one.seal for one in reader.entries(Span(after=seq - 1, until=seq), reveal=Reveal.ALL)] == [
            Seal.NEVER_SHOWN
        ]
    before = keys_file(path).read_bytes()
    end(journal, 2)  # nothing was sealed in it
    settle(journal)
    assert keys_file(path).read_bytes() == before
    journal.close()
    again = Journal.open(path, KEY)
    sealed(again, 3)
    settle(again)
    again.close()
    assert keys_file(path).read_bytes() == before
    third = Journal.open(path, KEY)
    assert third.open_rounds == (3,)
    end(third, 3)
    third.close()
    assert generations(path) == {2, 3}


def test_no_bit_of_the_log_is_needed_for_the_state_after_a_round(path: Path, tmp_path: Path) -> None:
    """The state is in the database before the round's key is gone. A start tells damage; it does not need the log."""
    journal = Journal.open(path, KEY, sign_seconds=3600)  # no head covers the note, however slow the machine is
    sealed(journal, 1)
    end(journal, 1)
    settle(journal)
    log = path.with_name("table.journal-wal").read_bytes()
    assert log, "the note after it stands in the log"
    for number, at in enumerate(range(0, len(log), max(1, len(log) // 40))):
        copy = as_after_a_power_cut(path, tmp_path / str(number))
        damaged = bytearray(log)
        damaged[at] ^= 1
        copied = copy.with_name("table.journal-wal")
        copied.write_bytes(damaged)
        if find_fault(copy) is not None:
            with pytest.raises(JournalCorrupt):
                Journal.open(copy, KEY)
            copied.unlink()
        again = Journal.open(copy, KEY)
        kept = again.reader.last_snapshot()
        assert (kept is not None, again.open_rounds) == (True, ()), at
        again.close()
    journal.close()


def test_what_a_start_destroys_is_in_the_database_first(path: Path, tmp_path: Path) -> None:
    """feltd was killed between the snapshot and the destroying: the next start makes up for it, in the same order."""
    journal = Journal.open(path, KEY)
    before = keys_file(path).read_bytes()
    sealed(journal, 1)
    end(journal, 1)
    settle(journal)
    copy = as_after_a_power_cut(path, tmp_path / "copy")
    journal.close()
    keys_file(copy).write_bytes(before)
    assert generations(copy) == {0, 1}
    again = Journal.open(copy, KEY)
    settle(again)
    assert generations(copy) == {1, 2}
    again.close()


def test_a_reader_that_holds_the_log_keeps_the_key_until_it_lets_go(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feltd.table.journal.writer.KEYS_AGAIN", 0.0)
    journal = Journal.open(path, KEY)
    sealed(journal, 1)
    settle(journal)
    reader = connect_reader(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entries").fetchone()
    end(journal, 1)
    settle(journal)
    assert generations(path) == {0, 1}
    while not said(journal):
        settle(journal)
    assert "a reader holds the log" in said(journal)
    assert journal.health.error is None, "play goes on"
    reader.execute("COMMIT")
    reader.close()
    while said(journal):
        settle(journal)
    assert generations(path) == {1, 2}
    journal.close()


def test_a_new_file_is_in_its_folder_for_good(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("feltd.record.short_keys.sync_folder", synced.append)
    journal = Journal.open(path, KEY)
    assert synced == [path.parent]
    sealed(journal, 1)
    end(journal, 1)
    journal.close()
    assert synced == [path.parent], "what is overwritten in its place needs no other sync"
    keys_file(path).unlink()
    Journal.open(path, KEY).close()
    assert synced == [path.parent] * 2


@pytest.mark.parametrize("left", ["nothing", "an empty file"])
def test_a_record_that_is_gone_is_not_begun_anew_in_silence(path: Path, left: str) -> None:
    Journal.open(path, KEY).close()
    path.unlink()
    if left == "an empty file":
        path.touch()
    kept = keys_file(path).read_bytes()
    signed_with = signer_file(path).read_bytes()
    with pytest.raises(JournalMissing, match=r"its short-lived keys \(table.journal.keys\) and the keys t") as refused:
        Journal.open(path, KEY)
    assert "`feltd journal set-aside`" in refused.value.remedy
    assert list(missing_record_faults(path)) == [f"{refused.value.what}. {refused.value.remedy}"]
    assert path.exists() is (left == "an empty file")
    assert keys_file(path).read_bytes() == kept
    keys_file(path).rename(path.with_name("kept.keys"))
    with pytest.raises(JournalMissing, match=r"and its signed heads \(table.journal.heads\) and the keys that"):
        Journal.open(path, KEY)
    heads_file(path).unlink()
    with pytest.raises(JournalMissing, match=r"gone, and the keys that sign it \(table.journal.signer\) are here"):
        Journal.open(path, KEY)
    assert signer_file(path).read_bytes() == signed_with
    signer_file(path).rename(path.with_name("kept.signer"))
    assert list(missing_record_faults(path)) == []
    Journal.open(path, KEY).close()


def test_a_record_beside_anothers_keys_is_refused_and_destroys_none(path: Path) -> None:
    other = path.with_name("other.journal")
    for each in (path, other):
        Journal.open(each, KEY).close()
    shutil.copy(keys_file(other), keys_file(path))
    kept = keys_file(path).read_bytes()
    with pytest.raises(JournalKeyWrong, match="are those of another record"):
        Journal.open(path, KEY)
    assert keys_file(path).read_bytes() == kept


def test_the_log_begins_anew_in_its_place_and_nothing_of_it_comes_back(path: Path, tmp_path: Path) -> None:
    """Old frames stay in the file: none of them, damaged or not, may stand for the state after a round's end."""
    connection = connect_writer(path, None)
    log = path.with_name("table.journal-wal")
    for version in (2, 1, 2):
        connection.execute(f"PRAGMA user_version={version}")
    before = log.read_bytes()
    assert empty_log(connection, path)
    after = log.read_bytes()
    assert (len(after), after[16:24] == before[16:24]) == (len(before), False)
    for number, damaged in enumerate((after, after[:32], after[:40], bytes(32) + after[32:], before[:32] + after[32:])):
        copy = as_after_a_power_cut(path, tmp_path / str(number))
        copy.with_name("table.journal-wal").write_bytes(damaged)
        again = connect_writer(copy, None)
        assert again.execute("PRAGMA user_version").fetchone() == (2,)
        again.close()
    connection.close()


def test_a_log_that_did_not_begin_anew_is_not_called_empty(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = connect_writer(path, None)
    connection.execute("PRAGMA user_version=2")
    monkeypatch.setattr(database, "_log_header", lambda log: b"the salts of before")
    assert not empty_log(connection, path)
    connection.close()
