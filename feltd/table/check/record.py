"""Faults and notes of a table's record before a start: does it open, and can its round in progress go on?"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from feltd.record import HostEntry, JournalReader
from feltd.record.jumps import ToldJumps
from feltd.record.log_check import require_whole_log
from feltd.record.notes import KEYPADS_NOTE, STRAY_HEAD_NOTE
from feltd.record.short_keys import require_record
from feltd.record.signed_heads import heads_file, read_end, signer_file, stray_file
from feltd.record.starts import last_start
from feltd.record.tail import require_chained, require_signed, require_vouched
from feltd.record.unseal_keys import PublicKey
from feltd.table.journal.signer import require_signing_key
from feltd.table.keeper.edition import Text, round_of_another_text
from feltd.table.links.known_serials import KnownSerials, serials_file_of
from feltd.text.errors import JournalError

Texts = Callable[[], Iterable[Text] | None]
"""The rulebooks at hand; None where they have faults, which are reported elsewhere."""


def record_faults(journal: Path, texts: Texts, key: bytes | None = None) -> Iterator[str]:
    """Faults for which a start would refuse the record, in words.

    `texts`: called if a round is in progress. `key`: the master key; None where it cannot be read here, and then
    nothing is said of whether it wrote the record. The same goes for the keys that sign, where another user's may not
    be read.
    """
    try:
        require_whole_log(journal)
        with JournalReader.open(journal, key) as reader:
            reader.require_made()
            reader.require_numbered()
            reader.require_indexed(reader.head())
            require_chained(reader, reader.head())
            if reader.master is not None:
                require_vouched(reader, reader.head(), reader.master)
            end = read_end(
                heads_file(journal)
            )  # before the head of the chain: a table at work may go on between the two
            require_signed(reader, reader.head(), end)
            if not signer_file(journal).exists() or os.access(signer_file(journal), os.R_OK, effective_ids=True):
                require_signing_key(journal, end)
            at_hand = texts() if reader.round_in_progress() is not None else None
            other = None if at_hand is None else round_of_another_text(reader, at_hand)
            if other is not None:
                raise other.error(journal)
    except JournalError as fault:
        yield f"{fault.what}. {fault.remedy}"


def missing_record_faults(journal: Path) -> Iterator[str]:
    """The fault of a record that is gone, for which a start would begin no new one; none where there has been none."""
    try:
        require_record(journal)
    except JournalError as fault:
        yield f"{fault.what}. {fault.remedy}"


def gathering_note(seconds: float) -> str:
    """Say how long events wait to be written together, and which."""
    return f"[journal] gather_seconds: an event that its device keeps is on this disk within {seconds:g} s, not at once"


def unsealing_note(sealed_to: PublicKey | None) -> str:
    """Say who may read cards that no round showed, and the remedy where nobody may."""
    if sealed_to is not None:
        return f"[record]: cards that no round shows are sealed to the key {sealed_to.fingerprint}"
    return (
        "[record] has no sealed_to: cards that no round shows stay sealed for good, and nobody reads them, whatever a "
        "dispute needs; on the machine of the person who may, run `feltd record key FILE`, and put the line that it "
        "prints here"
    )


def gone_record_notes(journal: Path) -> Iterator[str]:
    """Remark that a start would find no record, where the table knows devices, so that it had one."""
    file = serials_file_of(journal)
    if (journal.exists() and journal.stat().st_size > 0) or not file.exists():
        return
    known = KnownSerials(file).devices
    if known:
        yield (
            f"{journal} is not there or empty, and {file.name} beside it knows {', '.join(known)}: the record of this "
            "table is gone. Bring the newest copy of it back; else a start begins a new one, and play stops until a "
            "technician accepts that on the page Devices"
        )


def keypads_said(journal: Path) -> Mapping[str, bool]:
    """What badge readers have said since the newest start, by their names: whether a PIN is wanted there by that."""
    said: dict[str, bool] = {}
    try:
        with JournalReader.open(journal) as reader:
            notes = last_start(reader, wanted={KEYPADS_NOTE}).since
    except JournalError:
        return said  # a fault, and reported as one
    for note in notes:
        readers = note.get("readers")
        for name, word in readers.items() if isinstance(readers, dict) else ():
            if isinstance(word, dict) and isinstance(word.get("counts"), bool):
                said[name] = word["counts"]
    return said


def record_notes(journal: Path) -> Iterator[str]:
    """Remark the key that signed the first head, what stops play, and a round in progress, in words."""
    try:
        with JournalReader.open(journal) as reader:
            number, first_key = reader.round_in_progress(), reader.first_key()
            stops = ToldJumps(reader.host_entries(HostEntry.JUMP)).put_back
            end = read_end(heads_file(journal))
    except JournalError:
        return  # a fault, and reported as one
    if end is not None and end.stray:
        yield (
            f"{heads_file(journal).name} ends with a line that no key of this record has signed, and that no power cut "
            f"leaves: the next start puts it into {stray_file(journal).name} and enters it. Find out who wrote it"
        )
    if stray_file(journal).exists():
        yield (
            f"{stray_file(journal)} is there: lines that stood behind the signed heads, and that no key of this record "
            f"has signed. The notes {STRAY_HEAD_NOTE!r} say when each was found. Find out who wrote them"
        )
    if first_key is not None:
        yield f"first key of the record, to be kept elsewhere: {first_key.hex()}"
    if stops:
        yield (
            "play is stopped: the record was put back to an older state, or the one before it is gone, as told at "
            f"{', '.join(stops)}. Find out who changed the disk; a technician accepts it on the page Devices"
        )
    if number is not None:
        yield f"round {number} is in progress: change the version of feltd, or a rulebook, between two rounds"
