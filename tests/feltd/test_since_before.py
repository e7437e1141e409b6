"""What root changes alone while a table is stopped, a start names in the log and in the record."""

import sys
from pathlib import Path
from typing import Any

import pytest

import feltd.table.keeper.since_before as comparing
from feltd.record import JournalReader, Span
from feltd.record.notes import START_NOTE
from feltd.table.config.config import load_config, read_config
from feltd.table.daemon.daemon import opened
from feltd.table.journal import Journal
from tests.feltd.installed_support import JOURNAL_KEY, installed, own_table
from tests.feltd.seal_support import OTHER, PUBLIC


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return own_table(tmp_path)


def remarks(file: Path) -> list[str]:
    """Start the table; what its note remarks."""
    with opened(load_config(file)):
        pass
    with JournalReader.open(file.with_name("table.journal")) as reader:
        *_, note = [entry.body for entry in reader.entries(Span(name="note")) if entry.body["note"] == START_NOTE]
    found: list[str] = note["remarks"]
    return found


def add(file: Path, text: str) -> None:
    with file.open("a") as more:
        more.write(text)


def test_a_first_start_and_one_after_which_nothing_changed_say_nothing(file: Path) -> None:
    assert remarks(file) == []
    add(file, "# words for people\n\n")
    assert remarks(file) == []


def test_another_key_for_unsealing_is_named_with_the_one_before(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert remarks(file) == []
    add(file, f'[record]\nsealed_to = "{PUBLIC}"\n')
    first = remarks(file)
    said = "since the start before: cards that no round shows are sealed to"
    assert first == [
        f"{said} the key {PUBLIC.fingerprint}, no more to nobody's key",
        "since the start before: the table's file says otherwise in record",
    ]
    assert first[0] in caplog.messages
    file.write_text(file.read_text().replace(str(PUBLIC), str(OTHER.public)))
    assert remarks(file)[0] == f"{said} the key {OTHER.fingerprint}, no more to the key {PUBLIC.fingerprint}"
    assert remarks(file) == []


def test_another_text_of_the_book_is_named_even_under_its_old_name(file: Path) -> None:
    assert remarks(file) == []
    [book] = (file.parent / "books").iterdir()
    book.write_text(book.read_text().replace("Our own", "Ours"))
    [said] = remarks(file)
    assert said.startswith(f"since the start before: the rulebook {book.stem} has another text (SHA-256 ")


def test_another_program_is_named(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(installed(tmp_path / "root")))
    assert remarks(file) == []
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "a-checkout"))
    [said] = remarks(file)
    assert said.startswith("since the start before: the program is another package: none (not installed from one); it")
    assert said.endswith(", signed")


def test_what_is_put_in_or_taken_out_of_the_file_is_named_by_its_section(file: Path) -> None:
    assert remarks(file) == []
    add(file, '[page]\nhost = "127.0.0.1"\n')
    assert remarks(file) == ["since the start before: the table's file says otherwise in page"]
    text = file.read_text()
    file.write_text(text.replace('"keys/shoe.key"', '"keys/keys.key"').replace('[page]\nhost = "127.0.0.1"\n', ""))
    assert remarks(file) == ["since the start before: the table's file says otherwise in device, page"]


@pytest.mark.parametrize("before", [{}, {"rulebooks": ["x"], "package": "?", "file": 7, "sealed_to": None}])
def test_notes_of_earlier_versions_are_no_fault(file: Path, before: dict[str, Any]) -> None:
    journal = Journal.open(file.with_name("table.journal"), JOURNAL_KEY)
    journal.append_note(START_NOTE, before)
    journal.close()
    assert [said for said in remarks(file) if "since the start before" in said] == []


def test_how_far_it_looks_back_is_bounded_and_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "FAR", 3)
    assert remarks(file) == []
    journal = Journal.open(file.with_name("table.journal"), JOURNAL_KEY)
    for _ in range(3):
        journal.append_note("something")
    journal.close()
    assert remarks(file) == ["the start before is more than 3 notes back: what stands otherwise was not compared"]


def test_the_digests_are_of_what_the_file_says_and_not_of_how(file: Path) -> None:
    text = file.read_text()
    table, journal, *devices = text.replace("[[", "\n[[").split("\n[")
    turned = "\n[".join(["", journal, *devices, table.removeprefix("[")])
    assert read_config(text, "t", file.parent).written == read_config(turned, "t", file.parent).written
    assert set(read_config(text, "t", file.parent).written) == {"table", "journal", "device"}
