"""An export of a record that was forged as a whole, held against the first key that was kept elsewhere."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.record import JournalReader
from feltd.record.export import export, export_round
from feltd.record.signed_heads import heads_file
from tests.record_verifier.forgeries import ENTRIES, Record, all_begun_anew, copied, heads_begun_anew, sound, started

ANOTHER = "ab" * 32


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return sound(tmp_path_factory.mktemp("record"))


def exported(record: Record, folder: Path, round_number: int | None = None) -> Path:
    """The whole record, or one round, as a file."""
    file = folder / "part.jsonl"
    with JournalReader.open(record.path) as reader:
        whole = round_number is None
        lines = export(reader, 1, reader.head().seq) if whole else export_round(reader, round_number or 0)
        file.write_text("".join(f"{line}\n" for line in lines))
    return file


def verify(file: Path, *kept: str) -> Result:
    answer = CliRunner().invoke(cli, ["journal", "verify", str(file), *kept])
    assert answer.exception is None or isinstance(answer.exception, SystemExit)
    return answer


def change(file: Path, number: int, changed: Callable[[dict[str, Any]], None]) -> None:
    lines = file.read_text().splitlines()
    fields = json.loads(lines[number])
    changed(fields)
    lines[number] = json.dumps(fields)
    file.write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("round_number", [None, 4])
def test_a_forged_records_export_names_another_key_than_the_kept_one(
    record: Record, tmp_path: Path, round_number: int | None
) -> None:
    forged = copied(record, tmp_path)
    all_begun_anew(forged)
    part = exported(forged, tmp_path, round_number)
    assert "signed_head" in part.read_text()
    assert verify(part).exit_code == 0
    answer = verify(part, "--first-key", record.first_key)
    assert answer.exit_code == 1
    assert "its first line names another first key than was kept" in answer.output


def test_with_the_kept_key_written_into_it_a_forged_export_is_not_called_proved(record: Record, tmp_path: Path) -> None:
    """Nothing in the file tells it: its first line stands outside the chain. A witness does."""
    forged = copied(record, tmp_path)
    all_begun_anew(forged)
    part = exported(forged, tmp_path)
    change(part, 0, lambda fields: fields.update(first_key=record.first_key))
    answer = verify(part, "--first-key", record.first_key)
    assert answer.exit_code == 0
    assert "signed up to" not in answer.output
    assert "proof only if this anchor equals one that was kept elsewhere" in answer.stderr
    assert "the first key in its first line proves nothing by itself" in answer.stderr
    witnessed = verify(part, "--first-key", record.first_key, "--witness", str(record.witness))
    assert (witnessed.exit_code, "contradicts the signed head of entry" in witnessed.output) == (1, True)


@pytest.mark.parametrize("gone", [True, False])
def test_an_export_that_names_no_first_key_is_a_finding_where_one_was_kept(
    record: Record, tmp_path: Path, gone: bool
) -> None:
    part = exported(record, tmp_path, 2)
    change(part, 0, lambda fields: fields.pop("first_key") if gone else fields.update(first_key=None))
    assert "first key in its first line" not in verify(part).stderr
    answer = verify(part, "--first-key", record.first_key)
    assert answer.exit_code == 1
    assert "its first line names no first key" in answer.output


def test_a_sound_export_names_the_kept_key_and_the_witness_proves_it(record: Record, tmp_path: Path) -> None:
    part = exported(record, tmp_path, 2)
    for kept in ((), ("--first-key", record.first_key)):
        answer = verify(part, *kept)
        assert answer.exit_code == 0
        assert "the first key in its first line proves nothing by itself" in answer.stderr
    answer = verify(part, "--first-key", record.first_key, "--witness", str(record.witness))
    assert (answer.exit_code, answer.stderr) == (0, "")
    assert f"first key {record.first_key}" in answer.stdout
    wrong = verify(part, "--first-key", ANOTHER, "--witness", str(record.witness))
    assert (wrong.exit_code, "the heads' first key is not the one given" in wrong.output) == (1, True)


def test_the_first_head_is_signed_by_the_kept_key_itself_and_is_proof(record: Record, tmp_path: Path) -> None:
    part = exported(record, tmp_path, 1)
    answer = verify(part, "--first-key", record.first_key)
    assert (answer.exit_code, answer.stderr) == (0, "")
    assert f", first key {record.first_key}" in answer.stdout


def test_a_first_line_with_another_key_than_the_witnesss_is_a_finding(record: Record, tmp_path: Path) -> None:
    part = exported(record, tmp_path, 2)
    change(part, 0, lambda fields: fields.update(first_key=ANOTHER))
    answer = verify(part, "--witness", str(record.witness))
    assert (answer.exit_code, "names another first key" in answer.output) == (1, True)


def test_a_start_in_an_export_that_names_another_key_is_a_finding(record: Record, tmp_path: Path) -> None:
    begun_anew, kept = copied(record, tmp_path / "anew"), copied(record, tmp_path / "kept")
    started(kept)
    assert verify(exported(kept, tmp_path), "--first-key", record.first_key).exit_code == 0
    heads_begun_anew(begun_anew)
    part = exported(begun_anew, tmp_path)
    for options in ((), ("--witness", str(heads_file(begun_anew.path)))):
        answer = verify(part, *options)
        assert answer.exit_code == 1
        assert f"the start of entry {ENTRIES + 1} names another first key" in answer.output


@pytest.mark.parametrize("named", ["ab", "no key", 7])
def test_a_first_line_whose_key_is_none_does_not_hold(record: Record, tmp_path: Path, named: object) -> None:
    part = exported(record, tmp_path, 2)
    change(part, 0, lambda fields: fields.update(first_key=named))
    answer = verify(part)
    assert (answer.exit_code, "export, line 1: does not hold" in answer.output) == (1, True)
