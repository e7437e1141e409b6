"""Which package runs is told: in the record at each start, in each export, and at the page."""

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.door.devices import ProgramFacts
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.installed.manifest import PLACE
from feltd.installed.mark import PackageMark, SignatureState, running_package
from feltd.record import JournalReader, Span
from feltd.record.entries import Row
from feltd.record.export import export, export_round, verify_export
from feltd.record.notes import START_NOTE
from feltd.record.said_by_devices import came_in
from feltd.table.config.config import load_config
from feltd.table.daemon.daemon import opened
from feltd.table.journal import Journal
from feltd.text.errors import JournalCorrupt, JournalExportInvalid
from table_fsm.events import DeviceState
from tests.feltd.installed_support import JOURNAL_KEY, MAKER, installed, own_table, public

CAME = '{"online":true,"device":"shoe","reason":"S-1"}'
FAR = '{"devices": {"shoe": {"said": "S-1", "entry": 99999999999999999999}}}'
NOTHING: tuple[None, None, None, None, None, None] = (None, None, None, None, None, None)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The package that this process says it was started from, as record and exports tell it."""
    prefix = installed(tmp_path / "root")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    manifest = sha256((prefix / PLACE).read_bytes()).hexdigest()
    return {"manifest": manifest, "signature": "signed", "key": public(MAKER)}


def packages_in(record: Path) -> list[Any]:
    with JournalReader.open(record) as reader:
        notes = [entry.body for entry in reader.entries(Span(name="note"))]
    return [note["package"] for note in notes if note["note"] == START_NOTE]


def test_each_start_is_on_record_with_its_package(
    tmp_path: Path, package: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config(own_table(tmp_path))
    with opened(config):
        pass
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "a-checkout"))
    with opened(config):
        pass
    assert packages_in(config.journal.path) == [package, None]


def test_each_export_says_which_package_wrote_it(tmp_path: Path, package: dict[str, Any]) -> None:
    Journal.open(tmp_path / "table.journal", JOURNAL_KEY).close()
    journal = Journal.open(tmp_path / "table.journal", JOURNAL_KEY)
    journal.append_note("something")
    journal.close()
    with JournalReader.open(tmp_path / "table.journal") as reader:
        lines = list(export(reader, 1, 1))
    head = json.loads(lines[0])
    assert head["package"] == package
    proof = verify_export(lines)
    earlier = json.dumps({name: value for name, value in head.items() if name != "package"})
    assert verify_export([earlier, *lines[1:]]) == proof  # as earlier versions wrote it


def test_each_export_says_what_its_devices_said_of_their_firmware_when_they_last_came(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, JOURNAL_KEY)
    for online, reason in ((True, "S-1, firmware 1.0"), (False, "silent"), (True, "S-1, firmware 1.1"), (True, None)):
        state = DeviceState(t=1.0, device="shoe", online=online, reason=reason)
        journal.append_event(state, source=None, round_number=0, rulebook_digest=None)
    journal.append_note("something")
    journal.close()

    def devices(first: int, last: int) -> list[dict[str, Any]]:
        with JournalReader.open(path) as reader:
            lines = list(export(reader, first, last))
        verify_export(lines)
        found: list[dict[str, Any]] = json.loads(lines[0])["devices"]
        return [{name: value for name, value in said.items() if name != "wall"} for said in found]

    assert devices(5, 5) == [{"device": "shoe", "said": "S-1, firmware 1.1", "entry": 3}]
    assert devices(1, 2) == [{"device": "shoe", "said": "S-1, firmware 1.0", "entry": 1}]


def record_of_a_round(path: Path) -> None:
    """Shoe and reader come, a start later the reader comes anew in the midst of a round."""
    journal = Journal.open(path, JOURNAL_KEY)

    def comes(device: str, reason: str) -> None:
        state = DeviceState(t=1.0, device=device, online=True, reason=reason)
        journal.append_event(state, source=None, round_number=0, rulebook_digest=None)

    comes("shoe", "S-1, firmware 1.0")
    comes("reader", "R-1, firmware 3")
    journal.begin_round(1)
    journal.end_round(1)
    journal.close()
    journal = Journal.open(path, JOURNAL_KEY)
    journal.begin_round(2)
    comes("reader", "R-2, firmware 3")
    journal.end_round(2)
    journal.close()


def lines_of_round(path: Path, number: int) -> list[str]:
    with JournalReader.open(path) as reader:
        return list(export_round(reader, number))


def test_the_part_of_a_round_proves_within_its_chain_what_devices_said_long_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.journal"
    record_of_a_round(path)
    monkeypatch.setattr("feltd.record.said_by_devices.LOOKED_BACK", 0)
    for number, reader_said in ((1, ("R-1, firmware 3", 2)), (2, ("R-2, firmware 3", 6))):
        lines = lines_of_round(path, number)
        assert verify_export(lines).devices == 2
        named = {one["device"]: (one["said"], one["entry"]) for one in json.loads(lines[0])["devices"]}
        assert named == {"shoe": ("S-1, firmware 1.0", 1), "reader": reader_said}
        with JournalReader.open(path) as reader:
            walls = {entry.seq: entry.wall for entry in reader.entries()}
        assert all(one["wall"] == walls[one["entry"]] for one in json.loads(lines[0])["devices"])


def test_the_command_says_of_how_many_devices_an_export_proves_what_they_said(tmp_path: Path) -> None:
    record_of_a_round(tmp_path / "table.journal")
    file = tmp_path / "round.jsonl"
    file.write_text("\n".join(lines_of_round(tmp_path / "table.journal", 2)) + "\n")
    said = CliRunner().invoke(cli, ["journal", "verify", str(file)])
    assert (said.exit_code, "what 2 devices said of themselves: proved" in said.output) == (0, True), said.output


@pytest.mark.parametrize(
    "forge",
    [
        lambda devices: devices[0].update(said="S-9, firmware 1.0"),
        lambda devices: devices.pop(),
        lambda devices: devices.append({"device": "keys", "said": "K", "entry": 1}),
        lambda devices: devices[0].update(entry=2),
        lambda devices: devices[0].pop("said"),
    ],
)
def test_a_first_line_that_says_otherwise_of_a_device_than_the_chain_is_found(
    tmp_path: Path, forge: Callable[[list[Any]], object]
) -> None:
    path = tmp_path / "table.journal"
    record_of_a_round(path)
    first, *rest = lines_of_round(path, 2)
    said = json.loads(first)
    forge(said["devices"])
    with pytest.raises(JournalExportInvalid, match="export, line 1"):
        verify_export([json.dumps(said), *rest])


def test_a_part_in_which_no_round_begins_or_one_of_before_proves_nothing_of_devices(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    record_of_a_round(path)
    with JournalReader.open(path) as reader:
        assert verify_export(list(export(reader, 1, 2))).devices is None
    first, *rest = lines_of_round(path, 2)
    said = json.loads(first)
    del said["devices"]
    assert verify_export([json.dumps(said), *rest]).devices is None
    for body in ("{}", "7", '{"devices": 3}', '{"devices": {"shoe": {"said": 1, "entry": 2}}}', FAR):
        with closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE entries SET body = ? WHERE name = 'round.begin'", (body,))
            database.commit()
        with JournalReader.open(path) as reader:
            assert [one["entry"] for one in json.loads(next(export(reader, 3, 3)))["devices"]] == [2, 1]


def begins(path: Path) -> dict[str, Any]:
    """What the record's last round's beginning repeats."""
    with JournalReader.open(path) as reader:
        body = next(iter(reader.entries(Span(name="round.begin"), newest_first=True))).body
    found: dict[str, Any] = body["devices"]
    return {name: said["said"] for name, said in found.items()}


def test_a_rounds_beginning_forgets_a_device_that_is_no_more_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    record_of_a_round(path)
    assert begins(path) == {"shoe": "S-1, firmware 1.0", "reader": "R-1, firmware 3"}
    journal = Journal.open(path, JOURNAL_KEY)
    journal.keep_devices({"reader", "keys"})
    journal.begin_round(3)
    journal.end_round(3)
    journal.close()
    assert begins(path) == {"reader": "R-2, firmware 3"}
    assert verify_export(lines_of_round(path, 3)).devices == 1


def test_a_start_keeps_what_the_configured_devices_said_alone(tmp_path: Path, package: dict[str, Any]) -> None:
    config = load_config(own_table(tmp_path))
    journal = Journal.open(config.journal.path, config.journal.sealing_key_file.read())
    for name in ("gone", config.devices[0].name):
        state = DeviceState(t=1.0, device=name, online=True, reason="X-1")
        journal.append_event(state, source=None, round_number=0, rulebook_digest=None)
    journal.begin_round(1)
    journal.end_round(1)
    journal.close()
    assert begins(config.journal.path) == {"gone": "X-1", config.devices[0].name: "X-1"}
    with opened(config) as daemon:
        daemon.journal.begin_round(2)
    assert begins(config.journal.path) == {config.devices[0].name: "X-1"}


def test_that_inputs_are_used_again_was_no_word_of_a_device(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, JOURNAL_KEY)
    for reason in ("K-1, firmware 2", "every input is used again"):
        state = DeviceState(t=1.0, device="keys", online=True, reason=reason)
        journal.append_event(state, source=None, round_number=0, rulebook_digest=None)
    journal.begin_round(1)
    journal.close()
    assert begins(path) == {"keys": "K-1, firmware 2"}


def test_a_round_of_an_older_version_after_one_that_repeats_proves_nothing_and_contradicts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, JOURNAL_KEY)

    def comes(firmware: str) -> None:
        state = DeviceState(t=1.0, device="shoe", online=True, reason=firmware)
        journal.append_event(state, source=None, round_number=0, rulebook_digest=None)

    comes("S-1, firmware 1.0")
    journal.begin_round(1)
    journal.end_round(1)
    monkeypatch.setattr("feltd.table.journal.journal.to_body", lambda told: {})
    journal.begin_round(2)
    journal.end_round(2)
    journal.close()
    monkeypatch.setattr("feltd.record.said_by_devices.LOOKED_BACK", 2)
    with JournalReader.open(path) as reader:
        last = next(iter(reader.entries(newest_first=True))).seq
        lines = list(export(reader, 1, last))
    first = json.loads(lines[0])
    otherwise = json.dumps({**first, "devices": [{"device": "keys", "said": "K", "entry": 1}]})
    assert verify_export([otherwise, *lines[1:]]).devices is None
    assert verify_export(lines).devices is None


def test_a_start_does_not_fail_for_what_a_device_said_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.journal"
    record_of_a_round(path)

    def unreadable(reader: JournalReader, until: int) -> dict[str, Any]:
        raise JournalCorrupt("entry 1 is not as it was written", path, "See")

    monkeypatch.setattr("feltd.record.said_by_devices.said_in", unreadable)
    journal = Journal.open(path, JOURNAL_KEY)
    journal.begin_round(3)
    journal.close()
    assert came_in(Row(1, "event", "device.state", None, 0.0, 0.0, *NOTHING, "{", None, None)) is None


def test_an_entry_before_the_part_that_cannot_be_read_keeps_nobody_from_an_export(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, JOURNAL_KEY)
    state = DeviceState(t=1.0, device="shoe", online=True, reason="S-1, firmware 1.0")
    journal.append_event(state, source=None, round_number=0, rulebook_digest=None)
    journal.append_note("something")
    journal.close()
    for body in ("no JSON", '"no object"', '{"online":true,"device":7,"reason":"x"}'):
        with closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE entries SET body = ? WHERE seq = 1", (body,))
            database.commit()
        with JournalReader.open(path) as reader:
            assert json.loads(next(export(reader, 2, 2)))["devices"] == []
    for wall in ("x'ff'", "9e999"):
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"UPDATE entries SET wall = {wall}, body = ? WHERE seq = 1", (CAME,))
            database.commit()
        with JournalReader.open(path) as reader:
            assert json.loads(next(export(reader, 2, 2)))["devices"][0]["wall"] == 0.0


def test_it_passes_the_door(package: dict[str, Any]) -> None:
    told = ProgramFacts("0.4.0", running_package())
    back = from_json(ProgramFacts, parse(to_json(told)), "program")
    assert back == told
    assert back.package == PackageMark(package["manifest"], SignatureState.SIGNED, package["key"])
    assert isinstance(back.package.signature, SignatureState)
