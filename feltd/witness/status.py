"""What stands in a witness's folder, for who asks beside it: it is read as it lies."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.record.signed_heads import HeadsEnd, read_end
from feltd.text.errors import JournalError
from feltd.witness.ledger import CONTRADICTIONS

_KINDS: Final = frozenset(kind.value for kind in CONTRADICTIONS)


@dataclass(frozen=True, slots=True)
class TableStatus:
    """What a witness has of a table. `heard`: wall seconds, None for never; `faults`: what somebody must look at."""

    table: str
    end: HeadsEnd | None
    heard: float | None
    faults: tuple[str, ...]


def statuses(folder: Path, tables: Iterable[str], silent_after: float, now: float) -> Iterator[TableStatus]:
    """One for each table. `now`: wall seconds. Raises OSError."""
    for table in tables:
        file = folder / f"{table}.heads"
        faults: list[str] = []
        end = None
        try:
            end = read_end(file)
        except JournalError as damage:
            faults.append(damage.what)
        heard = file.stat().st_mtime if file.exists() else None
        if heard is None:
            faults.append("no head of it has come yet")
        elif now - heard > silent_after:
            faults.append(f"silent for {now - heard:.0f} s")
        faults += _contradictions(folder / f"{table}.alarms")
        yield TableStatus(table, end, heard, tuple(faults))


def _contradictions(file: Path) -> Iterator[str]:
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            alarm = json.loads(line)
            if alarm["kind"] in _KINDS:
                yield f"{alarm['kind']}: {alarm['words']}"
        except (ValueError, KeyError, TypeError):
            yield f"a line of {file.name} cannot be read"
