"""`feltd record`: the key pair, opening cards that no round showed, and what stands of it on record."""

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.record import JournalReader, Span
from feltd.record.export import export_round
from feltd.record.notes import UNSEALED_NOTE
from feltd.record.signed_heads import heads_file, read_heads
from feltd.record.unseal_keys import PrivateKey, PublicKey, read_private_key
from feltd.table.journal import Journal
from feltd.table.journal.signer import HeadSigner
from feltd.text.errors import JournalDisk
from table_fsm.events import CardExposed, CardPlaced, Event, ShoeDeckChecked
from tests.feltd.seal_support import KEY_LINE, OTHER, PRIVATE, PUBLIC, key_file

KEY = bytes(range(32))


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, ["record", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of two rounds that are over and one in play; in each a card that was exposed and one that was not."""
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    for number in (1, 2, 3):
        journal.begin_round(number)
        for event in (
            CardPlaced(t=1.0, zone="seat:1", card="As"),
            CardPlaced(t=1.0, zone="seat:2", card="Kd"),
            CardExposed(t=2.0, zone="seat:1", card="As"),
        ):
            journal.append_event(event, source=None, round_number=number, rulebook_digest=None)
        if number < 3:
            journal.end_round(number)
    journal.close()
    return path


def unseal(file: Path, key: Path, *rounds: int) -> Result:
    wanted = [argument for number in rounds or (1,) for argument in ("--round", str(number))]
    note = file.parent / "note.json"
    return run(
        "unseal", file, "--key", key, *wanted, "--who", "A. Berg", "--why", "dispute 4711", "--note", note, "--json"
    )


def shown(result: Result) -> list[tuple[int, str]]:
    assert result.exit_code == 0, result.output
    return [(said["round"], said["body"]["card"]) for said in map(json.loads, result.stdout.splitlines())]


# -- the pair


def test_a_pair_is_made_and_its_private_half_is_written_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "surveillance.key"
    made = run("key", file)
    assert made.exit_code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    private = read_private_key(file)
    line = made.stdout.splitlines()[1].removeprefix("sealed_to = ").strip('"')
    assert PublicKey.parse(line).fingerprint == private.fingerprint
    assert f"fingerprint: {private.fingerprint}" in made.stderr
    assert file.read_text(encoding="ascii").split()[2] not in made.output
    before = file.read_bytes()
    again = run("key", file)
    assert (again.exit_code, file.read_bytes()) == (2, before)
    assert f"{file}: is there already" in again.stderr
    assert run("key", file, "--show").stdout == made.stdout
    nowhere = run("key", tmp_path / "no" / "folder.key")
    assert nowhere.exit_code == 2
    assert "cannot be written: No such file or directory" in nowhere.stderr


def test_a_link_in_the_files_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link.key").symlink_to(tmp_path / "elsewhere")
    assert run("key", tmp_path / "link.key").exit_code == 2
    assert not (tmp_path / "elsewhere").exists()


PRIVATE_WORDS = KEY_LINE.split()
BAD_KEYS = {
    "this is the public half, which opens nothing": str(PUBLIC),
    "this is no such key": "-----BEGIN PRIVATE KEY-----",
    "the line is not whole: a key line has four words": " ".join(PRIVATE_WORDS[:3]),
    "the line is not whole: its key has not 64": " ".join(
        [*PRIVATE_WORDS[:2], PRIVATE_WORDS[2][:-2], PRIVATE_WORDS[3]]
    ),
    "this key is of version 2": " ".join([PRIVATE_WORDS[0], "2", *PRIVATE_WORDS[2:]]),
    "its fingerprint does not belong to its key": " ".join([*PRIVATE_WORDS[:2], "00" * 32, PRIVATE_WORDS[3]]),
    "must begin with feltd-unseal-private": "",
}


@pytest.mark.parametrize("problem", BAD_KEYS)
def test_a_wrong_key_file_is_named_with_the_remedy_and_never_quoted(tmp_path: Path, path: Path, problem: str) -> None:
    file = tmp_path / "wrong.key"
    file.write_text(BAD_KEYS[problem], encoding="ascii")
    for result in (unseal(path, file), run("key", file, "--show")):
        assert result.exit_code == 2
        assert f"{file}: " in result.stderr
        assert problem in result.stderr
        assert PRIVATE_WORDS[2][:16] not in result.output
    assert not (tmp_path / "note.json").exists()


def test_a_missing_key_file_and_one_that_may_not_be_read_are_named(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no such key file; make a pair with" in unseal(path, tmp_path / "none.key").stderr
    file = key_file(tmp_path)
    opened = Path.open

    def refused(self: Path, *arguments: object, **named: object) -> object:
        if self == file:
            raise PermissionError(13, "Permission denied")
        return opened(self, *arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refused)
    result = unseal(path, file)
    assert result.exit_code == 2
    assert f"{file}: cannot be read: Permission denied; run this as the person" in result.stderr


def test_the_private_half_in_the_configuration_is_refused_and_not_quoted() -> None:
    with pytest.raises(ValueError, match="this is the private half, which must never be at the table") as caught:
        PublicKey.parse(KEY_LINE)
    assert PRIVATE_WORDS[2] not in str(caught.value)
    weak = bytes(32)
    with pytest.raises(ValueError, match="its key seals nothing"):
        PublicKey.parse(f"feltd-unseal-public 1 {weak.hex()} {PublicKey(weak).fingerprint}")


# -- the cards


def test_the_holder_reads_the_cards_of_the_rounds_asked_for(tmp_path: Path, path: Path) -> None:
    key = key_file(tmp_path)
    assert shown(unseal(path, key, 1, 2)) == [(1, "As"), (1, "Kd"), (1, "As"), (2, "As"), (2, "Kd"), (2, "As")]
    note = json.loads((tmp_path / "note.json").read_text(encoding="utf-8"))
    assert (note["who"], note["why"], note["rounds"], note["key"]) == (
        "A. Berg", "dispute 4711", [1, 2], PRIVATE.fingerprint)  # fmt: skip
    assert "Kd" not in (tmp_path / "note.json").read_text(encoding="utf-8")


def test_an_export_is_opened_as_the_journal_is(tmp_path: Path, path: Path) -> None:
    export = tmp_path / "round-2.jsonl"
    with JournalReader.open(path) as reader:
        export.write_text("\n".join(export_round(reader, 2)), encoding="utf-8")
    assert "Kd" not in export.read_text(encoding="utf-8")
    assert shown(unseal(export, key_file(tmp_path), 2)) == [(2, "As"), (2, "Kd"), (2, "As")]
    (tmp_path / "note.json").unlink()
    export.write_text(export.read_text(encoding="utf-8")[:-300], encoding="utf-8")
    cut = unseal(export, key_file(tmp_path), 2)
    assert cut.exit_code == 2
    assert str(export) in cut.stderr
    assert "Export it again from the journal" in cut.stderr
    assert not (tmp_path / "note.json").exists()


def test_a_journal_that_was_cut_is_damage_and_no_crash(tmp_path: Path, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])
    cut = unseal(path, key_file(tmp_path))
    assert cut.exit_code == 2
    assert f"{path}: " in cut.stderr


@pytest.mark.parametrize(
    ("number", "problem"), [(9, "round 9 is not in this record"), (3, "round 3 is not over, or its end is not in this")]
)
def test_a_round_that_is_not_there_or_not_over_is_named(tmp_path: Path, path: Path, number: int, problem: str) -> None:
    result = unseal(path, key_file(tmp_path), number)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_a_check_of_the_pack_after_a_round_keeps_nobody_from_its_cards(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)

    def take(event: Event, number: int) -> int:
        return journal.append_event(event, source=None, round_number=number, rulebook_digest=None)

    journal.begin_round(1)
    take(CardPlaced(t=1.0, zone="seat:1", card="As"), 1)
    journal.end_round(1)
    late = take(ShoeDeckChecked(t=2.0, count=51, missing=["Qh"]), 1)
    journal.flush_blocking()
    found = unseal(path, key_file(tmp_path))
    assert shown(found) == [(1, "As")]
    assert f"note: entry {late} was sealed after its round: it opens once the next round is over" in found.stderr
    (tmp_path / "note.json").unlink()
    journal.begin_round(2)
    take(CardPlaced(t=3.0, zone="seat:1", card="Kd"), 2)
    journal.flush_blocking()
    assert "round 2 is not over" in unseal(path, key_file(tmp_path), 2).stderr
    for number in journal.open_rounds:
        journal.end_round(number)
    journal.close()
    found = unseal(path, key_file(tmp_path))
    assert found.exit_code == 0
    bodies = [json.loads(line)["body"] for line in found.stdout.splitlines()]
    assert [body.get("card") or body["missing"] for body in bodies] == ["As", ["Qh"]]
    assert "note: entry" not in found.stderr


def test_the_key_of_another_record_is_named_by_both_fingerprints(tmp_path: Path, path: Path) -> None:
    file = tmp_path / "other.key"
    file.write_text(f"feltd-unseal-private 1 {bytes(range(32)).hex()} {OTHER.fingerprint}\n", encoding="ascii")
    for result in (
        unseal(path, file),
        CliRunner().invoke(cli, ["journal", "verify", str(path), "--unseal", str(file)]),
        CliRunner().invoke(cli, ["journal", "replay", str(path), "--unseal", str(file)]),
    ):
        assert result.exit_code == 2
        assert f"is sealed to the key {PUBLIC.fingerprint}, and the key given is {OTHER.fingerprint}" in result.output


def test_a_round_that_is_sealed_to_nobodys_key_is_said_to_be(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    journal.append_event(CardPlaced(t=1.0, zone="seat:1", card="As"), source=None, round_number=1, rulebook_digest=None)
    journal.end_round(1)
    journal.close()
    result = unseal(tmp_path / "table.journal", key_file(tmp_path))
    assert result.exit_code == 2
    assert "round 1 is sealed to nobody's key: the table had none" in result.stderr


def test_a_box_or_a_card_that_was_changed_does_not_open(tmp_path: Path, path: Path) -> None:
    key = key_file(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE entries SET sealed = zeroblob(length(sealed)) WHERE seq = 4")
    result = unseal(path, key)
    assert result.exit_code == 1
    assert "entry 4 does not open: it was changed" in result.stderr
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE entries SET body = json_set(body, '$.box', ?) WHERE name = 'round.end'", ["00" * 80])
    (tmp_path / "note.json").unlink()
    result = unseal(path, key)
    assert result.exit_code == 2
    assert "its box (key 2) does not hold the key that sealed it" in result.stderr


# -- on record


def table_file(path: Path) -> Path:
    path.with_name("sealing.key").write_bytes(KEY)
    file = path.with_name("table.toml")
    file.write_text(
        '[table]\nname = "T"\nrulebook = "tas-2018-holdem"\nseats = [1, 2]\n'
        f'[journal]\npath = "{path}"\nsealing_key_file = "sealing.key"\n[record]\nsealed_to = "{PUBLIC}"\n',
        encoding="utf-8",
    )
    return file


def test_the_note_of_a_reading_is_put_on_record(tmp_path: Path, path: Path) -> None:
    assert unseal(path, key_file(tmp_path)).exit_code == 0
    note = tmp_path / "note.json"
    journal = Journal.open(path, KEY)
    journal.end_round(3)
    locked = run("enter", note, table_file(path))
    assert locked.exit_code == 2
    assert "another process writes this journal" in locked.stderr
    journal.close()
    assert run("enter", note, table_file(path)).exit_code == 0
    with JournalReader.open(path) as reader:
        [entry] = reader.entries(Span(name="note"))
    said = entry.body
    assert (said["note"], said["who"], said["why"], said["rounds"]) == (UNSEALED_NOTE, "A. Berg", "dispute 4711", [1])
    assert said["sha256"] == json.loads(note.read_text(encoding="utf-8"))["sha256"]
    heads = read_heads(heads_file(path))
    assert heads is not None
    assert heads.heads[-1].seq == entry.seq, "signed as the command ends: nobody takes it out again"


def test_a_note_that_no_head_signs_is_told(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert unseal(path, key_file(tmp_path)).exit_code == 0

    def full(*_: object, **__: object) -> None:
        raise JournalDisk("no room for a head", path, "Make room")

    monkeypatch.setattr(HeadSigner, "sign", full)
    told = run("enter", tmp_path / "note.json", table_file(path))
    assert told.exit_code == 2
    assert "is on record, and no head signs it: " in told.stderr
    assert "no room for a head" in told.stderr


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text.replace("A. Berg", "B. Berg"), "was changed after it was written"),
        (lambda text: text[:50], "is no note of a reading, or not whole"),
        (lambda text: "[]", "is no note of a reading, or not whole"),
    ],
)
def test_a_note_that_is_not_whole_is_not_put_on_record(
    tmp_path: Path, path: Path, change: "object", problem: str
) -> None:
    assert callable(change)
    assert unseal(path, key_file(tmp_path)).exit_code == 0
    note = tmp_path / "note.json"
    note.write_text(change(note.read_text(encoding="utf-8")), encoding="utf-8")
    result = run("enter", note, table_file(path))
    assert result.exit_code == 2
    assert problem in result.stderr


def test_the_note_of_another_record_is_refused(tmp_path: Path, path: Path) -> None:
    assert unseal(path, key_file(tmp_path)).exit_code == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Journal.open(elsewhere / "table.journal", KEY).close()
    result = run("enter", tmp_path / "note.json", table_file(elsewhere / "table.journal"))
    assert result.exit_code == 2
    assert "is of another record than" in result.stderr


def test_no_key_is_in_what_an_object_says_of_itself() -> None:
    assert repr(PRIVATE) == f"PrivateKey({PRIVATE.fingerprint})"
    assert isinstance(PRIVATE, PrivateKey)
