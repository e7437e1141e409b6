"""A table's card is gone: its record is made anew from the floor's copy, and the table goes on behind it."""

import asyncio
import io
import json
import os
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feltd.cli.exits import FINE, USAGE
from feltd.custody.errors import CustodyError
from feltd.floor.engine import Batch, Engine, Signed
from feltd.floor.memory import MemoryEngine
from feltd.floor.postgres import PostgresEngine
from feltd.floor.restoring import newest_of, restore
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.entries import FIELD_NAMES, Row, chain_next, digest, encode
from feltd.record.made import NAME
from feltd.record.notes import FROM_FLOOR_NOTE, SNAPSHOT_NOTE, START_NOTE
from feltd.record.restored import RestoredJournal
from feltd.record.rows import JournalRows
from feltd.record.signed_heads import FirstKey, SignedHead, heads_file, read_heads, size_of
from feltd.record.verify import verify
from feltd.table.journal import Journal
from feltd.table.journal.from_floor import go_on_from
from feltd.table.journal.signer import HeadSigner
from feltd.text.errors import JournalCorrupt, JournalDisk, JournalForeign
from table_fsm.events import Tick
from table_fsm.table import Table
from tests.feltd.others_folders_support import ROOT, make_board
from tests.feltd.table_support import BOOKS, HOLDEM, KEY, Bench
from tests.feltd.test_recovery import record, recovered, rounds
from tests.floor.conftest import emptied
from tests.floor.postgres_support import Server
from tests.floor.test_commands import FLOOR, run

STOLEN = 77_777_700
"""Cents at each seat, as who carries the copy likes them."""
SAID = {"who": "A. Berg", "why": "card dead"}
Work = Callable[[Callable[[Engine], Awaitable[None]]], None]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a table that played some rounds and was cut off in the last."""
    folder = tmp_path_factory.mktemp("old")
    events = rounds(HOLDEM, 3)
    record(folder, events[: len(events) * 9 // 10])
    return folder / "table.journal"


async def taken_up(engine: Engine, path: Path, table: str = "7") -> None:
    """A floor has all of a record."""
    with JournalRows(path) as rows:
        await engine.open_journal(table, rows.journal_id, 2)
        after, head = 0, rows.last_entry()
        while after < head:
            found = rows.stored(after, 100, 10**6)
            assert found.before is not None
            assert found.chain is not None
            batch = Batch(table, rows.journal_id, after + 1, found.before, found.chain, found.rows)
            await engine.append_many([batch])
            after = batch.last
        lines = heads_file(path).read_text().splitlines()
        first = FirstKey.parse(lines[0])
        pinned = Signed(first.key, size_of([first]), 0, first.key)
        await engine.pin(rows.journal_id, pinned)
        heads = [SignedHead.parse(line) for line in lines[1:]]
        last = heads[-1]
        end = Signed(first.key, size_of(lines), last.seq, last.next_key, last.wall_ms)
        assert await engine.add_heads(rows.journal_id, heads, pinned, end)


def rows_of(path: Path) -> list[bytes]:
    with JournalReader.open(path) as reader:
        return [encode(row) for row in reader.rows(Span())]


def test_a_record_is_made_anew_as_it_was_with_its_signed_heads(engine: Work, old: Path, tmp_path: Path) -> None:
    async def work(floor: Engine) -> None:
        await taken_up(floor, old)
        copy = tmp_path / "copy.journal"
        await restore(floor, newest_of(await floor.status(), "7", None), copy)
        assert sorted(os.listdir(tmp_path)) == ["copy.journal", "copy.journal.heads"]
        assert rows_of(copy) == rows_of(old)
        assert heads_file(copy).read_text() == heads_file(old).read_text()
        with JournalReader.open(copy) as reader:
            found = verify(reader)
            assert found.sound, found.faults
            assert found.signed is not None

    engine(work)


def test_a_copy_of_a_table_that_plays_on_has_no_head_of_what_came_since(
    engine: Work, old: Path, tmp_path: Path
) -> None:
    kept = read_heads(heads_file(old))
    assert kept is not None
    last = kept.heads[-1].seq - 1
    with JournalRows(old) as rows:
        chain = rows.stored(last - 1, 1, 10**6).chain
    assert chain is not None

    async def work(floor: Engine) -> None:
        await taken_up(floor, old)
        found = newest_of(await floor.status(), "7", None)
        copy = tmp_path / "copy.journal"
        await restore(floor, replace(found, stand=replace(found.stand, seq=last, chain=chain)), copy)
        with JournalReader.open(copy) as reader:
            verdict = verify(reader)
        assert verdict.sound, verdict.faults
        assert rows_of(copy) == rows_of(old)[:last]
        whole = heads_file(old).read_text().splitlines()
        assert heads_file(copy).read_text().splitlines() == [
            line for line in whole if not line.split(" ")[0].isdecimal() or int(line.split(" ")[0]) <= last
        ]

    engine(work)


def copied(old: Path, folder: Path) -> Path:
    """A copy from a floor."""

    async def work() -> Path:
        engine = MemoryEngine(lambda: 0.0)
        await taken_up(engine, old)
        await restore(engine, newest_of(await engine.status(), "7", None), folder / "copy.journal")
        return folder / "copy.journal"

    return asyncio.run(work())


def begun(folder: Path) -> Path:
    """The record of a table that has only just begun."""
    folder.mkdir()
    journal = Journal.open(folder / "table.journal", KEY)
    journal.append_event(Tick(t=1.0), source=None, round_number=0, rulebook_digest=None)
    journal.close()
    return folder / "table.journal"


def opened(copy: Path) -> tuple[io.BytesIO, io.BytesIO]:
    return io.BytesIO(copy.read_bytes()), io.BytesIO(heads_file(copy).read_bytes())


def test_the_table_goes_on_behind_the_last_round_that_the_copy_has_whole(old: Path, tmp_path: Path) -> None:
    copy = copied(old, tmp_path)
    card = tmp_path / "card"
    card.mkdir()
    done = go_on_from(opened(copy), card / "table.journal", KEY, None, SAID)
    with JournalReader.open(old) as reader:
        state = reader.last_snapshot()
        assert state is not None
        rows = list(reader.rows(Span(kind=EntryKind.HOST, name=HostEntry.SNAPSHOT)))
        assert (done.last, done.round) == (reader.head().seq, rows[-1].round)
        before = reader.journal_id
    expected = Table.restore(BOOKS, state.text)
    found = recovered(card)
    assert found.table.digest(counts=False) == expected.digest(counts=False)
    assert [note for note in found.notes if "cannot be used" in note or "does not give" in note] == []

    async def goes_on() -> None:
        bench = Bench(card)
        round_before = bench.keeper.table.digest(counts=False)
        assert round_before == expected.digest(counts=False)
        bench.journal.close()

    asyncio.run(goes_on())
    with JournalReader.open(card / "table.journal") as reader:
        assert reader.journal_id != before
        [said] = [entry.body for entry in reader.entries(Span(until=1))]
        assert (said["note"], said["who"], said["why"]) == (FROM_FLOOR_NOTE, "A. Berg", "card dead")
        assert said["before"]["journal"] == before.hex()
        assert said["before"]["entry"] == done.last
        assert verify(reader).sound
    assert rows_of(card / said["folder"] / "table.journal") == rows_of(old)


def started(old: Path, folder: Path) -> Path:
    """A table's record that was made long ago, in the first edition, and that a start has gone on with."""
    shutil.copytree(old.parent, folder)
    path = folder / old.name
    database = sqlite3.connect(path)
    database.execute("UPDATE meta SET value = 1690000000.25 WHERE name = 'created'")
    database.execute("UPDATE meta SET value = 1 WHERE name = 'format'")
    database.commit()
    database.close()
    journal = Journal.open(path, KEY)
    journal.append_note(START_NOTE, {NAME: journal.reader.made().to_body()})
    journal.append_note(START_NOTE, {})  # of an older version, which went on for a while
    journal.close()
    return path


def test_a_copy_says_of_its_making_what_the_starts_found_and_a_new_record_joins_on_to_it(
    old: Path, tmp_path: Path
) -> None:
    copy = copied(started(old, tmp_path / "old"), tmp_path)
    with JournalReader.open(copy) as reader:
        assert (reader.made().created, reader.made().format, reader.made().edition) == (1690000000.25, 1, 2)
        found = verify(reader)
        assert found.sound, found.faults
        assert found.made_named
    assert go_on_from(opened(copy), tmp_path / "table.journal", KEY, None, SAID).round is not None


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ({"created": 5.5, "format": 2, "edition": 3}, (5.5, 2, 3)),
        ({"created": 5.5, "format": 1, "edition": 1}, (5.5, 1, 2)),
        ({"created": "then", "format": None, "edition": 1 << 31}, (None, 2, 2)),
    ],
)
def test_a_copys_edition_is_never_less_than_a_start_found(
    tmp_path: Path, said: dict[str, Any], made: tuple[float | None, int, int]
) -> None:
    source = tmp_path / "source.journal"
    journal = Journal.open(source, KEY)
    journal.append_note(START_NOTE, {NAME: said})
    journal.close()
    copy = tmp_path / "copy.journal"
    with RestoredJournal(copy, bytes(16)) as new:
        new.add(rows_of(source))
        new.finish([])
    database = sqlite3.connect(copy)
    meta = dict(database.execute("SELECT name, value FROM meta").fetchall())
    assert database.execute("PRAGMA user_version").fetchone() == (made[2],)
    database.close()
    assert meta["format"] == made[1]
    assert meta["created"] == made[0] or (made[0] is None and meta["created"] > 1_700_000_000)


def test_without_a_state_the_players_are_seated_anew(tmp_path: Path) -> None:
    early = begun(tmp_path / "early")
    copy = copied(early, tmp_path)
    assert go_on_from(opened(copy), tmp_path / "table.journal", KEY, None, SAID).round is None


def test_a_record_that_is_joined_on_is_signed_or_it_is_told(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, path = copied(old, tmp_path), tmp_path / "table.journal"
    done = go_on_from(opened(copy), path, KEY, None, SAID)
    heads = read_heads(heads_file(path))
    assert heads is not None
    assert heads.heads[-1].seq > done.entry
    for left in tmp_path.glob("table.journal*"):
        left.unlink()

    def full(*_: object, **__: object) -> None:
        raise JournalDisk("no room for a head", path, "Make room")

    monkeypatch.setattr(HeadSigner, "sign", full)
    with pytest.raises(JournalDisk, match=r"entry 1 is on record, and no head signs it: .*no room for a head") as told:
        go_on_from(opened(copy), path, KEY, None, SAID)
    assert max(tmp_path.glob("from-floor-*"), key=lambda folder: folder.stat().st_mtime_ns).name in str(told.value)
    assert "do not repeat it" in str(told.value)


def test_a_copy_that_was_changed_is_refused_and_leaves_nothing(old: Path, tmp_path: Path) -> None:
    copy = copied(old, tmp_path)
    card = tmp_path / "card"
    card.mkdir()
    journal, heads = copy.read_bytes(), heads_file(copy).read_text().splitlines(keepends=True)
    cut = io.BytesIO("".join([*heads[:-1], heads[-1].replace(heads[-1][-6:-1], "00000")]).encode())
    with pytest.raises(JournalCorrupt, match="the copy is not as it was written"):
        go_on_from((io.BytesIO(journal), cut), card / "table.journal", KEY, None, SAID)
    assert list(card.iterdir()) == []
    with pytest.raises(JournalForeign, match="a record with events already"):
        go_on_from(opened(copy), old, KEY, None, SAID)


def test_a_copy_that_is_forged_as_a_whole_is_refused_by_the_first_key_that_was_kept(old: Path, tmp_path: Path) -> None:
    """Who carries the copy can write another record, with keys of its own, and seats and stacks as they like."""
    kept = read_heads(heads_file(old))
    assert kept is not None
    forged = begun(tmp_path / "forged")
    path = tmp_path / "card" / "table.journal"
    path.parent.mkdir()
    with pytest.raises(JournalCorrupt, match="the copy is not as it was written"):
        go_on_from(opened(forged), path, KEY, None, SAID, first_key=kept.first.key)
    assert list(path.parent.iterdir()) == []
    copy = copied(old, tmp_path)
    assert go_on_from(opened(copy), path, KEY, None, SAID, first_key=kept.first.key).first_key == kept.first.key.hex()


def test_a_copy_with_the_first_key_that_was_kept_and_no_head_by_it_is_refused(old: Path, tmp_path: Path) -> None:
    """The first line of the heads names a key, and nobody signs that line."""
    kept = read_heads(heads_file(old))
    assert kept is not None
    path = begun(tmp_path / "forged")
    its = read_heads(heads_file(path))
    assert its is not None
    heads_file(path).write_text(f"{FirstKey(its.first.journal_id, kept.first.key)}\n")
    database = sqlite3.connect(path)
    database.execute("UPDATE meta SET value = ? WHERE name = 'first_key'", (kept.first.key,))
    database.commit()
    database.close()
    with pytest.raises(JournalCorrupt, match="no head is signed by the first key that was given"):
        go_on_from(opened(path), tmp_path / "table.journal", KEY, None, SAID, first_key=kept.first.key)
    assert not (tmp_path / "table.journal").exists()


def with_a_state_of_the_carriers(copy: Path, of: Path | None = None) -> None:
    """The newest state of a record and its note written behind all entries, with other stacks: no key is needed.

    `of`: that record; None for the copy itself.
    """
    database = sqlite3.connect(copy)
    fields = ", ".join(FIELD_NAMES)
    rows = database.execute(f"SELECT {fields}, chain FROM entries ORDER BY seq").fetchall()
    chain, seq = rows[-1][-1], rows[-1][0]
    last = Row(*rows[-1][:-1])
    with JournalReader.open(of or copy) as reader:
        written = list(reader.rows(Span()))
    state = [row for row in written if row.name == HostEntry.SNAPSHOT][-1]
    note = [row for row in written if row.seq < state.seq and SNAPSHOT_NOTE in str(row.body)][-1]
    said = json.loads(state.body)
    for seat in said["seats"].values():
        seat["stack"] = STOLEN
    for row in (note, state._replace(body=json.dumps(said))):
        seq += 1
        row = row._replace(seq=seq, host=last.host, wall=last.wall)
        chain = chain_next(chain, digest(row))
        places = ", ".join("?" * (len(FIELD_NAMES) + 1))
        database.execute(f"INSERT INTO entries ({fields}, chain) VALUES ({places})", (*row, chain))
    database.execute("UPDATE head SET seq = ?, chain = ?", (seq, chain))
    database.commit()
    database.close()


def test_no_state_behind_the_last_head_is_taken(old: Path, tmp_path: Path) -> None:
    kept = read_heads(heads_file(old))
    assert kept is not None
    copy = copied(old, tmp_path)
    with_a_state_of_the_carriers(copy)
    stacks = {}
    for first_key in (None, kept.first.key):
        path = tmp_path / str(first_key is None) / "table.journal"
        path.parent.mkdir()
        done = go_on_from(opened(copy), path, KEY, None, SAID, first_key=first_key)
        assert (done.signed, done.last - done.signed) == (kept.heads[-1].seq, 2 + behind(old, kept.heads[-1].seq))
        with JournalReader.open(path) as reader:
            state = reader.last_snapshot()
            assert state is not None
            stacks[first_key] = str(STOLEN) in state.text
    assert stacks == {None: False, kept.first.key: False}


def test_no_state_is_taken_where_no_head_is_signed(old: Path, tmp_path: Path) -> None:
    """Whoever cuts the file of heads down to its first line needs no key."""
    young = begun(tmp_path / "young")
    copy = copied(young, tmp_path)
    with_a_state_of_the_carriers(copy, old)
    first_line = heads_file(copy).read_text().splitlines(keepends=True)[0]
    heads_file(copy).write_text(first_line)
    done = go_on_from(opened(copy), tmp_path / "table.journal", KEY, None, SAID)
    assert (done.signed, done.round) == (0, None)
    board = make_board(tmp_path / "board", ROOT)
    for left in board.journal.parent.glob("table.journal*"):
        left.unlink()
    told = run("journal", "from-floor", copy, board.config, "--who", "A. Berg", "--why", "card dead")
    assert told.exit_code == FINE, told.output
    assert "no head of the copy is signed: who carried it can have written all of it" in told.output


def test_no_state_is_taken_from_a_copy_that_is_made_to_look_like_an_early_record(old: Path, tmp_path: Path) -> None:
    """Records of the first versions have no file of heads, and name no first key."""
    copy = copied(old, tmp_path)
    with_a_state_of_the_carriers(copy)
    database = sqlite3.connect(copy)
    database.execute("DELETE FROM meta WHERE name = 'first_key'")
    database.commit()
    database.close()
    journal = io.BytesIO(copy.read_bytes())
    done = go_on_from((journal, None), tmp_path / "table.journal", KEY, None, SAID)
    assert (done.signed, done.round, done.first_key) == (0, None, None)


def behind(journal: Path, seq: int) -> int:
    """How many entries a journal has behind this one."""
    with JournalReader.open(journal) as reader:
        return reader.head().seq - seq


def test_a_floor_that_does_not_give_its_own_head_makes_no_file(old: Path, tmp_path: Path) -> None:
    async def work() -> None:
        engine = MemoryEngine(lambda: 0.0)
        await taken_up(engine, old)
        [status] = await engine.status()
        with pytest.raises(CustodyError, match="the floor has no such record"):
            newest_of([status], "8", None)
        with pytest.raises(CustodyError, match="the floor has no such record"):
            newest_of([status], "7", "zz")
        assert newest_of([status], "7", status.journal.hex()[:6]) is status
        engine.journals[status.journal].batches.pop()
        with pytest.raises(CustodyError, match="do not give the floor's head"):
            await restore(engine, status, tmp_path / "copy.journal")
        engine.journals[status.journal].batches.clear()
        with pytest.raises(CustodyError, match="end at entry 0"):
            await restore(engine, status, tmp_path / "copy.journal")

    asyncio.run(work())
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").write_text("")
    with pytest.raises(JournalForeign, match="something is there already"):
        RestoredJournal(tmp_path / "there", bytes(16))
    for rows, words in (([b"?"], "cannot be read"), (rows_of(old)[1:2], "behind entry 0 comes entry 2")):
        with pytest.raises(JournalCorrupt, match=words), RestoredJournal(tmp_path / "new", bytes(16)) as made:
            made.add(rows)
    assert [file.name for file in tmp_path.iterdir()] == ["there"]


def test_two_commands_give_a_table_its_record_back(old: Path, tmp_path: Path, postgres: Server) -> None:
    file, copy = tmp_path / "floor.toml", tmp_path / "copy.journal"
    file.write_text(FLOOR.format(port=1, database=postgres.address("floord")))

    async def work() -> None:
        await emptied(postgres)
        engine = await PostgresEngine.open(postgres.address("floord"))
        await taken_up(engine, old, "table-7")
        await engine.close()

    asyncio.run(work())
    made = run("floor", "restore", "table-7", "--into", copy, "--config", file)
    assert made.exit_code == FINE
    assert f"{copy}: journal " in made.output
    board = make_board(tmp_path / "board", ROOT)
    there = run("journal", "from-floor", copy, board.config, "--who", "A. Berg", "--why", "card dead")
    assert there.exit_code == USAGE
    assert "feltd journal set-aside" in there.output
    for left in board.journal.parent.glob("table.journal*"):
        left.unlink()
    kept = read_heads(heads_file(old))
    assert kept is not None
    words: list[str | Path] = ["journal", "from-floor", copy, board.config, "--who", "A. Berg", "--why", "card dead"]
    refused = run(*words, "--first-key", "00" * 32)
    assert refused.exit_code == USAGE
    assert "the copy is not as it was written" in refused.output
    done = run(*words, "--first-key", kept.first.key.hex())
    assert done.exit_code == FINE, done.output
    assert "note:" not in done.output
    for left in board.journal.parent.glob("table.journal*"):
        left.unlink()
    done = run(*words)
    assert done.exit_code == FINE, done.output
    assert f"note: the copy's first key is {kept.first.key.hex()}: it is the old record only if" in done.output
    assert "goes on behind round" in done.output
    for left in board.journal.parent.glob("table.journal*"):
        left.unlink()
    with_a_state_of_the_carriers(copy)
    done = run(*words, "--first-key", kept.first.key.hex())
    assert done.exit_code == FINE, done.output
    assert f"no signed head covers the entries {kept.heads[-1].seq + 1} to " in done.output
    heads_file(copy).unlink()
    again = run("journal", "from-floor", copy, board.config, "--who", "A. Berg", "--why", "card dead")
    assert again.exit_code == USAGE
    assert "is not beside it" in again.output
