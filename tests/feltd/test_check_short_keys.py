"""`feltd check` on the file of short-lived keys, and what the staff is told where keys could not be destroyed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from feltd.record.short_keys import FILE_BYTES, keys_file
from feltd.table.check.short_keys import short_keys_faults
from feltd.table.daemon.old_keys import OldKeys
from feltd.table.journal import Journal
from table_fsm.events import CardPlaced
from tests.feltd.test_daemon_bridge import Scene

KEY = bytes(range(32))
LOST = "What the record has sealed since the last round's end needs it: bring table.journal.keys back"


def record(folder: Path, *, in_progress: bool) -> Path:
    folder.mkdir(exist_ok=True)
    journal = Journal.open(folder / "table.journal", KEY)
    event = CardPlaced(t=1.0, zone="seat:1", card="As")
    journal.append_event(event, source=None, round_number=1, rulebook_digest=None)
    if not in_progress:
        journal.end_round(1)
        journal.append_snapshot("{}", round_number=1, rulebook_digest=None)
    journal.close()
    return journal.path


def faults(journal: Path, *, may: bool = True) -> list[str]:
    return list(short_keys_faults(journal, lambda path, mode: may))


def _missing(file: Path) -> None:
    file.unlink()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def _damaged(file: Path) -> None:
    file.write_bytes(bytes(FILE_BYTES))


def _of_another(file: Path) -> None:
    other = record(file.parent / "other", in_progress=True)
    shutil.copy(keys_file(other), file)


@pytest.mark.parametrize("in_progress", [True, False])
@pytest.mark.parametrize(
    ("spoil", "said", "always"),
    [
        (_missing, "table.journal.keys is not there", False),
        (_cut, "has 1023 bytes, not 1024", True),
        (_damaged, "has not the key of the round in progress", False),
        (_of_another, "is of another record, and a start would refuse this one", True),
    ],
)
def test_content_that_does_not_serve_the_record_is_a_fault(
    tmp_path: Path, spoil: Callable[[Path], None], said: str, always: bool, in_progress: bool
) -> None:
    journal = record(tmp_path / "table", in_progress=in_progress)
    assert faults(journal) == []
    spoil(keys_file(journal))
    found = faults(journal)
    assert len(found) == (always or in_progress)
    assert all(said in text for text in found)
    lost = in_progress and spoil is not _cut  # the last byte of the file is padding
    assert [LOST in text for text in found] == [lost] * len(found)


def test_who_may_read_and_write_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = record(tmp_path / "table", in_progress=True)
    file = keys_file(journal)
    file.chmod(0o640)
    assert faults(journal) == [
        f"{file} may be read by others, who open the round in progress with it: chmod 600 {file}"
    ]
    file.chmod(0o600)
    assert faults(journal, may=False) == [
        f"{file} cannot be read and written: give it to the user who runs feltd, with mode 0600"
    ]
    whole = Path.lstat

    def of_another_user(path: Path) -> os.stat_result:
        state = list(whole(path))
        state[4] += 1
        return os.stat_result(state)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "lstat", of_another_user)
        [text] = faults(journal)
    assert text.endswith(f"belongs to another user than the record: chown --reference={journal} {file}")
    elsewhere = tmp_path / "keys"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    [text] = faults(journal)
    assert "is no plain file" in text


def test_keys_that_are_newer_than_the_record_are_a_fault(tmp_path: Path) -> None:
    journal = record(tmp_path / "table", in_progress=False)
    older = journal.read_bytes()
    record(tmp_path / "table", in_progress=False)
    journal.write_bytes(older)
    [text] = faults(journal)
    assert "is newer than the record, a part of which is missing: bring its newest copy back" in text


def test_keys_that_could_not_be_destroyed_are_told_once_and_that_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    scene = Scene(monkeypatch)
    watch = OldKeys(scene.bridge, journal)
    watch.beat()
    assert list(scene.bridge.faults) == []
    journal.health.counters.keys_error = "the disk is full"
    watch.beat()
    watch.beat()
    [told] = scene.bridge.faults
    assert told.device == "record"
    assert "could not be destroyed, and who takes this computer opens those rounds: the disk is full" in told.text
    journal.health.counters.keys_error = None
    watch.beat()
    assert scene.bridge.faults[0].text.endswith("are destroyed now")
    journal.close()
