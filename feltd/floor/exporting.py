"""A part of a table's record from the floor's copy: JSON Lines with their proof, and the signed heads beside them.

`feltd journal verify FILE.jsonl --witness FILE.heads` proves the part, on any machine, by the table's own signatures.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from feltd.record.export import closed_part, export, span_between
from feltd.record.reader import JournalReader
from feltd.record.signed_heads import Heads, heads_file, read_heads
from feltd.record.stored_rows import Span
from feltd.text.errors import JournalForeign, JournalMissing


@dataclass(frozen=True, slots=True)
class Part:
    """What of a record is wanted: a round, or what was written within a time (wall seconds, both ends included)."""

    round: int | None = None
    since: float | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written. `signed`: the entry whose signed head the part is proved by; None where none is behind it."""

    file: Path
    first: int
    last: int
    signed: int | None


@dataclass(frozen=True, slots=True)
class _Ends:
    first: int
    last: int


def write_export(copy: Path, part: Part, target: Path) -> Exported:
    """Write the part of a restored copy to `target`, and its signed heads beside it (`.heads`).

    Nothing is written over, and no link is followed, a dangling one neither: root runs this. Raises JournalError:
    JournalMissing where the copy has nothing of the part that is over.
    """
    heads = read_heads(heads_file(copy))
    beside = target.with_suffix(".heads")
    for file in (target, beside):
        if os.path.lexists(file):
            raise _there_already(file)
    with JournalReader.open(copy) as reader:
        asked = _asked(reader, part)
        last, _ = closed_part(reader, asked.first, asked.last)
        signed = _signed_behind(heads, last)
        end = last if signed is None else signed
        lines = export(reader, asked.first, min(asked.last, end), through=end)
        with _made(target) as out:
            out.writelines(f"{line}\n".encode() for line in lines)
    if heads is not None:
        with _made(beside) as out:
            out.write(heads_file(copy).read_bytes())
    return Exported(target, asked.first, last, signed)


def _made(file: Path) -> BinaryIO:
    """Make a file. What is laid in its place since it was looked for, a link too, is not opened."""
    try:
        return file.open("xb")
    except FileExistsError:
        raise _there_already(file) from None


def _there_already(file: Path) -> JournalForeign:
    return JournalForeign("something is there already", file, "Name a folder that has no such file yet")


def _asked(reader: JournalReader, part: Part) -> _Ends:
    head = reader.head().seq
    if part.round is not None:
        ends = [*_round_ends(reader, part.round)]
        if not ends:
            raise JournalMissing(f"the floor has no round {part.round} of it", reader.path, "See what the floor has")
        return _Ends(min(ends), max(ends))
    if part.since is None and part.until is None:
        return _Ends(1, head)
    span = span_between(reader, part.since, part.until)
    if span is None:
        raise JournalMissing("nothing was written in this time", reader.path, "Name another time")
    return _Ends(*span)


def _round_ends(reader: JournalReader, number: int) -> Iterator[int]:
    for newest_first in (False, True):
        row = next(reader.rows(Span(round=number), newest_first=newest_first), None)
        if row is not None:
            yield row.seq


def _signed_behind(heads: Heads | None, last: int) -> int | None:
    """The first signed head that is not before entry `last`: the shortest proof."""
    if heads is None:
        return None
    return next((head.seq for head in heads.heads if head.seq >= last), None)
