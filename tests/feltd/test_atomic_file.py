"""Atomic replacement of a file: only its owner reads it, a reader sees old or new, and nothing remains beside it."""

import os
import stat
from pathlib import Path

import pytest

from feltd.text.atomic_file import replace_atomically, write_new


def test_what_is_there_is_replaced_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "accounts"
    file.write_bytes(b"old")
    replace_atomically(file, b"new", tmp_path.stat())
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_root_gives_away_what_it_has_written_and_no_link_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tmp_path / "others"
    others.write_bytes(b"not the service's")
    given: list[int] = []
    written = os.fsync

    def swapped(descriptor: int) -> None:
        """The service's user lays a link where the file is, before it is given away."""
        written(descriptor)
        for beside in tmp_path.glob(".accounts-*"):
            beside.unlink()
            beside.symlink_to(others)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fsync", swapped)
    monkeypatch.setattr(os, "fchown", lambda descriptor, *_: given.append(os.fstat(descriptor).st_ino))
    monkeypatch.setattr(os, "chown", lambda *_, **__: pytest.fail("by its path it is whatever lies there"))
    replace_atomically(tmp_path / "accounts", b"new", tmp_path.stat())
    assert len(given) == 1
    assert given != [others.stat().st_ino]


def test_what_cannot_be_kept_leaves_the_old_one_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "accounts"
    file.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_atomically(file, b"new", tmp_path.stat())
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_new_file_is_for_its_owner_alone_and_synced_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def told(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", told)
    write_new(tmp_path / "key", b"secret")
    assert (tmp_path / "key").read_bytes() == b"secret"
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert synced == [(tmp_path / "key").stat().st_ino, tmp_path.stat().st_ino]


def test_a_file_or_a_link_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "link"
    there.write_bytes(b"old")
    link.symlink_to(tmp_path / "elsewhere")
    for file in (there, link):
        with pytest.raises(FileExistsError):
            write_new(file, b"new")
    assert there.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == [link, there]


def test_a_new_file_that_the_disk_refuses_leaves_no_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_new(tmp_path / "key", b"secret")
    assert list(tmp_path.iterdir()) == []
