"""Whether a journal's database has the tables and indexes that feltd made, with what belongs in them, and no more.

The chain is over the entries alone. A trigger, a view, a table more or an index whose content is not the table's would
change what is read or written, and leave the chain as it is. SQLite's own check of its pages is made with it.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

from feltd.record.database import SCHEMA
from feltd.text.errors import JournalCorrupt

Select = Callable[[str, list[Any]], list[tuple[Any, ...]]]

_META: Final = frozenset({"journal_id", "created", "format", "first_key"})
_INDEXES: Final = (
    ("host_entries", "name, round, key, seq", "kind = 'host'"),
    ("rulings", "name, seq", "name = 'ruling'"),
)
_KEY_BYTES: Final = 32
_LISTED: Final = 20
"""At most so many entries are named that an index has wrong, and so many lines of SQLite's own check."""


def structure_faults(select: Select) -> Iterator[tuple[int, str]]:
    """What is not as feltd makes it: the entry that it is about, 0 for none, and words.

    `select`: runs a query on the journal. Raises JournalCorrupt where the file cannot be read.
    """
    yield from schema_faults(select)
    yield from _damage(select)
    names = sorted(str(row[0]) for row in select("SELECT name FROM meta", []))
    yield from (
        (0, f"the table meta has a row {name!r} that feltd does not write") for name in names if name not in _META
    )
    for (key,) in select("SELECT value FROM meta WHERE name = 'first_key'", []):
        if not (isinstance(key, bytes) and len(key) == _KEY_BYTES):
            yield 0, f"what the table meta has as first_key is no key: one has {_KEY_BYTES} bytes"
    yield from ((seq, f"there is an entry {seq}: the first is entry 1") for seq in below_one(select))
    for index, columns, of in _INDEXES:
        yield from _index_faults(select, index, columns, of)


def below_one(select: Select) -> list[int]:
    """The numbers of entries that stand before the first, ascending, at most twenty.

    The chain begins with entry 1, so it says nothing of them. Raises JournalCorrupt where the file cannot be read.
    """
    return [row[0] for row in select(f"SELECT seq FROM entries WHERE seq < 1 ORDER BY seq LIMIT {_LISTED}", [])]  # noqa: S608 - a constant


def schema_faults(select: Select) -> Iterator[tuple[int, str]]:
    """Of those the ones that the file's list of tables, indexes, views and triggers shows, without their content."""
    made = {_made(sql) for sql in SCHEMA}
    there = {(str(kind), str(name)): sql for kind, name, sql in select("SELECT type, name, sql FROM sqlite_schema", [])}
    for (kind, name), sql in sorted(there.items()):
        if (kind, name) not in {key for key, _ in made}:
            yield 0, f"the file has a {kind} {name!r} that feltd does not make"
        elif ((kind, name), sql) not in made:
            yield 0, f"the {kind} {name!r} is not as feltd makes it"
    for (kind, name), _ in sorted(made):
        if (kind, name) not in there:
            yield 0, f"the {kind} {name!r} is missing"


def index_faults(select: Select, after: int, until: int) -> Iterator[tuple[int, str]]:
    """The entries behind entry `after`, up to `until`, that an index has not as the table has them, with words.

    `until` ends at the chain's end: a table at work adds entries between the two looks. Raises JournalCorrupt where the
    file cannot be read.
    """
    for index, columns, of in _INDEXES:
        yield from _index_faults(select, index, columns, f"{of} AND seq > {after:d} AND seq <= {until:d}")


def is_damaged(select: Select) -> bool:
    """Whether SQLite finds its own pages, or the order of what lies in them, damaged. It reads the whole file."""
    return any(_damage(select))


def _damage(select: Select) -> Iterator[tuple[int, str]]:
    """What SQLite finds in its own file. The content of indexes is compared below, where its entries can be named."""
    try:
        lines = select(f"PRAGMA integrity_check({_LISTED})", [])
    except JournalCorrupt:  # it ends at a page of which it can make nothing
        lines = [("a page is damaged, and its check ends there",)]
    for (told,) in lines:
        text = " ".join(str(told).split())
        if text != "ok" and not any(f"index {index}" in text for index, _, _ in _INDEXES):
            yield 0, f"SQLite says of the file: {text}"


def _made(sql: str) -> tuple[tuple[str, str], str]:
    words = sql.split()
    return (words[1].lower(), words[2]), sql


def _index_faults(select: Select, index: str, columns: str, of: str) -> Iterator[tuple[int, str]]:
    """Hold the content of an index against the table."""
    try:
        listed = select(f"SELECT {columns} FROM entries INDEXED BY {index} WHERE {of}", [])  # noqa: S608 - constants
    except JournalCorrupt:
        return  # the index is missing, or another one: a fault of the schema
    true = select(f"SELECT {columns} FROM entries NOT INDEXED WHERE {of}", [])  # noqa: S608 - constants
    wrong = sorted({int(row[-1]) for row in set(listed) ^ set(true)})
    for seq in islice(wrong, _LISTED):
        yield seq, f"the index {index!r} does not have entry {seq} as the table has it"
    if not wrong and len(listed) != len(true):
        yield 0, f"the index {index!r} has {len(listed)} rows, and the table {len(true)}"
