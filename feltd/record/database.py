"""The SQLite file under the journal: schema, settings and their cost, lock, named errors.

Settings of the writing connection, and why:

- `journal_mode=WAL`, `synchronous=FULL`: each commit appends to the write-ahead log and syncs it, one `fdatasync` a
  commit; after it returns, the commit survives a power cut. (`NORMAL` would not sync commits, a rollback journal
  would sync three times.) A torn tail is harmless: frames after the last whole commit fail their checksum and are
  ignored at the next opening.
- `wal_autocheckpoint=0`: pages are moved from the log into the database by the writer when nothing waits, never inside
  a commit that somebody waits for. Each page is so written twice: once to the log, once to the database.
- `page_size=512`: a commit of one event with two outputs writes three to six pages (the entries, the head, sometimes
  an index), of which it changes a few hundred bytes. Pages of 1 KiB write 17 % more to a disk with blocks of 1 KiB
  (docs/power-cuts.md); with pages of 512 bytes the file is an eighth larger.
- `cell_size_check`, `trusted_schema=OFF`: a damaged or doctored file gives an error, not a surprise.
- Readers use their own connections in short transactions, so they neither block the writer nor keep the log from
  shrinking.

One process writes: it holds an exclusive `flock` on `<path>.lock` (a file of its own, since closing any descriptor of
the database would drop SQLite's own locks). The kernel releases it however the process ends.
"""

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from feltd.record.entries import FIELD_NAMES, FORMAT, chain_start
from feltd.text.errors import (
    JournalCorrupt,
    JournalDisk,
    JournalError,
    JournalForeign,
    JournalFull,
    JournalLocked,
    JournalMissing,
    JournalReadOnly,
    JournalVersion,
)

APPLICATION_ID: Final = 0x46454C54  # "FELT"
PAGE_BYTES: Final = 512
"""Of a journal that is made now; one that was made with pages of 1,024 or 4,096 keeps them."""
OLDEST_FORMAT: Final = 1
RAISE_FORMAT: Final = f"PRAGMA user_version={FORMAT}"
"""With the first entries of this edition, in their commit: a start that writes none leaves the file to its version."""
_LOG_HEADER_BYTES: Final = 32
BUSY_SECONDS: Final = 2.0
"""How long a connection waits for a lock of SQLite's before it is an error."""

COLUMNS: Final = ", ".join(FIELD_NAMES)
INSERT: Final = f"INSERT INTO entries ({COLUMNS}, chain) VALUES ({', '.join('?' * (len(FIELD_NAMES) + 1))})"  # noqa: S608 - constants
SET_HEAD: Final = "UPDATE head SET seq = ?, chain = ?, mac = ?"

SCHEMA: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, t REAL, host REAL NOT NULL,"
    " wall REAL NOT NULL, round INTEGER, rulebook BLOB, answers INTEGER, device TEXT, boot_id BLOB, device_seq INTEGER,"
    " body TEXT NOT NULL, key INTEGER, sealed BLOB, chain BLOB NOT NULL)",
    # few rows, so few writes: the host's own entries and the rulings; everything else is found by its seq
    "CREATE INDEX host_entries ON entries (name, round, key) WHERE kind = 'host'",
    "CREATE INDEX rulings ON entries (name) WHERE name = 'ruling'",
    "CREATE TABLE head (seq INTEGER NOT NULL, chain BLOB NOT NULL, mac BLOB NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the chain as the last commit left it.

    `mac`: the master key's authentication of it, or empty.
    """

    seq: int
    chain: bytes
    mac: bytes


def _full(path: Path) -> JournalError:
    return JournalFull(
        "the disk is full, or the journal has reached its size limit",
        path,
        "Free space or raise the limit, then let the journal try again; nothing that was taken is lost meanwhile",
    )


def _read_only(path: Path) -> JournalError:
    return JournalReadOnly(
        "the journal cannot be written",
        path,
        "See that the file system is mounted read-write (`findmnt -T`) "
        "and that the service user owns the file and its directory",
    )


def _disk(path: Path) -> JournalError:
    return JournalDisk(
        "the disk answered with an input/output error",
        path,
        "Look at `dmesg`; replace the disk or the card before play goes on",
    )


def _corrupt(path: Path) -> JournalError:
    return JournalCorrupt(
        "the file is damaged or is no database",
        path,
        "Keep it as evidence, see what `feltd journal verify` says, and start a new journal at another path",
    )


def _locked(path: Path) -> JournalError:
    return JournalLocked(
        "another program holds the database's lock", path, "Close it; only one feltd may write a journal"
    )


def _missing(path: Path) -> JournalError:
    return JournalMissing("the journal cannot be opened", path, "See that the path is right and its directory exists")


_BY_CODE: Final[Mapping[int, Callable[[Path], JournalError]]] = MappingProxyType(
    {
        sqlite3.SQLITE_FULL: _full,
        sqlite3.SQLITE_TOOBIG: _full,
        sqlite3.SQLITE_READONLY: _read_only,
        sqlite3.SQLITE_PERM: _read_only,
        sqlite3.SQLITE_IOERR: _disk,
        sqlite3.SQLITE_CORRUPT: _corrupt,
        sqlite3.SQLITE_NOTADB: _corrupt,
        sqlite3.SQLITE_BUSY: _locked,
        sqlite3.SQLITE_LOCKED: _locked,
        sqlite3.SQLITE_CANTOPEN: _missing,
    }
)


def named(error: sqlite3.Error, path: Path) -> JournalError:
    """Return SQLite's error as one of ours.

    An error without a name of its own (a missing table, a broken constraint) is damage.
    """
    code = getattr(error, "sqlite_errorcode", None)
    make = _BY_CODE.get(code & 0xFF, _corrupt) if isinstance(code, int) else _corrupt
    named_error = make(path)
    named_error.add_note(f"SQLite: {getattr(error, 'sqlite_errorname', 'error')}: {error}")
    return named_error


def _named_os(error: OSError, path: Path) -> JournalError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(path)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return _read_only(path)
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
        return _missing(path)
    return _disk(path)


class WriterLock:
    """The right to write one journal, held until `release` or the end of the process."""

    def __init__(self, path: Path) -> None:
        """Take the lock of the journal at `path`.

        Raises JournalLocked, or as the file system answers.
        """
        self._path = path.with_name(path.name + ".lock")
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise _named_os(error, self._path) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._descriptor)
            raise JournalLocked(
                f"another process writes this journal (process {holder})",
                path,
                "Stop it first, or give this table its own journal",
            ) from error
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError:
            return  # a full disk: the lock holds all the same, only its holder's number is not told

    def release(self) -> None:
        """Give the lock back.

        The file stays: to remove it would let two processes lock two files of one name.
        """
        os.close(self._descriptor)


def connect_writer(path: Path, max_bytes: int | None) -> sqlite3.Connection:
    """Open a writing connection to a journal, new or old, with the settings above.

    `max_bytes`: the database never grows beyond; an entry that does not fit is JournalFull. None: as far as the disk
    goes. Raises the named errors.
    """
    connection = _connect(path, "rwc", path.stat().st_size == 0 if path.exists() else True)
    try:
        connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
        _require_ours_or_empty(connection, path)
        if connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
            raise JournalDisk(
                "the file system cannot share memory, which the write-ahead log needs",
                path,
                "Put the journal on a local disk",
            )
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        _make_careful(connection)
        if max_bytes is not None:
            connection.execute(f"PRAGMA max_page_count={max(1, max_bytes // page_bytes(connection))}")
        if _is_empty(connection):
            _create(connection)
        return connection
    except sqlite3.Error as error:
        connection.close()
        raise named(error, path) from error
    except JournalError:
        connection.close()
        raise


def keep_first_key(connection: sqlite3.Connection, path: Path, key: bytes) -> None:
    """Keep in a journal that its heads are signed, and by which key the first was; no effect where it says so.

    Without it a file of heads that is lost could not be told from one that never was. Raises the named errors.
    """
    try:
        if connection.execute("SELECT 1 FROM meta WHERE name = 'first_key'").fetchone() is None:
            connection.execute("INSERT INTO meta VALUES ('first_key', ?)", (key,))
    except sqlite3.Error as error:
        raise named(error, path) from error


def page_bytes(connection: sqlite3.Connection) -> int:
    """The bytes of a page of this journal. Raises sqlite3.Error."""
    size: int = connection.execute("PRAGMA page_size").fetchone()[0]
    return size


def empty_log(connection: sqlite3.Connection, path: Path) -> bool:
    """Move the whole log of a journal into its database, sync both, and begin the log anew in its place.

    False, and nothing lost, while a reader holds the log; it does not wait for it. A log that is damaged after it takes
    away only what was written since. Raises sqlite3.Error, OSError.
    """
    log = path.with_name(path.name + "-wal")
    connection.execute("PRAGMA busy_timeout=0")
    try:
        before = _log_header(log)
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
        if busy:
            return False
        # A commit writes a new salt over the old one. Without it the old frames stay valid: a damaged one among them
        # would take away all that came after it, though the database has it. A log that is cut to nothing would say
        # the same, but each commit of the next round then waits for the file system to make it longer.
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute(f"PRAGMA user_version={version}")  # a row with the same words would write no page
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute(f"PRAGMA busy_timeout={round(BUSY_SECONDS * 1000)}")
    return _log_header(log) != before


def _log_header(log: Path) -> bytes:
    """The first bytes of SQLite's log: its salts, new each time that the log begins anew."""
    with log.open("rb") as file:
        return file.read(_LOG_HEADER_BYTES)


def connect_reader(path: Path) -> sqlite3.Connection:
    """A read-only connection to an existing journal, live or not. Raises the named errors.

    On a medium where nothing at all can be written a journal that was closed in good order is read as it lies.
    """
    if not path.is_file():
        raise JournalMissing(
            "there is no journal here", path, "See that the path is right; `feltd run` makes it at its first start"
        )
    connection = _connect(path, "ro", False)
    try:
        _require_ours(connection, path)
        return connection
    except sqlite3.OperationalError as error:
        connection.close()
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            raise named(error, path) from error
    except sqlite3.Error as error:
        connection.close()
        raise named(error, path) from error
    except JournalError:
        connection.close()
        raise
    connection = _connect(path, "ro&immutable=1", False)
    try:
        _require_ours(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise named(error, path) from error
    except JournalError:
        connection.close()
        raise
    return connection


def read_head(connection: sqlite3.Connection, path: Path) -> Head:
    """Return the head of the chain.

    Raises JournalCorrupt if there is none, or more than one, or it is malformed.
    """
    rows = connection.execute("SELECT seq, chain, mac FROM head LIMIT 2").fetchall()
    if len(rows) != 1 or [type(value) for value in rows[0]] != [int, bytes, bytes]:
        raise _corrupt(path)
    return Head(*rows[0])


def read_journal_id(connection: sqlite3.Connection, path: Path) -> bytes:
    """Return the journal's own 16 random bytes, with which every seal and the chain begin.

    Raises JournalCorrupt.
    """
    row = connection.execute("SELECT value FROM meta WHERE name = 'journal_id'").fetchone()
    if row is None or not isinstance(row[0], bytes) or len(row[0]) != 16:
        raise _corrupt(path)
    return row[0]


def _connect(path: Path, mode: str, create: bool) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    try:
        # one thread at a time uses a connection, but not always the one that made it
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        if create:
            connection.execute("PRAGMA schema_version").fetchone()  # opens the file
            _sync_directory(path.absolute().parent)
        return connection
    except sqlite3.Error as error:
        raise named(error, path) from error
    except OSError as error:
        raise _named_os(error, path) from error


def _sync_directory(directory: Path) -> None:
    """SQLite syncs the directory for its log, but not for a new database."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_careful(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA cell_size_check=ON")
    connection.execute("PRAGMA trusted_schema=OFF")


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


def _require_ours_or_empty(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application == 0 and _is_empty(connection):
        return
    _require_ours(connection, path)


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    _make_careful(connection)
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise JournalForeign(
            "a database, but not a journal of feltd",
            path,
            "Name another path for the journal; this file was left as it is",
        )
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > FORMAT:
        raise JournalVersion(
            f"written by a newer feltd (format {version}, this one knows {FORMAT})",
            path,
            "Use the newer feltd, or name another path for the journal; this file was left as it is",
        )
    if version < OLDEST_FORMAT:
        raise _corrupt(path)  # no older format was ever written
    connection.execute("SELECT count(*) FROM head").fetchone()


def _create(connection: sqlite3.Connection) -> None:
    """Create the whole schema in one transaction: a crash leaves an empty file or a journal."""
    journal_id = os.urandom(16)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in SCHEMA:
            connection.execute(statement)
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)", [("journal_id", journal_id), ("created", time.time()), ("format", FORMAT)]
        )
        connection.execute("INSERT INTO head VALUES (0, ?, ?)", (chain_start(journal_id), b""))
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(RAISE_FORMAT)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
