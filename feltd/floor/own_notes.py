"""Which refusals the floor's own record has, read as it grows."""

import json
from collections.abc import Mapping
from typing import Any, Final

from feltd.floor.engine import Engine
from feltd.record.entries import HostEntry, decode

_AT_ONCE: Final = 64
"""Batches."""
_SAME_IN: Final = ("tournament", "waiting", "event", "step", "number", "entry")
"""Two notes that agree in these are of one refusal. Words and clauses may be another feltd's."""


class OwnNotes:
    """Reads the notes of one kind. Belongs to one loop. Every call raises FloorAwayError."""

    def __init__(self, engine: Engine, note: str) -> None:
        """`note`: what their field of this name says."""
        self._engine = engine
        self._note = note
        self._journal = b""
        self._read = 0
        self._chain = b""
        """Behind the last entry that was read."""
        self._found: set[tuple[object, ...]] = set()

    async def has(self, journal: bytes, body: Mapping[str, Any]) -> bool:
        """Whether this journal has a note of the same refusal."""
        await self._begin(journal)
        while batches := await self._engine.batches(journal, self._read, _AT_ONCE):
            for batch in batches:
                for _, data in batch.behind(self._read):
                    self._take(data)
                self._read, self._chain = batch.last, batch.chain
        return _same(body) in self._found

    async def _begin(self, journal: bytes) -> None:
        """Go on behind what was read; from the beginning where the database was put back, and has other entries."""
        heads = [one.stand.seq for one in await self._engine.status() if one.journal == journal]
        follows = journal == self._journal and heads and heads[0] >= self._read
        if follows and self._read and await self._engine.chain_at(journal, self._read) != self._chain:
            follows = False
        if not follows:
            self._journal, self._read, self._chain = journal, 0, b""
            self._found.clear()

    def _take(self, data: bytes) -> None:
        if self._note.encode() not in data:
            return  # a year of sign-ins is not read for a handful of notes
        row = decode(data)
        if row.name != HostEntry.NOTE:
            return
        body = json.loads(row.body)
        if body.get("note") == self._note:
            self._found.add(_same(body))


def _same(body: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(body.get(name) for name in _SAME_IN)
