"""How long each table has been silent, over the witness's own starts.

`silences.json` in the witness's folder keeps it, roughly: it is written where it would say something else, so a witness
whose tables are heard writes nothing. What passed while no witness ran counts for nothing: nobody could be heard.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from feltd.text.atomic_file import replace_atomically

FILE: Final = "silences.json"
STEP: Final = 0.4
"""By so much of the time that is alarmed what is kept is exact. More than the third in which a table at rest signs, so
that nothing is written of tables that are heard, and little enough that a sender calls again before the alarm."""


class Silences:
    """The tables' silences. Belongs to one loop."""

    def __init__(self, folder: Path, tables: Iterable[str], silent_after: float, steady: Callable[[], float]) -> None:
        """`silent_after`: seconds that are alarmed. Raises OSError."""
        self._file = folder / FILE
        self._silent_after = silent_after
        self._step = STEP * silent_after
        self._steady = steady
        kept, now = _read(self._file), steady()
        # A witness that was killed has not said how much came since it wrote: one that is killed again and again
        # before a step has passed would else give each table its whole time anew, for ever.
        more = 0.0 if kept is None or kept["closed"] else self._step
        seconds, alarmed = ({}, []) if kept is None else (kept["seconds"], kept["alarmed"])
        self._since = {table: now - (seconds[table] + more if table in seconds else 0.0) for table in tables}
        self._alarmed = {table for table in self._since if table in alarmed}
        self._written: Any = None

    def heard(self, table: str) -> bool:
        """A table was heard; whether its silence had been alarmed."""
        self._since[table] = self._steady()
        was = table in self._alarmed
        self._alarmed.discard(table)
        return was

    def due(self) -> Iterator[str]:
        """The tables whose silence is to be alarmed now, each once."""
        now = self._steady()
        for table, since in self._since.items():
            if table not in self._alarmed and now - since > self._silent_after:
                self._alarmed.add(table)
                yield table

    def keep(self, *, closing: bool = False) -> None:
        """Write it down, where it is another than was written. `closing`: exactly, by a witness that stops itself.

        Raises OSError.
        """
        now, step = self._steady(), 0.001 if closing else self._step
        seconds = {table: min(now - since, self._silent_after) // step * step for table, since in self._since.items()}
        state = {"closed": closing, "seconds": seconds, "alarmed": sorted(self._alarmed)}
        if state == self._written:
            return
        replace_atomically(self._file, json.dumps(state).encode() + b"\n", self._file.parent.stat())
        self._written = state


def _read(file: Path) -> dict[str, Any] | None:
    """What was kept; None where nothing was, or it is damaged: then each table has its whole time."""
    try:
        kept = json.loads(file.read_bytes())
        seconds = {str(table): float(value) for table, value in kept["seconds"].items()}
        return {"closed": kept["closed"] is True, "seconds": seconds, "alarmed": list(kept["alarmed"])}
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
