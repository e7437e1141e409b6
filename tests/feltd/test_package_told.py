"""Which package runs is told: in the record at each start, in each export, and at the page."""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from feltd.door.devices import ProgramFacts
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.installed.manifest import PLACE
from feltd.installed.mark import PackageMark, SignatureState, running_package
from feltd.record import JournalReader, Span
from feltd.record.export import export, verify_export
from feltd.record.notes import START_NOTE
from feltd.table.config.config import load_config
from feltd.table.daemon.daemon import opened
from feltd.table.journal import Journal
from tests.feltd.installed_support import JOURNAL_KEY, MAKER, installed, own_table, public


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


def test_it_passes_the_door(package: dict[str, Any]) -> None:
    told = ProgramFacts("0.4.0", running_package())
    back = from_json(ProgramFacts, parse(to_json(told)), "program")
    assert back == told
    assert back.package == PackageMark(package["manifest"], SignatureState.SIGNED, package["key"])
    assert isinstance(back.package.signature, SignatureState)
