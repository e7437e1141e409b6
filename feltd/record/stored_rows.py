"""The rows of a journal as they are stored and chained: selections of them, the end of the chain, single ones.

Iterators hold at most `CHUNK` rows in memory and no transaction between two chunks, so a slow reader never keeps the
writer's log from shrinking. Entries are only ever appended, so paging by `seq` loses and repeats nothing.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from feltd.record.database import COLUMNS, Head, named, read_head, read_journal_id
from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.made import Made, made_of
from feltd.record.structure import below_one, index_faults, is_damaged, schema_faults, structure_faults
from feltd.text.errors import JournalClosed, JournalCorrupt

SET_ASIDE: Final = "to begin a new record and keep this one as evidence: `feltd journal set-aside`"
CHUNK: Final = 500
INDEX_CHECKED: Final = 10_000
"""Of how many entries an opening for writing compares the indexes with the table. All of a million entries take 1.4 s
of a processor and the whole file from the disk; these take 0.03 s there."""


@dataclass(frozen=True, slots=True)
class Span:
    """A selection of entries; None does not limit.

    `after` excludes, all others include; `wall` in seconds.
    """

    after: int | None = None
    until: int | None = None
    wall_from: float | None = None
    wall_to: float | None = None
    round: int | None = None
    kind: EntryKind | None = None
    name: str | None = None
    device: str | None = None


class StoredRows:
    """A journal opened for reading, and its rows. Nothing is opened that was sealed.

    One thread at a time; close it, or use it as a context manager.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        try:
            self.journal_id = read_journal_id(connection, path)
        except sqlite3.Error as error:
            raise named(error, path) from error

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self, span: Span, *, newest_first: bool = False) -> Iterator[Row]:
        """The raw rows of a span, as they are stored and chained."""
        for row, _ in self.rows_with_chain(span, newest_first=newest_first):
            yield row

    def rows_with_chain(self, span: Span, *, newest_first: bool = False) -> Iterator[tuple[Row, Any]]:
        """The raw rows of a span, each with the chain value stored beside it.

        Raises JournalCorrupt where the span has no beginning and entries stand before the first (`require_numbered`).
        """
        if span.after is None or span.after < 0:
            self.require_numbered()
        conditions, values = _conditions(span)
        order = "DESC" if newest_first else "ASC"
        beyond = "<" if newest_first else ">"
        last: int | None = None
        while True:
            here = [*conditions, f"seq {beyond} ?"] if last is not None else conditions
            where = f"WHERE {' AND '.join(here)}" if here else ""
            sql = f"SELECT {COLUMNS}, chain FROM entries {where} ORDER BY seq {order} LIMIT {CHUNK}"  # noqa: S608 - constants
            chunk = self.select(sql, values if last is None else [*values, last])
            for raw in chunk:
                yield Row(*raw[:-1]), raw[-1]
            if len(chunk) < CHUNK:
                return
            last = chunk[-1][0]

    def row_with_chain(self, seq: int) -> tuple[Row, Any] | None:
        """One raw row, with the chain value stored beside it; no other is touched."""
        return self._one("entries WHERE seq = ?", seq)

    def _one(self, place: str, seq: int) -> tuple[Row, Any] | None:
        found = self.select(f"SELECT {COLUMNS}, chain FROM {place}", [seq])  # noqa: S608 - constants
        return (Row(*found[0][:-1]), found[0][-1]) if found else None

    def host_entries(self, name: HostEntry) -> list[Row]:
        """All entries of the host of one name, in their order. Raises JournalCorrupt as `require_numbered`."""
        self.require_numbered()
        sql = f"SELECT {COLUMNS} FROM entries INDEXED BY host_entries WHERE kind = 'host' AND name = ? ORDER BY seq"  # noqa: S608 - constants
        return [Row(*raw) for raw in self.select(sql, [name.value])]

    def require_numbered(self) -> None:
        """Raise JournalCorrupt where entries have numbers below 1: nothing is chained to them, so nothing vouches."""
        try:
            found = below_one(self.select)
        except JournalCorrupt:
            return  # of a page that the file does not give nobody reads such an entry either
        if found:
            named = ", ".join(map(str, found))
            raise JournalCorrupt(
                f"there are entries before the first, put in by somebody else: {named}",
                self.path,
                f"See what `feltd journal verify` says; {SET_ASIDE}",
            )

    def require_made(self) -> None:
        """Raise JournalCorrupt where the file has a trigger, view, table or index more or less than feltd makes.

        A trigger would change each entry as it is written. What the indexes hold `structure_faults` looks at.
        """
        fault = next(schema_faults(self.select), None)
        if fault is not None:
            raise JournalCorrupt(
                f"it was changed by somebody else: {fault[1]}",
                self.path,
                f"See what `feltd journal verify` says; {SET_ASIDE}",
            )

    def require_indexed(self, head: Head) -> None:
        """Raise JournalCorrupt where an index does not have the newest entries as the table has them.

        A start finds by an index what nobody has accepted yet, the newest state and the keys of the open round.
        """
        fault = next(index_faults(self.select, max(0, head.seq - INDEX_CHECKED), head.seq), None)
        if fault is not None:
            raise JournalCorrupt(
                f"it was damaged, or changed by somebody else: {fault[1]}",
                self.path,
                f"See what `feltd journal verify` says; {SET_ASIDE}",
            )

    def structure_faults(self) -> Iterator[tuple[int, str]]:
        """What in the database is not as feltd makes it (`structure`): the entry, 0 for none, and words."""
        yield from structure_faults(self.select)

    def is_damaged(self) -> bool:
        """Whether SQLite finds its own pages damaged. It reads the whole file."""
        return is_damaged(self.select)

    def row_out_of_place(self, seq: int) -> tuple[Row, Any] | None:
        """`row_with_chain` of a damaged file: every entry is looked at until one has this number.

        Numbers that are damaged themselves lead a search by number astray, also to their neighbours.
        """
        return self._one("entries NOT INDEXED WHERE +seq = ? LIMIT 1", seq)

    def made(self) -> Made:
        """What the file says of itself outside the chain."""
        meta = dict(self.select("SELECT name, value FROM meta WHERE name IN ('created', 'format')", []))
        return made_of(meta, self.select("PRAGMA user_version", [])[0][0])

    def first_key(self) -> bytes | None:
        """The public key that signed the record's first head; None where no head has been signed."""
        row = self.select("SELECT value FROM meta WHERE name = 'first_key'", [])
        return row[0][0] if row and isinstance(row[0][0], bytes) else None

    def head(self) -> Head:
        """The end of the chain."""
        try:
            return read_head(self._connection, self.path)
        except sqlite3.ProgrammingError as error:
            raise self._closed() from error
        except sqlite3.Error as error:
            raise named(error, self.path) from error

    def newest(self, name: HostEntry, before: int | None = None) -> Row | None:
        """The newest entry of the host of that name. `before`: of those before this entry."""
        earlier = "" if before is None else " AND seq < ?"
        newest = f"SELECT max(seq) FROM entries WHERE kind = 'host' AND name = ? AND seq > 0{earlier}"  # noqa: S608 - constants
        sql = f"SELECT {COLUMNS} FROM entries WHERE seq = ({newest})"  # noqa: S608 - constants
        found = self.select(sql, [name.value] if before is None else [name.value, before])
        return Row(*found[0]) if found else None

    def newest_numbers(self, name: HostEntry, most: int) -> list[int]:
        """The numbers of the newest entries of the host of that name, the newest first; the index alone is read."""
        sql = (
            "SELECT seq FROM entries INDEXED BY host_entries WHERE kind = 'host' AND name = ? AND seq > 0"
            " ORDER BY seq DESC LIMIT ?"
        )
        return [row[0] for row in self.select(sql, [name.value, most])]

    def select(self, sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.ProgrammingError as error:
            raise self._closed() from error
        except sqlite3.Error as error:
            raise named(error, self.path) from error

    def unreadable(self, seq: int) -> JournalCorrupt:
        return JournalCorrupt(f"entry {seq} cannot be read", self.path, "See what `feltd journal verify` says of it")

    def _closed(self) -> JournalClosed:
        return JournalClosed("the journal is closed", self.path, "Open it again")


def _conditions(span: Span) -> tuple[list[str], list[Any]]:
    limits: list[tuple[str, Any]] = [
        ("seq > ?", span.after),
        ("seq <= ?", span.until),
        ("wall >= ?", span.wall_from),
        ("wall <= ?", span.wall_to),
        ("round = ?", span.round),
        ("kind = ?", None if span.kind is None else span.kind.value),
        ("name = ?", span.name),
        ("device = ?", span.device),
    ]
    given = [(condition, value) for condition, value in limits if value is not None]
    return [condition for condition, _ in given], [value for _, value in given]
