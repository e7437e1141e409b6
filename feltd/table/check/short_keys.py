"""Faults of the file of short-lived keys beside a record: would a start find its round's key, and nobody else?"""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from feltd.record import JournalReader
from feltd.record.short_keys import FILE_BYTES, is_of_another, keys_file, keys_in
from feltd.text.errors import JournalError


def short_keys_faults(journal: Path, may: Callable[[Path, int], bool]) -> Iterator[str]:
    """Faults of the file, in words with the remedy. `may`: as `os.access`."""
    file = keys_file(journal)
    try:
        state = file.lstat()
    except FileNotFoundError:
        yield from _content_faults(file, journal, None)
        return
    except OSError as fault:
        yield f"{file} cannot be looked at: {fault.strerror}; give its folder to the user who runs feltd"
        return
    if not stat.S_ISREG(state.st_mode):
        yield f"{file} is no plain file: move it away, and bring the file of keys back if there was one"
        return
    if state.st_uid != journal.stat().st_uid:
        yield f"{file} belongs to another user than the record: chown --reference={journal} {file}"
    if state.st_mode & 0o077:
        yield f"{file} may be read by others, who open the round in progress with it: chmod 600 {file}"
    if not may(file, os.R_OK | os.W_OK):
        yield f"{file} cannot be read and written: give it to the user who runs feltd, with mode 0600"
        return
    try:
        content = file.read_bytes()
    except OSError as fault:
        yield f"{file} cannot be read: {fault.strerror}; see that its disk is well"
        return
    yield from _content_faults(file, journal, content)


def _content_faults(file: Path, journal: Path, content: bytes | None) -> Iterator[str]:
    """Faults of what was read before the record is: a table at work may go on between the two."""
    try:
        with JournalReader.open(journal) as reader:
            journal_id, (generation, _) = reader.journal_id, reader.generation()
            needed = {json.loads(row.body).get("generation") for row in reader.unpublished_keys()} - {None}
    except (JournalError, ValueError):
        return  # a fault of the record, and reported as one
    keys = {} if content is None else keys_in(content, journal_id)
    lost = (
        f". What the record has sealed since the last round's end needs it: bring {file.name} back from where this "
        "record was"
        if needed - keys.keys()
        else ""
    )
    if content is None:
        if lost:
            yield f"{file} is not there{lost}"
    elif len(content) != FILE_BYTES:
        yield f"{file} has {len(content)} bytes, not {FILE_BYTES}: it was damaged, or is another file{lost}"
    elif is_of_another(content, journal_id):
        yield f"{file} is of another record, and a start would refuse this one: move it to where that record is{lost}"
    elif max(keys, default=generation) > generation + 1:
        yield (
            f"{file} is newer than the record, a part of which is missing: bring its newest copy back; to go on with "
            f"this one, move {file.name} away"
        )
    elif lost:
        yield f"{file} has not the key of the round in progress{lost}"
