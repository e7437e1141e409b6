"""An entry in the journal of a table that is stopped: one process writes a journal."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from feltd.table.journal import Journal


def put_on_record(config: Path, journal_id: bytes, about: Path, append: "Callable[[Journal], int]") -> tuple[Path, int]:
    """Append an entry to the journal of CONFIG's table, if it is the journal of this identity; have a head sign it.

    `about`: the file that the entry is about. Returns the journal's path and the entry. Raises UnsealKeyError for
    another journal or none, JournalDisk where no head signs the entry, JournalLocked while the table runs, and what
    else keeps a journal from being opened.
    """
    from feltd.table.config.config import load_config
    from feltd.table.journal import Journal
    from feltd.text.as_owner import as_owner_of
    from feltd.text.errors import UnsealKeyError

    table = load_config(config)
    path = table.journal.path
    if not path.exists():
        raise UnsealKeyError(f"{path}: there is no journal here; name the configuration of its table")
    key = table.journal.sealing_key_file.read()
    with as_owner_of(path):
        journal = Journal.open(path, key, sealed_to=table.record.sealed_to)
        try:
            if journal.reader.journal_id != journal_id:
                raise UnsealKeyError(f"{about}: is of another record than {path}; name that table's file")
            seq = append(journal)
            journal.flush_blocking(60)
        finally:
            journal.close()  # signs what it has
    journal.require_head_of(seq)
    return path, seq


def put_export_on_record(
    config: Path, who: str, exported: Path, journal_id: bytes, round_number: int | None, span: tuple[int, int]
) -> None:
    """Put on record that a part of a journal is handed out: a round, or the entries of a span. Raises as above."""
    import os
    import time

    from feltd.door.serving.guest import user_name
    from feltd.record.access import AccessKind, Part, WordOf

    part: dict[str, str | int] = {"of": Part.ROUND, "round": round_number or 0}
    if round_number is None:
        part = {"of": Part.ENTRIES, "first": span[0], "last": span[1]}
    said = {
        "what": AccessKind.EXPORTED,
        "by": WordOf.CONSOLE,
        "at": time.time(),
        "who": who,
        "user": user_name(os.getuid()),
    }
    put_on_record(config, journal_id, exported, lambda journal: journal.append_access({**said, **part}))
