"""`verify` finds what was changed, and says which entry; so does a verifier written from the documentation alone."""

import hashlib
import json
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.record import JournalReader, Source
from feltd.record.entries import digest, encode
from feltd.record.export import export
from feltd.record.findings import Anchor, Elsewhere, FaultKind, Verification
from feltd.record.signed_heads import heads_file
from feltd.record.verify import anchor_of, verify
from feltd.table.journal import Journal
from feltd.text.errors import JournalCorrupt, JournalExportInvalid, JournalKeyWrong
from table_fsm.events import CardPlaced, Tick
from table_fsm.outputs import Output, Phase

KEY = bytes(range(32))
ENTRIES = 24


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    journal.begin_round(1)
    for number in range(10):
        source = Source("reader", b"boot", number)
        event = CardPlaced(t=float(number), zone="seat:1", card="As")
        journal.append_event(event, source=source, round_number=1, rulebook_digest="ab" * 32)
        journal.append_output(Output(float(number), Phase("dealing")), round_number=1, rulebook_digest="ab" * 32)
    journal.end_round(1)
    journal.append_note("stop")
    assert journal.flush_blocking(10) == ENTRIES
    journal.close()
    return path


@contextmanager
def tampered(path: Path) -> Iterator[Callable[..., None]]:
    database = sqlite3.connect(path)

    def do(sql: str, *values: int) -> None:
        database.execute(sql, values)

    yield do
    database.commit()
    database.close()


def found(path: Path, key: bytes | None = None, anchors: tuple[Anchor, ...] = ()) -> Verification:
    with JournalReader.open(path, key) as reader:
        return verify(reader, Elsewhere(tuple(anchors)))


def unsigned(path: Path) -> None:
    """Take away what an earlier version did not write: the signed heads."""
    heads_file(path).unlink()
    with tampered(path) as do:
        do("DELETE FROM meta WHERE name = 'first_key'")


def faults(path: Path) -> list[tuple[FaultKind, int]]:
    return [(fault.kind, fault.seq) for fault in found(path).faults]


def test_an_untouched_journal_is_sound_without_a_key_and_vouched_for_with_it(path: Path) -> None:
    done: list[tuple[int, int]] = []
    with JournalReader.open(path) as reader:
        result = verify(reader, Elsewhere((anchor_of(reader),)), progress=lambda *step: done.append(step))
    assert (result.sound, result.entries, result.authenticated, result.unlisted) == (True, ENTRIES, None, 0)
    assert found(path, KEY).authenticated is True
    assert done == []  # too few to be worth a word


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sealed", "'text'"),
        ("sealed", "7"),
        ("key", "'text'"),
        ("body", "7"),
        ("body", "x'00'"),
        ("name", "7"),
        ("chain", "'text'"),
    ],
)
def test_a_field_of_a_type_that_is_not_its_own_is_found_and_is_no_failure(path: Path, field: str, value: str) -> None:
    """The database keeps any type in any field."""
    with tampered(path) as do:
        do(f"UPDATE entries SET {field} = {value} WHERE seq = 4")
    assert 4 in [fault.seq for fault in found(path).faults]
    with JournalReader.open(path) as reader:
        for read in (lambda: list(reader.entries()), lambda: list(export(reader, 1, ENTRIES))):
            with suppress(JournalCorrupt):
                read()


@pytest.mark.parametrize("seq", range(1, ENTRIES + 1))
@pytest.mark.parametrize(
    "body", ["printf('%.*c', 100000, '[')", "replace(printf('%.*c', 99999, '['), '[', '{\"a\":')", "x'ff'"]
)
def test_a_body_that_is_nested_without_end_or_no_text_is_found_and_ends_no_verification(
    path: Path, body: str, seq: int
) -> None:
    """One such row kept the names of all other forged entries from whoever verifies."""
    with tampered(path) as do:
        do(f"UPDATE entries SET body = {body} WHERE seq = {seq}")
    assert seq in [fault.seq for fault in found(path).faults]
    with JournalReader.open(path) as reader:
        for read in (lambda: list(reader.entries()), lambda: list(export(reader, 1, ENTRIES))):
            with suppress(JournalCorrupt):
                read()


def test_the_end_of_a_round_that_cannot_be_understood_is_found(path: Path) -> None:
    with tampered(path) as do:
        do("UPDATE entries SET body = 7 WHERE name = 'round.end'")
    assert FaultKind.KEY in [fault.kind for fault in found(path).faults]


def test_progress_is_told_now_and_then(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "long.journal", KEY)
    for number in range(2500):
        journal.append_event(Tick(t=float(number)), source=None, round_number=1, rulebook_digest=None)
    journal.flush_blocking(10)
    told: list[tuple[int, int]] = []
    assert verify(journal.reader, progress=lambda *step: told.append(step)).sound
    assert told == [(1000, 2500), (2000, 2500)]
    journal.close()


CHANGES = [
    "kind = 'output'", "name = 'tick'", "t = 99.5", "host = 1.0", "wall = 1.0", "round = 2", "rulebook = zeroblob(32)",
    "answers = 3", "device = 'shoe'", "boot_id = x'00'", "device_seq = 77", "body = replace(body, 'seat:1', 'seat:2')",
    "key = 1", "sealed = zeroblob(60)", "rulebook = NULL", "t = NULL", "body = body || ' '",
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_any_field_is_found_and_named(path: Path, change: str) -> None:
    with tampered(path) as do:
        do(f"UPDATE entries SET {change} WHERE seq = 7")
    assert faults(path) == [(FaultKind.CHANGED, 7)]
    assert "entry 7" in found(path).faults[0].text


def test_a_changed_chain_value_is_found(path: Path) -> None:
    with tampered(path) as do:
        do("UPDATE entries SET chain = zeroblob(32) WHERE seq = 7")
    assert (FaultKind.CHANGED, 7) in faults(path)
    with tampered(path) as do:
        do("UPDATE entries SET chain = 'text' WHERE seq = 9")
    assert (FaultKind.CHANGED, 9) in faults(path)


def test_missing_entries_are_found_and_named(path: Path) -> None:
    with tampered(path) as do:
        do("DELETE FROM entries WHERE seq IN (1, 10, 11, 12)")
    assert faults(path) == [(FaultKind.MISSING, 1), (FaultKind.MISSING, 10)]
    assert found(path).faults[1].text == "entries 10 to 12 are missing"


def test_a_gap_closed_by_renumbering_is_found_and_what_moved_is_named(path: Path) -> None:
    with tampered(path) as do:
        do("DELETE FROM entries WHERE seq = 10")
        for seq in range(11, ENTRIES + 1):
            do("UPDATE entries SET seq = ? WHERE seq = ?", seq - 1, seq)
    named = faults(path)
    assert {(FaultKind.REWRITTEN, 1), (FaultKind.CUT_OFF, ENTRIES)} <= set(named), "a head signs the round's end"
    assert {seq for _, seq in named} == {1, *range(10, ENTRIES + 1)}
    texts = [fault.text for fault in found(path).faults]
    assert "what stands as entry 11 was written as entry 12" in texts


@pytest.mark.parametrize(("one", "other"), [(7, 8), (5, 15)])
def test_reordered_entries_are_found_and_their_places_named(path: Path, one: int, other: int) -> None:
    with tampered(path) as do:
        do("UPDATE entries SET seq = -1 WHERE seq = ?", one)
        do("UPDATE entries SET seq = ? WHERE seq = ?", one, other)
        do("UPDATE entries SET seq = ? WHERE seq = -1", other)
    texts = {fault.seq: fault.text for fault in found(path).faults if fault.kind is FaultKind.REORDERED}
    assert texts[one] == f"what stands as entry {one} was written as entry {other}"
    assert texts[other] == f"what stands as entry {other} was written as entry {one}"
    assert all(fault.kind is FaultKind.REORDERED for fault in found(path).faults)


def test_an_end_cut_off_is_found(path: Path) -> None:
    with tampered(path) as do:
        do("DELETE FROM entries WHERE seq > 20")
    assert faults(path) == [(FaultKind.CUT_OFF, 21)]
    assert found(path).faults[0].text == "the end is missing: entries 21 to 24"


def test_an_end_cut_off_together_with_the_head_is_found_by_the_key_and_by_an_anchor(path: Path) -> None:
    with JournalReader.open(path) as reader:
        anchor = anchor_of(reader)
    with tampered(path) as do:
        do("DELETE FROM entries WHERE seq > 20")
        do("UPDATE head SET seq = 20, chain = (SELECT chain FROM entries WHERE seq = 20)")
    assert faults(path) == [(FaultKind.CUT_OFF, 21)]  # by the signed head
    unsigned(path)
    assert found(path).sound  # said plainly: without key and anchor this cannot be seen
    assert [fault.kind for fault in found(path, KEY).faults] == [FaultKind.HEAD]
    assert found(path, KEY).authenticated is False
    assert [(fault.kind, fault.seq) for fault in found(path, None, (anchor,)).faults] == [(FaultKind.ANCHOR, ENTRIES)]


def test_a_whole_chain_made_anew_is_found_by_an_anchor_and_by_the_key(path: Path) -> None:
    with JournalReader.open(path) as reader:
        anchor = anchor_of(reader)
    with tampered(path) as do:
        do("UPDATE entries SET body = replace(body, 'seat:1', 'seat:2')")
    database = sqlite3.connect(path)
    journal_id = database.execute("SELECT value FROM meta WHERE name = 'journal_id'").fetchone()[0]
    chain = hashlib.sha256(b"feltd journal 1\0" + journal_id).digest()
    for row in database.execute("SELECT * FROM entries ORDER BY seq").fetchall():
        chain = hashlib.sha256(chain + digest(row[:-1])).digest()
        database.execute("UPDATE entries SET chain = ? WHERE seq = ?", (chain, row[0]))
    database.execute("UPDATE head SET chain = ?", (chain,))
    database.commit()
    database.close()
    assert faults(path) == [(FaultKind.REWRITTEN, 1)]
    unsigned(path)
    assert found(path).sound
    assert [fault.kind for fault in found(path, KEY).faults] == [FaultKind.HEAD]
    assert [fault.kind for fault in found(path, None, (anchor,)).faults] == [FaultKind.ANCHOR]
    before = path.read_bytes()
    with pytest.raises(JournalKeyWrong, match="somebody changed the record and chained it anew"):
        Journal.open(path, KEY)  # an entry of the table's own would vouch for the change
    assert path.read_bytes() == before


def test_entries_after_the_head_and_a_wrong_or_lost_head_are_found(path: Path) -> None:
    with tampered(path) as do:
        do("UPDATE head SET seq = 20, chain = (SELECT chain FROM entries WHERE seq = 20)")
    assert faults(path) == [(FaultKind.APPENDED, 21)]
    with tampered(path) as do:
        do("UPDATE head SET seq = 24, chain = zeroblob(32)")
    assert faults(path) == [(FaultKind.HEAD, 24)]
    with tampered(path) as do:
        do("DELETE FROM head")
    assert faults(path) == [(FaultKind.HEAD, 0)]


def test_another_round_key_than_the_one_announced_is_found(path: Path) -> None:
    database = sqlite3.connect(path)
    (seq,) = database.execute("SELECT seq FROM entries WHERE name = 'round.end'").fetchone()
    database.execute("UPDATE entries SET body = ? WHERE seq = ?", (json.dumps({"key": "00" * 32}), seq))
    database.commit()
    database.close()
    assert (FaultKind.KEY, seq) in faults(path)
    with tampered(path) as do:
        do("UPDATE entries SET body = '[]' WHERE seq = ?", seq)
    assert (FaultKind.KEY, seq) in faults(path)


def test_very_many_faults_are_counted_and_the_first_listed(tmp_path: Path) -> None:
    path = tmp_path / "long.journal"
    journal = Journal.open(path, KEY)
    with journal.together():
        for number in range(1500):
            journal.append_event(Tick(t=float(number)), source=None, round_number=1, rulebook_digest=None)
    journal.close()
    with tampered(path) as do:
        do("UPDATE entries SET wall = 0.0")
    result = found(path)
    assert len(result.faults) + result.unlisted == 1500
    assert result.unlisted == 500


def test_an_anchor_reads_as_it_is_written_and_belongs_to_one_journal(path: Path, tmp_path: Path) -> None:
    with JournalReader.open(path) as reader:
        anchor = anchor_of(reader)
    assert Anchor.parse(str(anchor)) == anchor
    other = Journal.open(tmp_path / "other.journal", KEY)
    assert [
        fault.kind for fault in verify(other.reader, Elsewhere((Anchor(anchor.journal_id, 0, anchor.chain),))).faults
    ] == [FaultKind.ANCHOR]
    other.close()
    for line in ("", "feltd-anchor 2 00 1 00", "feltd-anchor 1 00 1 00", "feltd-anchor 1 zz 1 zz", "a b c d e"):
        with pytest.raises(JournalExportInvalid, match="not an anchor"):
            Anchor.parse(line)


def test_a_verifier_written_from_the_documentation_agrees(path: Path) -> None:
    """Uses nothing of ours: the docstring of feltd.record.entries, sqlite3, hashlib, struct."""
    database = sqlite3.connect(path)
    (journal_id,) = database.execute("SELECT value FROM meta WHERE name = 'journal_id'").fetchone()
    chain = hashlib.sha256(b"feltd journal 1\x00" + journal_id).digest()
    columns = "seq, kind, name, t, host, wall, round, rulebook, answers, device, boot_id, device_seq, body, key, sealed"
    rows = database.execute(f"SELECT {columns}, chain FROM entries ORDER BY seq").fetchall()
    for *values, stored in rows:
        encoded = b""
        for value in values:
            match value:
                case None:
                    encoded += b"N"
                case int():
                    encoded += b"I" + value.to_bytes(8, "big", signed=True)
                case float():
                    encoded += b"F" + struct.pack(">d", value)
                case str():
                    encoded += b"T" + len(value.encode()).to_bytes(4, "big") + value.encode()
                case bytes():
                    encoded += b"B" + len(value).to_bytes(4, "big") + value
        chain = hashlib.sha256(chain + hashlib.sha256(encoded).digest()).digest()
        assert chain == stored
    assert len(rows) == ENTRIES
    assert database.execute("SELECT seq, chain FROM head").fetchone() == (ENTRIES, chain)
    database.close()


NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
FIELDS = st.lists(st.none() | NUMBERS | st.text(max_size=8) | st.binary(max_size=8), max_size=6).map(tuple)


@given(FIELDS, FIELDS)
def test_two_different_entries_never_have_the_same_encoding(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    same = [(type(a), repr(a)) for a in one] == [(type(b), repr(b)) for b in other]
    assert (encode(one) == encode(other)) == same  # type: ignore[arg-type]  # any columns at all, not only an entry's
