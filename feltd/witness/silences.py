"""How long each table has been silent, over the witness's own starts.

`silences.json` in the witness's folder keeps it, roughly: it is written where it would say something else, so a witness
whose tables are heard writes nothing. What passed while no witness ran counts for nothing behind a witness that stopped
itself, since nobody could be heard. One that was killed said nothing of the time since it wrote: that time counts, by
the clocks, and never as more than `STEP`.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from feltd.text.atomic_file import replace_atomically

FILE: Final = "silences.json"
STEP: Final = 0.4
"""By so much of the time that is alarmed what is kept is exact. More than the third in which a table at rest signs, so
that nothing is written of tables that are heard, and little enough that a sender calls again before the alarm."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """What a witness reads of time. `boot`: names the system's start within which `steady` counts; empty: unknown."""

    steady: Callable[[], float]
    wall: Callable[[], float]
    boot: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a table's own files say at a start, in the system's seconds: when it was heard last, when its newest silence
    was alarmed or told as over, and whether it was over."""

    heard_at: float | None = None
    told_at: float | None = None
    over: bool = False


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the file says. `steady`, `wall`, `boot`: as it was written; None of a witness before 0.12.0."""

    closed: bool = True
    seconds: dict[str, float] = field(default_factory=dict)
    alarmed: list[str] = field(default_factory=list)
    brought: dict[str, str] = field(default_factory=dict)
    steady: float | None = None
    wall: float = 0.0
    boot: str = ""

    def silent_for(self, table: str, more: float, wall: float, heard_at: float | None) -> float:
        """How long a table had been silent: by this file, `more` of a killed witness, and its file of heads.

        What that file shows of a time before the kill cannot be made up by killing the witness.
        """
        if table not in self.seconds:
            return 0.0
        silent = self.seconds[table] + more
        if self.closed or heard_at is None or heard_at > wall:  # a clock that was set back says nothing
            return silent
        return min(silent, wall - heard_at)

    def is_alarmed(self, table: str, found: Found) -> bool:
        """Whether a table's silence has been alarmed, and is not over.

        What a witness told that was killed before it wrote so here is in the table's own file alone: a silence that is
        alarmed would be alarmed again, and the next one of a table that was heard again never.
        """
        late = not self.closed and self.steady is not None and found.told_at is not None and found.told_at >= self.wall
        return not found.over if late else table in self.alarmed

    def since_written(self, clocks: Clocks, most: float) -> float:
        """Seconds that a killed witness may have run since it wrote, `most` where no clock says it.

        Each kill would else count as `most`, and three of them, a minute apart or not, would alarm every table.
        """
        if self.closed:
            return 0.0
        if self.steady is None:
            return most
        same = self.boot == clocks.boot != ""
        passed = clocks.steady() - self.steady if same else clocks.wall() - self.wall
        return min(most, passed) if passed >= 0 else most  # a clock that was set back says nothing


class Silences:
    """The tables' silences. Belongs to one loop."""

    def __init__(
        self,
        folder: Path,
        tables: Iterable[str],
        silent_after: float,
        clocks: Clocks,
        found: Mapping[str, Found] = MappingProxyType({}),
    ) -> None:
        """`silent_after`: seconds that are alarmed. `found`: what each table's own files say. Raises OSError."""
        self._file = folder / FILE
        self._silent_after = silent_after
        self._step = STEP * silent_after
        self._clocks = clocks
        kept, now = _read(self._file), clocks.steady()
        more = kept.since_written(clocks, self._step)
        nothing = Found()
        self._begun = {
            table: kept.silent_for(table, more, clocks.wall(), found.get(table, nothing).heard_at) for table in tables
        }
        """Each table's silence from which what is kept goes on in steps: rounded down at each start, a witness that is
        killed again and again within a step would count nothing."""
        self._since = {table: now - seconds for table, seconds in self._begun.items()}
        self._alarmed = {table for table in self._since if kept.is_alarmed(table, found.get(table, nothing))}
        self.brought = {table: address for table, address in kept.brought.items() if table in self._since}
        """By table, the address from which its newest head came."""
        self._written: Any = None

    def heard(self, table: str) -> bool:
        """A table was heard; whether its silence had been alarmed."""
        self._since[table], self._begun[table] = self._clocks.steady(), 0.0
        was = table in self._alarmed
        self._alarmed.discard(table)
        return was

    def due(self) -> list[str]:
        """The tables whose silence is to be alarmed now: each until `alarmed` is said of it."""
        now = self._clocks.steady()
        silent = (table for table, since in self._since.items() if now - since > self._silent_after)
        return [table for table in silent if table not in self._alarmed]

    def alarmed(self, table: str) -> None:
        """The table's silence has been alarmed."""
        self._alarmed.add(table)

    def keep(self, *, closing: bool = False, unwritten: Collection[str] = ()) -> None:
        """Write it down, where it is another than was written. `closing`: exactly, by a witness that stops itself.

        `unwritten`: tables with alarms that are on no disk yet; the next start alarms their silence itself. Raises
        OSError.
        """
        state = {
            "closed": closing,
            "seconds": {table: self._seconds(table, 0.001 if closing else self._step) for table in self._since},
            "alarmed": sorted(self._alarmed.difference(unwritten)),
            "brought": self.brought.copy(),
        }
        if state == self._written:
            return
        clocks = self._clocks
        written = {**state, "steady": clocks.steady(), "wall": clocks.wall(), "boot": clocks.boot}
        replace_atomically(self._file, json.dumps(written).encode() + b"\n", self._file.parent.stat())
        self._written = state

    def _seconds(self, table: str, step: float) -> float:
        begun = min(self._begun[table], self._silent_after)
        silent = min(self._clocks.steady() - self._since[table], self._silent_after)
        return begun + max(0.0, silent - begun) // step * step


def _seconds_of(value: Any) -> float:
    """Raises ValueError for seconds that would keep a table quiet for ever."""
    seconds = float(value)
    if not 0.0 <= seconds < math.inf:
        raise ValueError
    return seconds


def _read(file: Path) -> _Kept:
    """What was kept; nothing where it is damaged: then each table has its whole time."""
    try:
        kept = json.loads(file.read_bytes())
        return _Kept(
            kept["closed"] is True,
            {str(table): _seconds_of(value) for table, value in kept["seconds"].items()},
            list(kept["alarmed"]),
            {str(table): str(address) for table, address in kept.get("brought", {}).items()},
            float(kept["steady"]) if "steady" in kept else None,
            float(kept.get("wall", 0.0)),
            str(kept.get("boot", "")),
        )
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return _Kept()
