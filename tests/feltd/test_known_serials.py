"""Which device was in which place: another one is noticed, over restarts too, until somebody accepts it."""

import logging
from pathlib import Path

import pytest

from feltd.table.links.known_serials import KnownSerials


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "devices.json"


def test_the_first_device_in_a_place_replaces_nobody(file: Path) -> None:
    serials = KnownSerials(file)
    assert serials.seen("shoe", "S1") is None
    assert serials.replaced("shoe") is None
    assert serials.devices == ("shoe",)


def test_another_device_is_noticed_after_a_restart_and_until_it_is_accepted(file: Path) -> None:
    KnownSerials(file).seen("shoe", "S1")
    assert KnownSerials(file).seen("shoe", "S2") == "S1"
    serials = KnownSerials(file)
    assert serials.seen("shoe", "S2") is None  # told once
    assert serials.replaced("shoe") == "S1"
    serials.accept("shoe")
    assert KnownSerials(file).replaced("shoe") is None
    assert KnownSerials(file).seen("shoe", "S2") is None


def test_the_one_before_is_the_last_that_was_in_order(file: Path) -> None:
    serials = KnownSerials(file)
    for serial in ("S1", "S2", "S3"):
        serials.seen("shoe", serial)
    assert serials.replaced("shoe") == "S1"
    assert serials.seen("shoe", "S1") == "S3"
    assert serials.replaced("shoe") is None  # it is back


def test_accepting_where_nothing_was_replaced_changes_nothing(file: Path) -> None:
    serials = KnownSerials(file)
    serials.accept("shoe")
    assert not file.exists()


def test_a_file_that_cannot_be_read_is_learnt_anew(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text('{"shoe": 7}')
    with caplog.at_level(logging.WARNING):
        serials = KnownSerials(file)
    assert "learnt anew" in caplog.text
    assert serials.seen("shoe", "S1") is None
    assert KnownSerials(file).seen("shoe", "S2") == "S1"


def test_a_folder_that_cannot_be_written_is_told_and_does_no_harm(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    serials = KnownSerials(tmp_path / "nowhere" / "devices.json")
    serials.seen("shoe", "S1")
    assert "cannot be kept" in caplog.text
    assert serials.seen("shoe", "S2") == "S1"
