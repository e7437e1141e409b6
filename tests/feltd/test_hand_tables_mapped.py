"""The file of hand tables as the table's process maps it."""

import errno
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from feltd.table.host import hand_tables
from feltd.table.host.hand_tables import map_hand_tables
from table_fsm.poker.hands.made_before import PAGE, hand_file
from table_fsm.poker.hands.order import Ace, HandOrder
from table_fsm.poker.hands.tables import HandTable, name_of_high

Taken = dict[str, Callable[[], HandTable | None]]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """What the process would look hands up in."""
    found: Taken = {}

    def take(tables: Mapping[str, Callable[[], HandTable | None]]) -> None:
        found.update(tables)

    monkeypatch.setattr(hand_tables, "take_made_before", take)
    return found


def test_a_table_is_read_where_it_lies(tmp_path: Path, taken: Taken, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "hands"
    file.write_bytes(hand_file())
    map_hand_tables(file)
    file.unlink()  # as an upgrade does in a round: what is mapped stays
    table = taken[name_of_high(*HandOrder().high_words)]()
    assert table is not None
    assert isinstance(table.mixed, memoryview)
    assert table.mixed.readonly
    assert table.strength(["As", "Ks", "Qs", "Js", "Ts"], one_suit=True) == 7461
    assert caplog.messages == []


@pytest.mark.parametrize("from_byte", [0, 2 * PAGE])
def test_what_the_disk_cannot_read_is_logged_and_made(
    tmp_path: Path, taken: Taken, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, from_byte: int
) -> None:
    """Mapped memory was read instead: the kernel ended the process there, and each one that was started after it."""
    file = tmp_path / "hands"
    file.write_bytes(hand_file())
    theirs = os.pread

    def fails(opened: int, many: int, at: int) -> bytes:
        if at >= from_byte:
            raise OSError(errno.EIO, "Input/output error")
        return theirs(opened, many, at)

    monkeypatch.setattr(os, "pread", fails)
    map_hand_tables(file)
    name = name_of_high(*HandOrder().high_words)
    assert (taken == {}) == (from_byte == 0)
    if taken:
        assert taken[name]() is None
    [said] = caplog.messages
    assert "Input/output error" in said
    assert said.startswith(str(file))


def test_a_file_that_was_cut_since_is_logged_and_made(
    tmp_path: Path, taken: Taken, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "hands"
    file.write_bytes(hand_file())
    map_hand_tables(file)
    os.truncate(file, 3 * PAGE)
    assert taken[name_of_high(*HandOrder().high_words)]() is None
    [said] = caplog.messages
    assert "it ends before" in said


def test_without_a_file_nothing_is_taken_and_nothing_said(
    tmp_path: Path, taken: Taken, caplog: pytest.LogCaptureFixture
) -> None:
    map_hand_tables(tmp_path / "none")
    assert (taken, caplog.messages) == ({}, [])


@pytest.mark.parametrize("content", [b"", b"something else"])
def test_a_file_that_is_none_is_logged_and_the_table_plays(
    tmp_path: Path, taken: Taken, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "hands"
    file.write_bytes(content)
    map_hand_tables(file)
    assert taken == {}
    [said] = caplog.messages
    assert said.startswith(str(file))
    assert said.endswith("tables of hands are made instead")


def test_a_bit_that_a_card_lost_is_logged_once_the_table_is_wanted(
    tmp_path: Path, taken: Taken, caplog: pytest.LogCaptureFixture
) -> None:
    content = bytearray(hand_file())
    content[2 * PAGE] ^= 4
    file = tmp_path / "hands"
    file.write_bytes(content)
    map_hand_tables(file)
    assert caplog.messages == []
    name = name_of_high(*HandOrder(ace=Ace.HIGH).high_words)
    assert taken[name]() is None
    assert [(record.levelno, name in record.getMessage()) for record in caplog.records] == [(logging.ERROR, True)]
