"""A byte of an entry that was changed is told, and its entry named: here a sample, by command all of them."""

from itertools import islice
from pathlib import Path

import pytest

from tests.record_verifier import each_byte
from tests.record_verifier.each_byte import COLUMNS, INTO_NULL, Change, Exchange, changes, exchanges, main, missed
from tests.record_verifier.forgeries import ENTRIES, Record, sound
from tests.record_verifier.test_forgeries import with_node


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return sound(tmp_path_factory.mktemp("record"))


def sample(record: Record, every: int) -> list[Change]:
    return list(islice(changes(record), 0, None, every))


def test_every_field_of_every_entry_has_its_bytes(record: Record) -> None:
    every = sample(record, 1)
    assert {change.field for change in every} == set(COLUMNS)
    assert {change.seq for change in every} == set(range(1, ENTRIES + 1))
    assert len([change for change in every if change.field == "chain"]) == 32 * ENTRIES


def test_a_changed_byte_is_told_by_feltd_with_its_entry(record: Record, tmp_path: Path) -> None:
    of_each_field = {change.field: change for change in reversed(sample(record, 1))}
    for change in (*of_each_field.values(), *sample(record, 97)):
        assert list(missed(record, tmp_path, change, other=False)) == []


def of_each_kind(record: Record) -> list[Exchange]:
    """A value that is lost and one that is put in, of each field."""
    return list({(one.field, type(one.put)): one for one in exchanges(record)}.values())


def test_every_field_that_may_have_no_value_gets_one_and_every_other_loses_its_own(record: Record) -> None:
    every = list(exchanges(record))
    assert {one.field for one in every if one.put is None} == set(COLUMNS)
    assert {one.field for one in every if one.put is not None} == set(INTO_NULL) - {"round"}, "all are of a round"
    assert len({(one.seq, one.field) for one in every}) == len(COLUMNS) * ENTRIES


def test_a_value_that_comes_or_goes_is_told_by_feltd_with_its_entry(record: Record, tmp_path: Path) -> None:
    for change in of_each_kind(record):
        assert list(missed(record, tmp_path, change, other=False)) == []


@pytest.mark.slow
@with_node
def test_a_value_that_comes_or_goes_is_told_by_both_verifiers_with_its_entry(record: Record, tmp_path: Path) -> None:
    for change in of_each_kind(record):
        assert list(missed(record, tmp_path, change, other=True)) == []


@pytest.mark.slow
@with_node
def test_a_changed_byte_is_told_by_both_verifiers_with_its_entry(record: Record, tmp_path: Path) -> None:
    for change in sample(record, 211):
        assert list(missed(record, tmp_path, change, other=True)) == []


def test_one_that_is_missed_is_said_and_the_status_is_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--every", "3000"]) == 0
    monkeypatch.setattr(each_byte, "names", lambda said, change: False)
    assert main(["--every", "3000"]) == 1
    said = capsys.readouterr().out
    assert "feltd: Change(seq=1, field='seq', at=0)" in said
    assert said.endswith(" changes, 3 missed\n")
