"""What root changes alone while a table is stopped, a start names in the log and in the record."""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import feltd.table.keeper.since_before as comparing
from feltd.door import Person, StaffMember
from feltd.record import JournalReader, Span
from feltd.record.notes import START_NOTE
from feltd.table.config.config import load_config, read_config
from feltd.table.daemon.daemon import opened
from feltd.table.journal import Journal
from feltd.table.keeper.badge_pins import pins_file_of, put_pin
from feltd.table.keeper.staff import STAFF_KEPT_NOTE, STAFF_LOST_NOTE, STAFF_NOTE
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


def of_badges(file: Path) -> list[str]:
    begin = "since the start before, with no entry of it: "
    return [said.removeprefix(begin) for said in remarks(file) if said.startswith(begin)]


def put(file: Path, badge: str, pin: str | None) -> None:
    put_pin(pins_file_of(file.with_name("table.journal")), JOURNAL_KEY, badge, pin)


def list_staff(file: Path, *members: StaffMember) -> None:
    rows = [dataclasses.asdict(member) for member in members]
    load_config(file).staff_file.write_text(json.dumps({"staff": rows}))


def test_pins_that_were_set_or_taken_away_while_the_table_was_stopped_are_named_by_their_badges(file: Path) -> None:
    put(file, "S1", "2580")
    put(file, "S2", "2580")
    assert of_badges(file) == []
    assert of_badges(file) == []
    put(file, "S1", "1379")
    put(file, "S2", None)
    put(file, "S3", "2580")
    assert of_badges(file) == ["the PINs of these badges were set or taken away: S1, S2, S3"]
    assert of_badges(file) == []
    with JournalReader.open(file.with_name("table.journal")) as reader:
        notes = [entry.body for entry in reader.entries(Span(name="note")) if entry.body["note"] == START_NOTE]
    marks = [mark for note in notes for mark in note["pins"].values()]
    assert len(set(marks)) == 4, "one badge's PIN has one mark, and another badge another for the same digits"
    assert all(len(mark) == 16 for mark in marks)
    assert not {"2580", "1379"} & set(json.dumps(notes[0]["pins"]).split('"'))


def test_pins_that_were_set_while_the_table_ran_are_not_named_again(file: Path) -> None:
    put(file, "S1", "2580")
    with opened(load_config(file)) as daemon:
        put(file, "S1", "1379")
        put(file, "S2", "2580")
        daemon.pins.beat(daemon.journal, lambda _: None)
        put(file, "S2", None)
        daemon.pins.beat(daemon.journal, lambda _: None)
    assert of_badges(file) == []
    put(file, "S2", "2580")
    assert of_badges(file) == ["the PINs of these badges were set or taken away: S2"]


def test_badges_that_were_listed_or_taken_off_while_the_table_was_stopped_are_named(file: Path) -> None:
    anna, bert = StaffMember("S1", "anna", "supervisor", True), StaffMember("S2", "bert", "director", True)
    list_staff(file, anna)
    assert of_badges(file) == []
    list_staff(file, dataclasses.replace(anna, role="director"), bert)
    assert of_badges(file) == ["these badges of people were set or taken away: S1, S2"]
    with opened(load_config(file)) as daemon:
        daemon.keeper.note_by_hand(
            Person("page", "page", "page", ""), STAFF_NOTE, "", badge="S2", account=None, allowed="removed"
        )
    list_staff(file, dataclasses.replace(anna, role="director"))
    assert of_badges(file) == []
    list_staff(file, dataclasses.replace(anna, enabled=False))
    assert of_badges(file) == ["these badges of people were set or taken away: S1"]


def test_a_cut_before_the_list_has_a_change_is_told_as_that_and_an_older_list_is_not(file: Path) -> None:
    anna, shut = StaffMember("S1", "anna", "supervisor", True), StaffMember("S1", "anna", "supervisor", False)
    page = Person("page", "page", "page", "")
    list_staff(file, anna)
    assert of_badges(file) == []
    with opened(load_config(file)) as daemon:
        daemon.keeper.note_by_hand(page, STAFF_NOTE, "", badge="S1", account="anna", allowed="shut")
    cut = (
        "since the start before: the power was cut, or feltd ended, before the list of people had the changes on "
        "record of these badges: S1; the page sends them anew"
    )
    assert remarks(file) == [cut]
    with opened(load_config(file)) as daemon:
        daemon.keeper.note_by_hand(page, STAFF_NOTE, "", badge="S1", account="anna", allowed="shut")
        daemon.keeper.note_by_hand(page, STAFF_KEPT_NOTE, "")
    assert of_badges(file) == ["these badges of people were set or taken away: S1"], "somebody put the old list back"
    with opened(load_config(file)) as daemon:
        daemon.keeper.note_by_hand(page, STAFF_NOTE, "", badge="S1", account="anna", allowed="shut")
    list_staff(file, shut)
    assert remarks(file) == [], "the cut came between the list and the word that it is there"


def test_behind_a_start_of_before_an_older_list_that_is_put_back_is_no_power_cut(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a program wrote no word that the list is on the disk."""
    list_staff(file, StaffMember("S1", "anna", "supervisor", True))
    append = Journal.append_note

    def without(self: Journal, note: str, body: Any, **more: Any) -> int:
        return append(self, note, {name: what for name, what in body.items() if name != "notes"}, **more)

    with monkeypatch.context() as before:
        before.setattr(Journal, "append_note", without)
        assert of_badges(file) == []
        with opened(load_config(file)) as daemon:
            page = Person("page", "page", "page", "")
            daemon.keeper.note_by_hand(page, STAFF_NOTE, "", badge="S1", account=None, allowed="removed")
    assert of_badges(file) == ["these badges of people were set or taken away: S1"]


def test_a_list_that_the_disk_did_not_take_is_no_change_by_nobody(file: Path) -> None:
    anna, page = StaffMember("S1", "anna", "supervisor", True), Person("page", "page", "page", "")
    list_staff(file, anna)
    assert of_badges(file) == []
    with opened(load_config(file)) as daemon:
        daemon.keeper.note_by_hand(page, STAFF_NOTE, "", badge="S9", account="dora", allowed="supervisor")
        daemon.keeper.note_by_hand(page, STAFF_LOST_NOTE, "")
        daemon.keeper.note_by_hand(page, STAFF_NOTE, "", badge="S1", account="anna", allowed="shut")
        daemon.keeper.note_by_hand(page, STAFF_KEPT_NOTE, "")
    list_staff(file, dataclasses.replace(anna, enabled=False))
    assert remarks(file) == []


def test_lists_that_cannot_be_read_are_not_compared(file: Path) -> None:
    put(file, "S1", "2580")
    assert of_badges(file) == []
    for broken in (pins_file_of(file.with_name("table.journal")), load_config(file).staff_file):
        broken.write_text("{")
    assert of_badges(file) == []
    with JournalReader.open(file.with_name("table.journal")) as reader:
        *_, note = [entry.body for entry in reader.entries(Span(name="note")) if entry.body["note"] == START_NOTE]
    assert (note["pins"], note["staff"]) == (None, None)
