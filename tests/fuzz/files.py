"""Files that somebody may have changed: a table's configuration, and its record."""

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from feltd.record import JournalReader, Reveal, Span
from feltd.record.entries import FIELD_NAMES
from feltd.record.export import export, verify_export
from feltd.record.findings import Verification
from feltd.record.verify import verify
from feltd.table.config.config import ConfigError, ConfigFileError, read_config, read_text
from feltd.table.journal import Journal
from feltd.text.errors import JournalError
from table_fsm.events import CardExposed, CardPlaced
from tests.feltd.example import EXAMPLE, uncommented
from tests.fuzz.target import Judge, Target

RECORD = Path(__file__).parent / "a.journal"
"""A record of two rounds that are over and one that is not; `python -m tests.fuzz --record` makes another."""
KEY = bytes(range(32))


@contextmanager
def _configuration() -> Iterator[Judge]:
    with tempfile.TemporaryDirectory(prefix="feltd-fuzz-") as folder:
        file = Path(folder) / "table.toml"

        def judge(data: bytes) -> None:
            file.write_bytes(data)
            with suppress(ConfigError, ConfigFileError):
                read_config(read_text(file), file.name, file.parent)

        yield judge


def _texts() -> Sequence[bytes]:
    text = uncommented()
    return [EXAMPLE.read_bytes(), text.encode(), *(part.encode() for part in text.split("\n\n"))]


def _read(file: Path) -> list[tuple[Any, ...]] | None:
    """The rows of a record, read in every way; None where it is refused or found to be changed."""
    try:
        with JournalReader.open(file, KEY) as reader:
            found = verify(reader)
            rows = [tuple(getattr(row, name) for name in FIELD_NAMES) for row in reader.rows(Span())]
            list(reader.entries(Span(), reveal=Reveal.FINISHED))
            list(reader.entries(Span(), newest_first=True))
            verify_export(export(reader, 1, rows[-1][0]))
    except JournalError:
        return None
    return rows if _sound(found) else None


def _sound(found: Verification) -> bool:
    return found.sound


@contextmanager
def _record() -> Iterator[Judge]:
    with tempfile.TemporaryDirectory(prefix="feltd-fuzz-") as folder:
        file = Path(folder) / "table.journal"
        file.write_bytes(RECORD.read_bytes())
        written = _read(file)
        assert written is not None

        def judge(data: bytes) -> None:
            for path in Path(folder).iterdir():
                path.unlink()
            file.write_bytes(data)
            rows = _read(file)
            assert rows is None or rows == written, "a changed record is sound"

        yield judge


@contextmanager
def _rows() -> Iterator[Judge]:
    """An input is the number of an entry, that of a field, a type, and what is written there."""
    with tempfile.TemporaryDirectory(prefix="feltd-fuzz-") as folder:
        file = Path(folder) / "table.journal"
        file.write_bytes(RECORD.read_bytes())
        with closing(sqlite3.connect(file)) as database:
            fields = [str(row[1]) for row in database.execute("PRAGMA table_info(entries)")]
            last = int(database.execute("SELECT max(seq) FROM entries").fetchone()[0])

        def judge(data: bytes) -> None:
            for path in Path(folder).iterdir():
                path.unlink()
            file.write_bytes(RECORD.read_bytes())
            seq, field = 1 + sum(data[:1]) % last, fields[sum(data[1:2]) % len(fields)]
            with closing(sqlite3.connect(file)) as database:
                database.execute("PRAGMA synchronous=OFF")
                before = _row(database, seq)
                with suppress(sqlite3.IntegrityError):
                    database.execute(f"UPDATE entries SET {field} = ? WHERE seq = ?", (_value(data[2:]), seq))
                database.commit()
                same = _row(database, seq) == before
            assert _read(file) is None or same, f"entry {seq}, {field}: changed, and sound"

        yield judge


def _row(database: sqlite3.Connection, seq: int) -> list[tuple[Any, ...]]:
    return database.execute("SELECT * FROM entries WHERE seq = ?", (seq,)).fetchall()


def _value(data: bytes) -> bytes | str | int | float | None:
    kind, rest = data[:1], data[1:]
    if not kind:
        return None
    as_kind = kind[0] % 4
    if as_kind == 0:
        return rest
    if as_kind == 1:
        return rest.decode("utf-8", "replace")
    number = int.from_bytes(rest[:8], "big", signed=True)
    return number if as_kind == 2 else number / 1000


def make_record() -> None:
    """Write the record anew. Its seals are made by chance: no two are the same."""
    RECORD.unlink(missing_ok=True)
    journal = Journal.open(RECORD, KEY)
    for number in (1, 2, 3):
        journal.begin_round(number)
        for event in (
            CardPlaced(t=1.0, zone="seat:1", card="As"),
            CardPlaced(t=1.0, zone="seat:2", card="Kd"),
            CardExposed(t=2.0, zone="seat:1", card="As"),
        ):
            journal.append_event(event, source=None, round_number=number, rulebook_digest="ab" * 32)
        if number < 3:
            journal.end_round(number)
    journal.append_note("feltd stops")
    journal.close()
    for beside in (".keys", ".lock"):
        RECORD.with_name(RECORD.name + beside).unlink(missing_ok=True)


def _cells() -> Sequence[bytes]:
    return [bytes((entry, field)) + rest for entry in range(0, 12, 3) for field in range(14) for rest in (b"", b"\1{}")]


CONFIGURATION = Target("configuration", _configuration, _texts, (b"[[device]]", b"= ", b'"""', b"inf", b"[a.b]", b"#"))
RECORDS = Target("record", _record, lambda: [RECORD.read_bytes()])
ROWS = Target("rows", _rows, _cells, (b"\1", b"\2", b'\1{"ev":"x"}', b"\0\0\0"))
