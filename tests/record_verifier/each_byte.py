"""Each byte of each entry of a record, changed one at a time: both verifiers must tell each, and name that entry.

So must they where a field loses its value, and where one that has none gets one.

    python -m tests.record_verifier.each_byte                  every byte of every entry, by feltd
    python -m tests.record_verifier.each_byte --other          by the one in JavaScript too (some ten times as long)
    python -m tests.record_verifier.each_byte --every 50       every fiftieth

A byte is one of the entry's canonical encoding, or of the chain's value beside it. What a field says is changed, not
how the file keeps it: damage of the file's own pages is another matter.
"""

import argparse
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from click.testing import CliRunner

from feltd.cli import cli
from feltd.record.entries import FIELD_NAMES
from tests.record_verifier.forgeries import Record, copied, sound

Value: TypeAlias = int | float | str | bytes
PROGRAM: Final = Path(__file__).with_name("verify.mjs")
COLUMNS: Final = (*FIELD_NAMES, "chain")
INTO_NULL: Final[dict[str, tuple[Value, ...]]] = {
    "t": (0.0, 1.5),
    "round": (0, 1),
    "rulebook": (b"", bytes(32)),
    "answers": (0, 1),
    "device": ("", "shoe"),
    "boot_id": (b"", bytes(16)),
    "device_seq": (0, 1),
    "key": (0, 1),
    "sealed": (b"", bytes(92)),
}
"""The fields that may have no value, and what a forger puts there: nothing but a type, and what looks like one."""


@dataclass(frozen=True, slots=True)
class Change:
    """One bit of byte `at` of a field's value in entry `seq`."""

    seq: int
    field: str
    at: int

    def of(self, value: Value) -> tuple[str, Any]:
        """How SQL takes the changed value, and that value."""
        content = bytearray(_bytes(value))
        content[self.at] ^= 1 << ((self.seq + self.at) % 8)
        if isinstance(value, int):
            return "?", struct.unpack(">q", content)[0]
        if isinstance(value, float):
            return "?", struct.unpack(">d", content)[0]
        return ("CAST(? AS TEXT)" if isinstance(value, str) else "?"), bytes(content)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A field of entry `seq` that gets another value whole; None: it loses the one that it has."""

    seq: int
    field: str
    put: Value | None

    def of(self, _value: object) -> tuple[str, Any]:
        """How SQL takes the value, and that value."""
        return "?", self.put


AnyChange: TypeAlias = Change | Exchange


def _bytes(value: Value) -> bytes:
    if isinstance(value, int):
        return struct.pack(">q", value)
    if isinstance(value, float):
        return struct.pack(">d", value)
    return value.encode() if isinstance(value, str) else value


def changes(record: Record) -> Iterator[Change]:
    """Every byte there is."""
    for seq, field, value in _fields(record):
        yield from (Change(seq, field, at) for at in range(0 if value is None else len(_bytes(value))))


def exchanges(record: Record) -> Iterator[Exchange]:
    """Each value into none, and each none into values of its type."""
    for seq, field, value in _fields(record):
        puts: tuple[Value | None, ...] = (None,) if value is not None else INTO_NULL[field]
        yield from (Exchange(seq, field, put) for put in puts)


def _fields(record: Record) -> Iterator[tuple[int, str, Value | None]]:
    database = sqlite3.connect(record.path)
    rows = database.execute(f"SELECT {', '.join(COLUMNS)} FROM entries ORDER BY seq").fetchall()
    database.close()
    for row in rows:
        yield from ((row[0], field, value) for field, value in zip(COLUMNS, row, strict=True))


def carried_out(record: Record, change: AnyChange) -> bool:
    """Change the record's file; False where it takes no such value (another entry's number; none where one must be)."""
    database = sqlite3.connect(record.path)
    try:
        [value] = database.execute(f"SELECT {change.field} FROM entries WHERE seq = ?", (change.seq,)).fetchone()
        how, changed = change.of(value)
        database.execute(f"UPDATE entries SET {change.field} = {how} WHERE seq = ?", (changed, change.seq))
        database.commit()
    except sqlite3.IntegrityError:
        return False
    finally:
        database.close()
    return True


def named_by_feltd(record: Record) -> str:
    """What `feltd journal verify` says."""
    return CliRunner().invoke(cli, ["journal", "verify", str(record.path)]).output


def named_by_other(record: Record) -> str:
    """What the verifier in JavaScript says."""
    node = shutil.which("node")
    assert node is not None
    words = [node, str(PROGRAM), str(record.path)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def names(said: str, change: AnyChange) -> bool:
    """Whether a verifier's words name the entry that was changed."""
    return f"entry {change.seq}: " in said


def missed(record: Record, folder: Path, change: AnyChange, *, other: bool) -> Iterator[str]:
    """Who does not name the entry of a change, with what it says."""
    forged = copied(record, folder)
    if carried_out(forged, change):
        for who, ask in (("feltd", named_by_feltd), ("verify.mjs", named_by_other))[: 2 if other else 1]:
            said = ask(forged)
            if not names(said, change):
                yield f"{who}: {change}: {said}"
    shutil.rmtree(forged.path.parent)


def main(words: list[str] | None = None) -> int:
    """Change them all; the status is 1 where one was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args(words)
    done = found = 0
    with tempfile.TemporaryDirectory(prefix="feltd-each-byte-") as folder:
        record = sound(Path(folder) / "sound")
        every: Iterator[AnyChange] = chain(changes(record), exchanges(record))
        for change in islice(every, 0, None, asked.every):
            done += 1
            for miss in missed(record, Path(folder), change, other=asked.other):
                found += 1
                sys.stdout.write(f"{miss}\n")
    sys.stdout.write(f"{done} changes, {found} missed\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
