"""A new record that joins on to the floor's copy of the one before, whose card is gone."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.findings import Elsewhere
from feltd.record.notes import FROM_FLOOR_NOTE, SNAPSHOT_NOTE
from feltd.record.reader import JournalReader, Reveal
from feltd.record.signed_heads import heads_file
from feltd.record.stored_rows import Span
from feltd.record.unseal_keys import PublicKey
from feltd.record.verify import verify
from feltd.table.journal.aside import new_folder
from feltd.table.journal.journal import Journal
from feltd.text.atomic_file import sync_folder
from feltd.text.errors import JournalCorrupt, JournalDisk, JournalForeign

_NOTE_REACH = 1000
"""Entries before a snapshot among which its note is."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The folder that has the copy, the copy's last entry, and the new record's entry that says so.

    `round`: behind which the table stands; None where the copy keeps no signed state between two rounds. `first_key`:
    of the copy's signed heads, in hexadecimal; None where it has none. `signed`: the entry of the last head; 0 where
    there is none.
    """

    folder: Path
    last: int
    entry: int
    round: int | None
    first_key: str | None
    signed: int


@dataclass(frozen=True, slots=True)
class _State:
    """A state between two rounds, with the note before it."""

    row: Row
    note: dict[str, Any]


def go_on_from(
    copy: tuple[BinaryIO, BinaryIO | None],
    path: Path,
    master_key: bytes,
    sealed_to: PublicKey | None,
    said: dict[str, Any],
    *,
    first_key: bytes | None = None,
) -> Joined:
    """Put the copy into a folder beside `path`, and begin a record there that goes on from the copy's last state.

    `copy`: its file and that of its signed heads, opened; `said`: who did it, and why; `first_key`: the one that was
    printed as the old record began. The copy is verified first: without that key a whole copy may be forged. A state
    behind the copy's last signed head is not taken: who carried the copy needs no key to write one there. What of the
    copy comes behind the state that is taken (a round in progress) is in the copy alone.

    Raises JournalForeign where the record at `path` has events of its own, JournalCorrupt where the copy is not as it
    was written, JournalLocked while a table has it open, JournalDisk, where no head signs the note too, and what keeps
    a new journal from being made.
    """
    _require_new(path)
    try:
        folder = new_folder(path, "from-floor")
        kept = folder / path.name
        for source, target in zip(copy, (kept, heads_file(kept)), strict=True):
            if source is not None:
                with target.open("xb") as file:
                    shutil.copyfileobj(source, file)
                    file.flush()
                    os.fsync(file.fileno())
        sync_folder(folder)
    except OSError as fault:
        raise JournalDisk(
            f"cannot be copied: {fault.strerror}", folder, "See what is there, and do it again"
        ) from fault
    try:
        with JournalReader.open(kept) as reader:
            before, state = _looked_at(reader, kept, Elsewhere(first_key=first_key))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    journal = Journal.open(path, master_key, sealed_to=sealed_to)
    try:
        with journal.together():
            entry = journal.append_note(FROM_FLOOR_NOTE, {**said, "folder": folder.name, "before": before})
            if state is not None:
                row, note = state.row, dict(state.note)
                place = note.pop("note")
                journal.append_note(place, note, round_number=row.round)
                journal.append_snapshot(
                    row.body, round_number=row.round or 0, rulebook_digest=row.rulebook.hex() if row.rulebook else None
                )
        journal.flush_blocking(60)
    finally:
        journal.close()  # signs what it has
    journal.require_head_of(entry, f"the copy is in {folder}, and the new record goes on from it")
    return Joined(
        folder,
        before["entry"],
        entry,
        None if state is None else state.row.round,
        before["first_key"],
        before["signed"] or 0,
    )


def _require_new(path: Path) -> None:
    """Raises JournalForeign where there is a record with events: nothing is joined in the middle of one."""
    if not path.exists():
        return
    with JournalReader.open(path) as reader:
        if next(iter(reader.rows(Span(kind=EntryKind.EVENT))), None) is not None:
            raise JournalForeign(
                "there is a record with events already",
                path,
                "If it is not to go on, put it aside first: `feltd journal set-aside`",
            )


def _looked_at(reader: JournalReader, copy: Path, elsewhere: Elsewhere) -> tuple[dict[str, Any], _State | None]:
    """What the new record says of the copy, and the copy's last state. Raises JournalCorrupt."""
    found = verify(reader, elsewhere)
    if not found.sound or found.head is None or not found.head.seq:
        first = found.faults[0].text if found.faults else "it has no entries"
        raise JournalCorrupt(
            f"the copy is not as it was written: {first}", copy, "Make it again: `feltd floor restore`; see both"
        )
    signed = found.signed.heads[-1].seq if found.signed is not None and found.signed.heads else 0
    before = {
        "journal": reader.journal_id.hex(),
        "first_key": None if found.signed is None else found.signed.first.key.hex(),
        "entry": found.head.seq,
        "chain": found.head.chain.hex(),
        "signed": signed or None,
    }
    states = Span(until=signed, kind=EntryKind.HOST, name=HostEntry.SNAPSHOT)
    row = next(iter(reader.rows(states, newest_first=True)), None)
    if row is None or row.key is not None:  # none yet, or sealed as before edition 2: its key was on the card
        return before, None
    span = Span(after=max(0, row.seq - _NOTE_REACH), until=row.seq, kind=EntryKind.HOST, name=HostEntry.NOTE)
    for entry in reader.entries(span, reveal=Reveal.FINISHED, newest_first=True):
        if isinstance(entry.body, dict) and entry.body.get("note") == SNAPSHOT_NOTE:
            return before, _State(row, entry.body)
    return before, None
