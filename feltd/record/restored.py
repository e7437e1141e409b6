"""A journal's file made anew from entries as they were stored elsewhere: a copy to read, verify and join on to.

Nobody goes on writing it: the keys that would sign its next head were on the card that is gone.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from feltd.record.database import INSERT, SET_HEAD, WriterLock, connect_writer, keep_first_key, named
from feltd.record.entries import FORMAT, chain_next, chain_start, decode, digest
from feltd.record.made import said_in
from feltd.record.signed_heads import FirstKey, heads_file
from feltd.record.starts import start_of
from feltd.text.atomic_file import sync_folder
from feltd.text.errors import JournalCorrupt, JournalDisk, JournalForeign

_NUMBERS_END: Final = 1 << 31
"""Of `user_version`: SQLite would write another number for one from here on."""


class RestoredJournal:
    """Makes one file. Use it as a context manager; without `finish` nothing is left."""

    def __init__(self, path: Path, journal_id: bytes) -> None:
        """Raises JournalForeign where something is at `path` already, JournalDisk."""
        if path.exists() or path.is_symlink() or heads_file(path).exists():
            raise JournalForeign("something is there already", path, "Name a file that is not there yet")
        self._path = path
        self._lock = WriterLock(path)
        self._connection = connect_writer(path, None)
        self._id = journal_id
        self._seq, self._chain = 0, chain_start(journal_id)
        self._finished = False
        self._made: Mapping[str, Any] | None = None
        """What the newest start says of the original's making; None where none does: they are older than 0.9.0."""
        self._connection.execute("UPDATE meta SET value = ? WHERE name = 'journal_id'", (journal_id,))
        self._connection.execute(SET_HEAD, (0, self._chain, b""))

    @property
    def end(self) -> tuple[int, bytes]:
        """The last entry, and the chain behind it."""
        return self._seq, self._chain

    def add(self, rows: Iterable[bytes]) -> None:
        """Add entries as they were stored. Raises JournalCorrupt for one that is none or not the next, JournalFull."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for stored in rows:
                try:
                    row = decode(stored)
                except ValueError as fault:
                    raise self._corrupt(f"entry {self._seq + 1} cannot be read: {fault}") from None
                if row.seq != self._seq + 1:
                    raise self._corrupt(f"behind entry {self._seq} comes entry {row.seq}")
                self._seq, self._chain = row.seq, chain_next(self._chain, digest(row))
                self._connection.execute(INSERT, (*row, self._chain))
                self._made = said_in(start_of(row)) or self._made
            self._connection.execute(SET_HEAD, (self._seq, self._chain, b""))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise named(error, self._path) from error

    def finish(self, heads: Iterable[str]) -> None:
        """All entries are there; write the lines of the signed heads beside them. Raises JournalDisk.

        The file then says of its making what the original's starts found: `verify` holds it against their notes.
        """
        lines = list(heads)
        try:
            if self._made is not None:
                self._say_making(self._made)
            if lines:
                keep_first_key(self._connection, self._path, FirstKey.parse(lines[0]).key)
                heads_file(self._path).write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()
            sync_folder(self._path.parent)
        except sqlite3.Error as error:
            raise named(error, self._path) from error
        except OSError as error:
            raise JournalDisk(f"cannot be written: {error.strerror}", self._path, "See what is there") from error
        self._finished = True

    def __enter__(self) -> "RestoredJournal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._lock.release()
        left = ["-wal", "-shm", ".lock"] if self._finished else ["", "-wal", "-shm", ".heads", ".lock"]
        for ending in left:
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def _say_making(self, made: Mapping[str, Any]) -> None:
        """`made`: of the note of a start; what feltd does not write so is left out."""
        for name, kind in (("created", float), ("format", int)):
            if type(value := made.get(name)) is kind:
                self._connection.execute("UPDATE meta SET value = ? WHERE name = ?", (value, name))
        edition = made.get("edition")
        if type(edition) is int and FORMAT < edition < _NUMBERS_END:
            self._connection.execute(f"PRAGMA user_version={edition:d}")

    def _corrupt(self, what: str) -> JournalCorrupt:
        return JournalCorrupt(what, self._path, "See what `feltd floor verify` says of this journal")
