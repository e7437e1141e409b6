"""Heads of the record that are signed by keys which are then destroyed, and what a start does with them."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from feltd.cli import cli
from feltd.record import HostEntry, JournalReader, signed_heads
from feltd.record.database import Head
from feltd.record.entries import chain_next, chain_start, digest
from feltd.record.export import export, export_round, verify_export
from feltd.record.findings import Elsewhere, FaultKind, Verification
from feltd.record.notes import SET_ASIDE_NOTE, STRAY_HEAD_NOTE
from feltd.record.sealing import MasterKey
from feltd.record.signed_heads import (
    LONGEST_LINE,
    Heads,
    SignedHead,
    head_behind,
    heads_file,
    message_of,
    read_end,
    read_heads,
    signer_file,
    stray_file,
)
from feltd.record.stored_rows import Span
from feltd.record.verify import verify
from feltd.table.check.record import missing_record_faults, record_faults, record_notes
from feltd.table.journal import Journal
from feltd.table.journal.aside import set_aside
from feltd.table.journal.signer import SLOT_BYTES, HeadSigner, require_signing_key
from feltd.table.journal.signing import Signing
from feltd.table.journal.writer import Writer
from feltd.text.errors import (
    JournalClosed,
    JournalCorrupt,
    JournalDisk,
    JournalError,
    JournalExportInvalid,
    JournalKeyWrong,
    JournalMissing,
)
from table_fsm.events import Tick

KEY = bytes(range(32))
CHAIN = bytes(32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


def play(path: Path, rounds: int = 1, first: int = 1) -> None:
    """Rounds of four entries, a start and a stop to each, by which its head is signed for certain."""
    for number in range(first, first + rounds):
        journal = Journal.open(path, KEY, wall=lambda: 1_700_000_000.0)
        journal.begin_round(number)
        for step in range(2):
            journal.append_event(Tick(t=float(step)), source=None, round_number=number, rulebook_digest=None)
        journal.end_round(number)
        journal.close()


def found(path: Path, elsewhere: Elsewhere | None = None) -> Verification:
    with JournalReader.open(path, KEY) as reader:
        return verify(reader, elsewhere)


def faults(path: Path, elsewhere: Elsewhere | None = None) -> list[tuple[FaultKind, int]]:
    return [(fault.kind, fault.seq) for fault in found(path, elsewhere).faults]


def rechain(path: Path, sql: str, *, key: bytes | None = KEY) -> None:
    """Change a record, chain it anew and set its head to fit, as one who has the journal's key can."""
    database = sqlite3.connect(path)
    database.execute(sql)
    journal_id = database.execute("SELECT value FROM meta WHERE name = 'journal_id'").fetchone()[0]
    chain, seq = chain_start(journal_id), 0
    for row in database.execute("SELECT * FROM entries ORDER BY seq").fetchall():
        seq, chain = row[0], chain_next(chain, digest(row[:-1]))
        database.execute("UPDATE entries SET chain = ? WHERE seq = ?", (chain, seq))
    database.execute("UPDATE head SET seq = ?, chain = ?", (seq, chain))
    if key is not None:
        database.execute("UPDATE head SET mac = ?", (MasterKey(key).head_mac(journal_id, seq, chain),))
    database.commit()
    database.close()


def test_each_rounds_end_is_signed_and_the_keys_follow_from_the_first(path: Path) -> None:
    play(path, 3)
    heads = read_heads(heads_file(path))
    assert heads is not None
    assert heads.broken is None
    assert heads.heads[-1].seq == 12
    assert heads.heads[-1].wall_ms == 1_700_000_000_000
    verification = found(path, Elsewhere(first_key=heads.first.key))
    assert (verification.sound, verification.signed) == (True, heads)


def test_entries_between_two_rounds_are_signed_after_a_while_and_at_rest_nothing_is(tmp_path: Path) -> None:
    signer = HeadSigner(tmp_path / "j", b"j" * 16, None)
    signer.make_ready()
    signing = Signing(signer, lambda: 1.0, span=0.01)
    signing.start(Head(0, CHAIN, b""))
    signing.committed(Head(7, CHAIN, b""), due=False)
    while (end := read_end(heads_file(tmp_path / "j"))) is None or end.last is None:
        pass  # no time of ours: the thread's
    assert end.last.seq == 7
    signing.stop()
    assert read_end(heads_file(tmp_path / "j")) == end, "nothing new came"
    assert signing.error is None


def test_at_rest_the_last_entry_is_signed_again_where_a_witness_wants_it(path: Path) -> None:
    def heads() -> Heads:
        found = read_heads(heads_file(path))
        assert found is not None
        return found

    play(path)
    count = len(heads().heads)
    with closing(Journal.open(path, KEY, sign_at_rest=0.01)):
        while len(heads().heads) < count + 3:
            pass  # no time of ours: the thread's
    told = heads()
    assert told.broken is None
    assert {head.seq for head in told.heads[count:]} == {told.heads[count - 1].seq}
    assert found(path, Elsewhere(first_key=told.first.key)).sound


def test_a_key_that_has_signed_is_nowhere_on_the_disk(path: Path) -> None:
    Journal.open(path, KEY).close()
    seen: set[bytes] = set()
    for number in range(1, 4):
        before = _private_keys(path)
        play(path, first=number)
        after = _private_keys(path)
        assert len(before) == len(after) == 2
        end = read_end(heads_file(path))
        assert end is not None
        publics = _public_keys(path)
        assert end.key in publics
        heads = read_heads(heads_file(path))
        assert heads is not None
        signed_with = {heads.first.key, *(head.next_key for head in heads.heads[:-1])}
        assert not signed_with & publics
        seen |= before
    assert not seen & _private_keys(path)
    assert signer_file(path).stat().st_mode & 0o777 == 0o600
    assert heads_file(path).stat().st_mode & 0o777 == 0o640


def _private_keys(path: Path) -> set[bytes]:
    content = signer_file(path).read_bytes()
    return {content[at + 32 : at + 64] for at in (0, SLOT_BYTES)}


def test_who_has_every_key_of_the_table_cannot_write_anew_what_was_signed(path: Path) -> None:
    play(path, 3)
    rechain(path, "UPDATE entries SET t = 99.0 WHERE seq = 7")
    assert faults(path) == [(FaultKind.REWRITTEN, 5)]  # between the head of entry 4 and that of entry 8
    [fault] = found(path).faults
    assert "the entries 5 to 8" in fault.text
    with pytest.raises(JournalCorrupt, match="entry 12 is not the one that was signed"):
        Journal.open(path, KEY)


def test_heads_made_anew_have_another_first_key(path: Path) -> None:
    play(path, 2)
    with JournalReader.open(path) as reader:
        first_key = reader.first_key()
    rechain(path, "UPDATE entries SET t = 99.0 WHERE seq = 7")
    for file in (heads_file(path), signer_file(path)):
        file.unlink()
    database = sqlite3.connect(path)
    database.execute("DELETE FROM meta WHERE name = 'first_key'")
    database.commit()
    database.close()
    play(path, first=3)
    assert found(path).sound  # said plainly: it must be known from elsewhere
    assert faults(path, Elsewhere(first_key=first_key)) == [(FaultKind.SIGNATURE, 1)]


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _gone(path: Path) -> None:
    path.unlink()


def _older(path: Path) -> None:
    older = path.read_bytes()
    play(path, first=2)
    path.write_bytes(older)


def _of_another(path: Path) -> None:
    other = path.with_name("other.journal")
    play(other)
    shutil.copy(heads_file(other), heads_file(path))


def _another_in_its_place(path: Path) -> None:
    other = path.with_name("other.journal")
    play(other)
    shutil.copy(other, path)
    shutil.copy(other.with_name("other.journal.keys"), path.with_name("table.journal.keys"))


def _without_heads(path: Path) -> None:
    heads_file(path).unlink()


def _without_signer(path: Path) -> None:
    signer_file(path).unlink()


def _older_heads(path: Path) -> None:
    older = heads_file(path).read_bytes()
    play(path, first=2)
    heads_file(path).write_bytes(older)


def _bad_heads(path: Path) -> None:
    heads_file(path).write_bytes(b"nothing of the kind\n")


def _last_signature_zeroed(path: Path) -> None:
    """Which a start cannot tell from a line that a power cut tore, until it looks for the key."""
    content = heads_file(path).read_bytes().rstrip(b"\0")
    heads_file(path).write_bytes(content[:-129] + b"0" * 128 + b"\n")


def _changed_line(path: Path) -> None:
    play(path, 2, first=2)
    lines = heads_file(path).read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b" ", b" 1", 1)
    heads_file(path).write_bytes(b"\n".join(lines))


REFUSED: dict[str, tuple[Callable[[Path], None], type[JournalError], str]] = {
    "0 bytes": (_empty, JournalMissing, "the record is gone, and its signed heads"),
    "gone": (_gone, JournalMissing, "the record is gone, and its signed heads"),
    "an older copy": (_older, JournalCorrupt, "it ends at entry 4, and its signed head says that it goes to entry 8"),
    "another's heads": (_of_another, JournalKeyWrong, "are those of another record"),
    "another's record": (_another_in_its_place, JournalKeyWrong, "are those of another record"),
    "no heads": (_without_heads, JournalMissing, "has signed heads, and their file"),
    "no keys": (_without_signer, JournalKeyWrong, "is not in table.journal.signer"),
    "older heads": (_older_heads, JournalKeyWrong, "is not in table.journal.signer"),
    "a zeroed signature": (_last_signature_zeroed, JournalKeyWrong, "is not in table.journal.signer"),
    "no heads at all": (_bad_heads, JournalCorrupt, "does not begin as one"),
    "a changed head": (_changed_line, JournalCorrupt, "is not as it was signed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_start_refuses_what_the_signed_head_contradicts_says_the_remedy_and_changes_nothing(
    path: Path, case: str
) -> None:
    damage, error, words = REFUSED[case]
    play(path)
    damage(path)
    files = {file: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith(".lock")}
    for _ in range(2):
        with pytest.raises(error, match=words) as refused:
            Journal.open(path, KEY)
        assert "feltd journal set-aside" in refused.value.remedy
    after = {file: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith((".lock", "-shm"))}
    assert {file: content for file, content in after.items() if content or file in files} == files
    told = list(missing_record_faults(path)) or list(record_faults(path, list, KEY))
    assert any(refused.value.what in text for text in told)


def test_a_check_beside_a_table_that_signs_takes_its_newest_head(path: Path) -> None:
    """The key that the older head names was destroyed between the two looks."""
    play(path)
    end = read_end(heads_file(path))
    play(path, first=2)
    require_signing_key(path, end)
    require_signing_key(path, None)
    heads_file(path).unlink()
    with pytest.raises(JournalKeyWrong, match=r"is not in table\.journal\.signer"):
        require_signing_key(path, end)


def test_a_check_by_who_may_not_read_the_keys_says_nothing_of_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(path)
    _last_signature_zeroed(path)
    monkeypatch.setattr(os, "access", lambda _file, _mode, **_ids: False)
    assert list(record_faults(path, list, KEY)) == []


@pytest.mark.parametrize("torn", [1, 40, 200])
def test_a_line_that_a_power_cut_tore_is_cut_off_and_signed_anew(path: Path, torn: int) -> None:
    play(path)
    with heads_file(path).open("ab") as file:
        file.write(b"9 1700000000000 " + b"0" * torn)
    play(path, first=2)
    assert found(path).sound


STRAY = f"9 1700000000000 {'00' * 32} {'00' * 32} {'00' * 64}"


@pytest.mark.parametrize("line", [STRAY, "garbage"])
def test_a_whole_line_that_nobody_signed_is_put_aside_and_entered_before_it_is_written_over(
    path: Path, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    play(path)
    with heads_file(path).open("a") as file:
        file.write(f"{line}\n")
    assert faults(path) == [(FaultKind.SIGNATURE, 5)]
    assert list(record_faults(path, list, KEY)) == [], "a start goes on"
    assert any("puts it into table.journal.stray-heads" in note for note in record_notes(path))
    play(path, first=2)
    kept = stray_file(path)
    assert kept.read_text() == f"{line}\n"
    assert kept.stat().st_mode & 0o777 == 0o640
    with JournalReader.open(path) as reader:
        [note] = [json.loads(row.body) for row in reader.host_entries(HostEntry.NOTE)]
    digest = hashlib.sha256(f"{line}\n".encode()).hexdigest()
    told = {"file": kept.name, "bytes": len(line) + 1, "sha256": digest, "behind": 4}
    assert note == {"note": STRAY_HEAD_NOTE, **told}
    assert "no key of this record has signed" in caplog.text
    assert any(f"{kept} is there" in said for said in record_notes(path))
    assert found(path).sound
    play(path, first=3)
    assert kept.read_text() == f"{line}\n", "told once"


def test_a_second_such_line_is_kept_beside_the_first_and_goes_aside_with_the_record(path: Path) -> None:
    play(path)
    for number in (2, 3):
        with heads_file(path).open("a") as file:
            file.write(f"{number}\n")
        play(path, first=number)
    assert stray_file(path).read_text() == "2\n3\n"
    aside = set_aside(path, KEY, None, {"who": "A. Berg", "why": "looked at"})
    assert (aside.folder / stray_file(path).name).exists()
    assert not stray_file(path).exists()


def test_no_head_is_signed_over_such_a_line_before_the_note_of_it_is_on_the_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(path)
    with monkeypatch.context() as unsigned:
        unsigned.setattr(HeadSigner, "sign", lambda *_args, **_named: None)
        play(path, first=2)
    with heads_file(path).open("a") as file:
        file.write(f"{STRAY}\n")
    content = heads_file(path).read_bytes()

    def refuses(_writer: Writer, _rows: object) -> Head:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as failing:
        failing.setattr(Writer, "_insert", refuses)
        journal = Journal.open(path, KEY)
        with pytest.raises(JournalClosed):
            journal.close()
    assert heads_file(path).read_bytes() == content, "the next start finds it again"
    play(path, first=3)
    with JournalReader.open(path) as reader:
        [note] = [json.loads(row.body) for row in reader.host_entries(HostEntry.NOTE)]
    assert (note["note"], note["behind"]) == (STRAY_HEAD_NOTE, 4)
    assert found(path).sound


def test_a_line_that_cannot_be_put_aside_is_not_written_over(path: Path) -> None:
    play(path)
    with heads_file(path).open("a") as file:
        file.write("garbage\n")
    content = heads_file(path).read_bytes()
    stray_file(path).mkdir()
    with pytest.raises(JournalDisk, match="a line behind the signed heads cannot be put aside"):
        Journal.open(path, KEY)
    assert heads_file(path).read_bytes() == content


def test_two_such_lines_keep_a_start_away(path: Path) -> None:
    play(path)
    with heads_file(path).open("a") as file:
        file.write(f"{STRAY}\n{STRAY}\n")
    with pytest.raises(JournalCorrupt, match="is not as it was signed"):
        Journal.open(path, KEY)


def signed(path: Path, heads: int) -> HeadSigner:
    """A signer that has signed so many heads, and not ended."""
    signer = HeadSigner(path, b"j" * 16, None)
    signer.make_ready()
    for seq in range(1, heads + 1):
        signer.sign(seq, CHAIN, seq)
    return signer


def sequence(path: Path) -> tuple[list[int], int | None]:
    heads = read_heads(heads_file(path))
    assert heads is not None
    return [head.seq for head in heads.heads], heads.broken


def test_a_head_goes_in_its_place_and_the_file_grows_once_in_many(path: Path) -> None:
    signer, sizes = signed(path, 1), set()
    for seq in range(2, 101):
        signer.sign(seq, CHAIN, seq)
        sizes.add(heads_file(path).stat().st_size)
        assert sequence(path) == (list(range(1, seq + 1)), None)
    assert len(sizes) < 10
    content = heads_file(path).read_bytes()
    assert content.endswith(b"\n" + bytes(len(content) - len(content.rstrip(b"\0"))))
    signer.close()
    assert heads_file(path).read_bytes() == content.rstrip(b"\0")


@given(lost=st.sets(st.integers(0, 1)), heads=st.integers(1, 60))
def test_a_line_whose_sectors_a_power_cut_lost_counts_for_nothing_and_its_key_signs_on(
    tmp_path_factory: pytest.TempPathFactory, lost: set[int], heads: int
) -> None:
    """Each sector that a head was written to is as it was before, or as it is after."""
    path = tmp_path_factory.mktemp("cut") / "table.journal"
    signer = signed(path, heads)
    file = heads_file(path)
    before, keys = file.read_bytes(), signer_file(path).read_bytes()
    signer.sign(heads + 1, CHAIN, heads + 1)
    after = file.read_bytes()
    changed = [at for at in range(0, len(after), 512) if before[at : at + 512] != after[at : at + 512]]
    left = bytearray(after if len(after) == len(before) else before.ljust(len(after), b"\0"))
    for number, at in enumerate(changed[:2]):
        left[at : at + 512] = (before if number in lost else after)[at : at + 512].ljust(512, b"\0")
    file.write_bytes(left[: len(after)])
    whole = bytes(left) == after
    assert sequence(path) == (list(range(1, heads + 1 + whole)), None)
    signer_file(path).write_bytes(keys)
    end = read_end(file)
    assert end is not None
    again = HeadSigner(path, b"j" * 16, end)
    again.make_ready()
    again.sign(heads + 2, CHAIN, heads + 2)
    assert sequence(path) == ([*range(1, heads + 1 + whole), heads + 2], None)


def test_a_full_disk_that_takes_a_part_of_a_head_is_told_and_the_head_is_written_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer, written = signed(path, 1), os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: written(file, data[:100], at))
    with pytest.raises(JournalDisk, match="No space left"):
        signer.sign(2, CHAIN, 2)
    monkeypatch.setattr(os, "pwrite", written)
    signer.sign(3, CHAIN, 3)
    assert sequence(path) == ([1, 2, 3], None)


def test_a_zero_within_the_heads_is_no_room_behind_them(path: Path) -> None:
    signed(path, 3).close()
    content = bytearray(heads_file(path).read_bytes())
    content[content.index(b"\n2 ") + 10] = 0
    heads_file(path).write_bytes(content)
    assert sequence(path) == ([1], 3)


def test_a_cut_between_a_head_and_the_destruction_of_its_key_destroys_it_at_the_next_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = HeadSigner(path, b"j" * 16, None)
    signer.make_ready()
    spent = read_end(heads_file(path))
    assert spent is not None

    def refuse(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(HeadSigner, "_put", refuse)
        with pytest.raises(JournalDisk, match="cannot be destroyed"):
            signer.sign(1, CHAIN, 1)
    assert spent.key in _public_keys(path)
    again = HeadSigner(path, b"j" * 16, read_end(heads_file(path)))
    assert spent.key in _public_keys(path), "before the record is found to open, nothing is destroyed"
    again.make_ready()
    assert spent.key not in _public_keys(path)
    again.sign(2, CHAIN, 2)
    heads = read_heads(heads_file(path))
    assert heads is not None
    assert (heads.broken, [head.seq for head in heads.heads]) == (None, [1, 2])


def _public_keys(path: Path) -> set[bytes]:
    return {Ed25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw() for key in _private_keys(path)}


def test_a_head_that_could_not_be_written_is_written_later_and_no_other_has_its_key(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = HeadSigner(path, b"j" * 16, None)
    signer.make_ready()
    synced = os.fdatasync

    def refuse(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", refuse)
    with pytest.raises(JournalDisk, match="cannot be written"):
        signer.sign(1, CHAIN, 1)
    monkeypatch.setattr(os, "fdatasync", synced)
    signer.sign(2, CHAIN, 2)
    heads = read_heads(heads_file(path))
    assert heads is not None
    assert (heads.broken, [head.seq for head in heads.heads]) == (None, [1, 2])


def test_a_record_of_an_earlier_version_is_signed_as_far_as_its_key_vouches_for_it(path: Path) -> None:
    play(path)
    for file in (heads_file(path), signer_file(path)):
        file.unlink()
    database = sqlite3.connect(path)
    database.execute("DELETE FROM meta WHERE name = 'first_key'")
    database.commit()
    database.close()
    Journal.open(path, KEY).close()
    heads = read_heads(heads_file(path))
    assert heads is not None
    assert [head.seq for head in heads.heads] == [4]
    assert found(path, Elsewhere(first_key=heads.first.key)).sound


def test_a_witness_finds_a_record_put_back_with_all_its_files(path: Path) -> None:
    play(path)
    kept = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    play(path, first=2)
    witness = read_heads(heads_file(path))
    for name, content in kept.items():
        path.with_name(name).write_bytes(content)
    assert found(path).sound
    assert faults(path, Elsewhere(witness=witness)) == [(FaultKind.CUT_OFF, 5)]


def test_a_head_of_another_journal_is_no_head_of_this_one() -> None:
    key = Ed25519PrivateKey.generate()
    signature = key.sign(message_of(b"a" * 16, 1, 2, CHAIN, CHAIN))
    head = SignedHead(1, 2, CHAIN, CHAIN, signature)
    public = key.public_key().public_bytes_raw()
    assert head.is_by(public, b"a" * 16)
    assert not head.is_by(public, b"b" * 16)
    assert SignedHead.parse(str(head)) == head


@pytest.mark.parametrize(
    "line", ["", "1 2 3", "01 2 {0} {0} {1}", "-1 2 {0} {0} {1}", "1 2 {0} {0} {0}", "1  2 {0} {0} {1}"]
)
def test_a_line_that_is_no_head_breaks_the_file_there(path: Path, line: str) -> None:
    play(path)
    with heads_file(path).open("a") as file:
        file.write(line.format("00" * 32, "00" * 64) + "\n")
    heads = read_heads(heads_file(path))
    assert heads is not None
    assert heads.broken == len(heads.heads) + 2
    assert faults(path) == [(FaultKind.SIGNATURE, 5)]


def test_set_aside_keeps_all_of_the_record_and_begins_one_that_joins_on(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    play(path)
    (tmp_path / "exports").mkdir()
    (tmp_path / "journal.key").write_bytes(KEY)
    (tmp_path / "journal.key").chmod(0o600)
    before, heads = path.read_bytes(), read_heads(heads_file(path))
    assert heads is not None
    _empty(path)
    config = tmp_path / "table.toml"
    config.write_text(
        '[table]\nname = "7"\nrulebook = "tas-2018-holdem"\nseats = [1, 2]\nbutton = 1\n'
        f'[journal]\npath = "{path}"\nsealing_key_file = "{tmp_path / "journal.key"}"\n'
    )
    answer = CliRunner().invoke(cli, ["journal", "set-aside", str(config), "--who", "A. Berg", "--why", "case 1"])
    assert answer.exit_code == 0, answer.output
    [aside] = tmp_path.glob("aside-*")
    names = {file.name for file in aside.iterdir()}
    assert {"table.journal", "table.journal.keys", "table.journal.heads", "table.journal.signer", "exports"} <= names
    with JournalReader.open(path) as reader:
        [row] = reader.rows(Span(name=HostEntry.NOTE))
    note = json.loads(row.body)
    assert (note["note"], note["who"], note["why"], note["folder"]) == (SET_ASIDE_NOTE, "A. Berg", "case 1", aside.name)
    assert note["before"] == {
        "journal": heads.first.journal_id.hex(),
        "first_key": heads.first.key.hex(),
        "entry": 4,
        "chain": heads.heads[-1].chain.hex(),
    }
    assert found(path).sound
    assert before


def test_a_note_of_a_record_set_aside_that_no_head_signs_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(path)

    def full(*_: object, **__: object) -> None:
        raise JournalDisk("no room for a head", path, "Make room")

    monkeypatch.setattr(HeadSigner, "sign", full)
    with pytest.raises(JournalDisk, match=r"entry 1 is on record, and no head signs it: .*no room for a head") as told:
        set_aside(path, KEY, None, {"who": "A. Berg", "why": "looked at"})
    [folder] = path.parent.glob("aside-*")
    assert f"the record before is in {folder}" in str(told.value)
    assert "do not repeat it" in str(told.value)


def test_an_export_has_the_signed_head_that_covers_its_last_entry(path: Path) -> None:
    play(path, rounds=3)
    heads = read_heads(heads_file(path))
    assert heads is not None
    with JournalReader.open(path) as reader:
        last = reader.head().seq
        for first, until in ((1, 1), (2, 5), (1, last)):
            lines = list(export(reader, first, until))
            number, head = next((n, head) for n, head in enumerate(heads.heads) if head.seq >= until)
            signer = heads.first.key if number == 0 else heads.heads[number - 1].next_key
            ending = json.loads(lines[-1])
            assert (ending["signed_head"], ending["signed_by"]) == (str(head), signer.hex())
            proof = verify_export(lines, heads=heads)
            assert (proof.last, proof.anchor.seq, proof.signed) == (until, head.seq, head.seq)
        assert "signed_head" in list(export_round(reader, 2))[-1]
        through = heads.heads[0].seq + 1
        assert "signed_head" not in json.loads(list(export(reader, 1, 1, through=through))[-1])


def test_a_part_that_is_sound_is_exported_where_what_follows_it_was_changed(path: Path) -> None:
    play(path)
    database = sqlite3.connect(path)
    last = database.execute("SELECT max(seq) FROM entries").fetchone()[0]
    heads = read_heads(heads_file(path))
    assert heads is not None
    until = heads.heads[0].seq - 1
    database.execute("UPDATE entries SET wall = wall + 1 WHERE seq = ?", (until + 1,))
    database.commit()
    database.close()
    assert until + 1 <= last
    with JournalReader.open(path) as reader:
        assert verify_export(export(reader, 1, until)).anchor.seq == until


@pytest.mark.parametrize("change", ["seq", "signature", "key", "no key", "no head"])
def test_an_export_whose_signed_head_was_changed_does_not_hold(path: Path, change: str) -> None:
    play(path)
    with JournalReader.open(path) as reader:
        lines = list(export(reader, 1, reader.head().seq))
    ending = json.loads(lines[-1])
    head = SignedHead.parse(ending["signed_head"])
    match change:
        case "seq":
            ending["signed_head"] = str(replace(head, seq=head.seq - 1))
        case "signature":
            ending["signed_head"] = str(replace(head, signature=bytes(64)))
        case "key":
            ending["signed_by"] = "ab" * 32
        case "no key":
            del ending["signed_by"]
        case _:
            ending["signed_head"] = "1 2 3"
    with pytest.raises(JournalExportInvalid):
        verify_export([*lines[:-1], json.dumps(ending)])


@pytest.mark.parametrize("fault", ["gone", "another's", "not of the chain", "shorter"])
def test_an_export_without_a_signed_head_ends_in_its_own_last_entry(path: Path, fault: str) -> None:
    play(path)
    heads = heads_file(path)
    match fault:
        case "gone":
            heads.unlink()
        case "another's":
            heads.write_text("no heads\n")
        case "not of the chain":
            rechain(path, "UPDATE entries SET wall = wall + 1 WHERE seq = 1")
        case _:
            heads.write_bytes(heads.read_bytes().split(b"\n")[0] + b"\n")
    with JournalReader.open(path) as reader:
        last = reader.head().seq
        lines = list(export(reader, 1, last))
    assert list(json.loads(lines[-1])) == ["anchor"]
    assert verify_export(lines).anchor.seq == last


def test_a_head_is_found_in_a_long_file_without_reading_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signer = HeadSigner(path, b"j" * 16, None)
    signer.make_ready()
    for seq in range(10, 3000, 10):
        signer.sign(seq, CHAIN, seq)
    file = heads_file(path)
    heads = read_heads(file)
    assert heads is not None
    keys = [heads.first.key, *(head.next_key for head in heads.heads)]
    read: list[int] = []
    content = signed_heads._content

    def counted(*asked: Any, **more: Any) -> bytes | None:
        got = content(*asked, **more)
        read.append(len(got or b""))
        return got

    monkeypatch.setattr(signed_heads, "_content", counted)
    for seq in (1, 10, 11, 20, 155, 1490, 1491, 2980, 2990):
        found_at = head_behind(file, b"j" * 16, seq)
        number = (max(seq, 1) + 9) // 10 - 1
        assert found_at is not None
        assert (found_at.head, found_at.key) == (heads.heads[number], keys[number]), seq
        assert sum(read) < 80 * LONGEST_LINE
        read.clear()
    assert head_behind(file, b"j" * 16, 2991) is None
    assert head_behind(file, b"k" * 16, 10) is None
