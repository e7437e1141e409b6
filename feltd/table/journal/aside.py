"""A record put aside as evidence, and a new one begun in its place that says what was before it."""

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from feltd.record.database import WriterLock
from feltd.record.notes import SET_ASIDE_NOTE
from feltd.record.signed_heads import heads_file, read_end
from feltd.record.unseal_keys import PublicKey
from feltd.table.journal.journal import Journal
from feltd.text.atomic_file import sync_folder
from feltd.text.errors import JournalDisk, JournalError, JournalMissing

_ENDINGS: Final = ("", "-wal", "-shm", ".keys", ".heads", ".signer", ".damaged-wal", ".stray-heads")
"""Of the files that are one record's. The lock stays: it is the path's."""
_EXPORTS: Final = "exports"


@dataclass(frozen=True, slots=True)
class Aside:
    """The folder that has the old record now, and the entry of the new one that says so."""

    folder: Path
    entry: int


def set_aside(path: Path, master_key: bytes, sealed_to: PublicKey | None, said: dict[str, Any]) -> Aside:
    """Move a record with all that is its own into a folder beside it, and begin a new one that notes it.

    `said`: who did it, and why. Raises JournalLocked while a table has it open, JournalMissing where there is nothing,
    JournalDisk, where no head signs the note too, and what keeps a new journal from being made.
    """
    there = _files_of(path)
    if not there:
        raise JournalMissing("there is no record to set aside", path, "See that the table's file names the right path")
    lock = WriterLock(path)
    try:
        before = _end_of(path)
        try:
            folder = new_folder(path, "aside")
            for file in [*there, *_exports_of(path)]:
                os.rename(file, folder / file.name)
            sync_folder(folder)
            sync_folder(path.parent)
        except OSError as fault:
            raise JournalDisk(
                f"cannot be moved into a folder beside it: {fault.strerror}",
                path,
                "See what is there, and do it once more",
            ) from fault
    finally:
        lock.release()
    journal = Journal.open(path, master_key, sealed_to=sealed_to)
    try:
        entry = journal.append_note(SET_ASIDE_NOTE, {**said, "folder": folder.name, "before": before})
        journal.flush_blocking(60)
    finally:
        journal.close()  # signs what it has
    journal.require_head_of(entry, f"the record before is in {folder}, and a new one has begun")
    return Aside(folder, entry)


def new_folder(path: Path, kind: str) -> Path:
    """Make a folder beside a record, named by its `kind` and by now. Raises OSError."""
    stem = f"{kind}-{datetime.fromtimestamp(time.time(), UTC):%Y%m%d-%H%M%S}"
    folder, number = path.with_name(stem), 1
    while folder.is_symlink() or folder.exists():
        number += 1
        folder = path.with_name(f"{stem}-{number}")
    folder.mkdir(mode=0o750)
    return folder


def _files_of(path: Path) -> list[Path]:
    named = [path.with_name(path.name + ending) for ending in _ENDINGS]
    return [file for file in named if file.is_symlink() or file.exists()]


def _exports_of(path: Path) -> list[Path]:
    """The exports and anchors: those of another record would contradict the new one."""
    folder = path.with_name(_EXPORTS)
    return [folder] if folder.is_dir() else []


def _end_of(path: Path) -> dict[str, Any] | None:
    """The record's own name and its last signed head; None where no head tells them."""
    try:
        end = read_end(heads_file(path))
    except JournalError:
        return None
    if end is None:
        return None
    last = end.last
    return {
        "journal": end.first.journal_id.hex(),
        "first_key": end.first.key.hex(),
        "entry": None if last is None else last.seq,
        "chain": None if last is None else last.chain.hex(),
    }
