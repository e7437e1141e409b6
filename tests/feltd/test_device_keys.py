"""Another key for a device: in the old one's place at once or not at all, the old one beside it, taken up by itself."""

import logging
import os
import stat
from pathlib import Path

import pytest

from feltd.table.config.key_files import KeyFile, read_key
from feltd.table.workshop.device_keys import (
    DeviceKeyError,
    KeyWatch,
    make_key,
    old_key,
    parse_key,
    take_back,
    write_key,
)

OLD = bytes(range(32))
NEW = bytes(range(100, 132))


@pytest.fixture
def file(tmp_path: Path) -> KeyFile:
    path = tmp_path / "shoe.key"
    path.write_bytes(OLD)
    return KeyFile(path=path)


def content(file: KeyFile) -> bytes:
    assert file.path is not None
    return read_key(file.path)


def test_keys_are_random_and_no_two_alike() -> None:
    assert len({make_key() for _ in range(50)}) == 50
    assert {len(make_key()) for _ in range(3)} == {32}


def test_a_new_key_stands_in_the_old_ones_place_and_for_its_owner_alone(file: KeyFile) -> None:
    write_key("shoe", file, NEW)
    assert content(file) == NEW
    old = old_key(file)
    assert old is not None
    assert read_key(old) == OLD
    assert file.path is not None
    for path in (file.path, old):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(path.name for path in file.path.parent.iterdir()) == ["shoe.key", "shoe.key.old"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize(("before", "after"), [(None, 54321), (0, 54321), (54322, 54322)])
def test_a_key_that_root_makes_is_the_services(file: KeyFile, before: int | None, after: int) -> None:
    assert file.path is not None
    os.chown(file.path.parent, 54321, 54321)
    if before is None:
        file.path.unlink()
    else:
        os.chown(file.path, before, before)  # root's: put there by hand, where the service cannot read it
    write_key("shoe", file, NEW)
    assert (file.path.stat().st_uid, file.path.stat().st_gid) == (after, after)


def test_after_two_changes_the_key_that_the_device_has_is_the_one_beside(file: KeyFile) -> None:
    write_key("shoe", file, make_key())
    write_key("shoe", file, NEW)
    old = old_key(file)
    assert old is not None
    assert read_key(old) == OLD
    take_back("shoe", file)
    assert content(file) == OLD
    assert old_key(file) is None


def test_there_is_nothing_to_take_back_once_the_device_has_come_up(file: KeyFile) -> None:
    with pytest.raises(DeviceKeyError, match="no key to go back to"):
        take_back("shoe", file)


def test_a_first_key_is_written_where_there_was_none(tmp_path: Path) -> None:
    file = KeyFile(path=tmp_path / "new.key")
    write_key("shoe", file, NEW)
    assert content(file) == NEW
    assert old_key(file) is None


def test_a_credential_is_not_changed_and_the_remedy_is_told() -> None:
    with pytest.raises(DeviceKeyError, match=r"credential:shoe-key.*LoadCredential.*restart feltd"):
        write_key("shoe", KeyFile(credential="shoe-key"), NEW)


def test_a_folder_that_is_not_there_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(DeviceKeyError, match=r"cannot be written.*feltd device key shoe"):
        write_key("shoe", KeyFile(path=tmp_path / "nowhere" / "shoe.key"), NEW)


def test_a_disk_that_fails_in_between_leaves_the_old_key(file: KeyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DeviceKeyError, match="No space left on device"):
        write_key("shoe", file, NEW)
    assert content(file) == OLD
    assert file.path is not None
    assert [path.name for path in file.path.parent.iterdir()] == ["shoe.key"]


@pytest.mark.parametrize("digits", ["", "zz" * 32, "ab" * 31, "é" * 64, NEW.hex() + "00"])
def test_what_is_no_key_is_refused_without_repeating_it(digits: str) -> None:
    with pytest.raises(DeviceKeyError) as refusal:
        parse_key(digits)
    assert digits not in str(refusal.value) or digits == ""


def test_a_key_that_is_guessed_at_once_is_none() -> None:
    with pytest.raises(DeviceKeyError, match="guessed at once"):
        parse_key("00" * 32)
    assert parse_key(f" {NEW.hex().upper()}\n") == NEW


class Watched:
    """A watch over one device's file, and what it has taken up."""

    def __init__(self, file: KeyFile) -> None:
        self.used: list[tuple[str, bytes]] = []
        files = {"shoe": file, "badge": KeyFile(credential="badge-key")}
        keys = {"shoe": OLD, "badge": bytes(range(50, 82))}
        self.watch = KeyWatch(files, keys, lambda name, key: self.used.append((name, key)))


def test_a_changed_key_is_taken_up_once(file: KeyFile) -> None:
    watched = Watched(file)
    watched.watch.look()
    assert watched.used == []
    write_key("shoe", file, NEW)
    watched.watch.look()
    watched.watch.look()
    assert watched.used == [("shoe", NEW)]


def test_a_file_that_holds_no_key_changes_nothing_and_shows_nothing(
    file: KeyFile, caplog: pytest.LogCaptureFixture
) -> None:
    watched = Watched(file)
    assert file.path is not None
    file.path.write_bytes(b"half a key, secret")
    with caplog.at_level(logging.WARNING):
        watched.watch.look()
        watched.watch.look()
    assert watched.used == []
    [said] = caplog.messages
    assert "shoe keeps its key" in said
    assert "secret" not in said


def test_the_old_key_goes_when_the_device_has_come_up_under_the_new_one(file: KeyFile) -> None:
    watched = Watched(file)
    write_key("shoe", file, NEW)
    watched.watch.look()
    watched.watch.proven("shoe")
    watched.watch.proven("badge")  # its key is handed over: nothing to clear
    assert old_key(file) is None
    assert content(file) == NEW


def test_no_two_devices_share_a_key(file: KeyFile) -> None:
    watched = Watched(file)
    assert watched.watch.belongs_to_another("shoe", bytes(range(50, 82)))
    assert not watched.watch.belongs_to_another("shoe", OLD)
