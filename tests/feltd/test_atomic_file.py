"""A file that is replaced whole: its owner's alone, the new one or the old one, and nothing beside it."""

import os
import stat
from pathlib import Path

import pytest

from feltd.text.atomic_file import replace_atomically


def test_what_is_there_is_replaced_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "accounts"
    file.write_bytes(b"old")
    replace_atomically(file, b"new", tmp_path.stat())
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]


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
