"""Verify a growing journal against its earlier anchors, and export its new rounds.

A folder holds `entries-FIRST-LAST.jsonl`, each an export that proves itself and begins where the one before ended, and
`anchors`, one line for each of them. Every anchor is compared with the journal the next time: a journal that was
replaced by an earlier copy of itself, or by another, is found. Copied to another machine, the folder is the proof that
this one cannot touch. A folder belongs to one journal: where the journal is moved away, so is the folder.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from feltd.record.entries import EntryKind, HostEntry
from feltd.record.export import closed_part, export, verify_export
from feltd.record.findings import Anchor, Elsewhere, Verification
from feltd.record.reader import JournalReader
from feltd.record.stored_rows import Span
from feltd.record.verify import verify
from feltd.text.atomic_file import sync_folder
from feltd.text.errors import JournalDisk, JournalExportInvalid, JournalMissing

ANCHORS: Final = "anchors"


@dataclass(frozen=True, slots=True)
class Kept:
    """The findings, and the file written.

    `file`: None where no round has ended since, or the journal is not sound.
    """

    verification: Verification
    file: Path | None = None
    first: int = 0
    last: int = 0


def keep(reader: JournalReader, folder: Path) -> Kept:
    """Verify the journal, then export the entries of rounds that have ended since the last time.

    Nothing is written of a journal that is not sound. Raises JournalExportInvalid for a line of `anchors` that is none,
    JournalDisk where the folder cannot be written.
    """
    try:
        folder.mkdir(mode=0o750, exist_ok=True)
        anchors = kept_anchors(folder)
        verification = verify(reader, Elsewhere(tuple(anchors)))
        if not verification.sound:
            return Kept(verification)
        first, last = max((anchor.seq for anchor in anchors), default=0) + 1, _end_of_last_round(reader)
        if last < first:
            return Kept(verification)
        try:
            last, _ = closed_part(reader, first, last)
        except JournalMissing:  # another round was begun before the last one ended: its time comes
            return Kept(verification)
        file = folder / f"entries-{first:09}-{last:09}.jsonl"
        _put(file, export(reader, first, last, through=last))  # the next one begins behind its anchor
        with file.open(encoding="utf-8") as lines:
            proof = verify_export(lines, anchors=anchors)
        _put(folder / ANCHORS, map(str, [*anchors, proof.anchor]))
    except OSError as fault:
        raise JournalDisk(
            f"cannot be written: {fault.strerror}", folder, "See that it is there, is not full, and belongs to feltd"
        ) from fault
    return Kept(verification, file, first, last)


def kept_anchors(folder: Path) -> list[Anchor]:
    """Return the anchors of a folder, oldest first; none without a file.

    Raises JournalExportInvalid.
    """
    file = folder / ANCHORS
    if not file.exists():
        return []
    try:
        return [Anchor.parse(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except UnicodeDecodeError as fault:
        raise JournalExportInvalid("not a file of anchors", str(file), "Bring back the copy kept elsewhere") from fault


def _end_of_last_round(reader: JournalReader) -> int:
    """The entry that ended the newest finished round; 0 for none.

    Up to it nothing stays sealed.
    """
    ends = reader.rows(Span(kind=EntryKind.HOST, name=HostEntry.ROUND_END), newest_first=True)
    return next((row.seq for row in islice(ends, 1)), 0)


def _put(file: Path, lines: Iterable[str]) -> None:
    """Replace a file atomically (write, fsync, rename).

    A power cut leaves the old file or the new one.
    """
    beside = file.with_name(f".{file.name}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640)
    with os.fdopen(descriptor, "w", encoding="utf-8") as writer:
        writer.writelines(f"{line}\n" for line in lines)
        writer.flush()
        os.fsync(writer.fileno())
    os.replace(beside, file)
    sync_folder(file.parent)
