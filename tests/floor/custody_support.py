"""Journals that are a pure function of their seed, and rows of them, for custody's tests."""

import hashlib
from collections.abc import Coroutine
from typing import Any, TypeVar

from feltd.custody.rows import chains_of
from feltd.floor.engine import Batch
from feltd.record.entries import chain_start, encode
from feltd.record.rows import StoredRows

_R = TypeVar("_R")


def at_once(work: Coroutine[Any, Any, _R]) -> _R:
    """The result of what waits for nothing: no loop, so no chance."""
    try:
        work.send(None)
    except StopIteration as done:
        value: _R = done.value
        return value
    raise AssertionError("it waits for something")


def row(journal: bytes, seq: int, history: int = 0) -> bytes:
    """Entry `seq` of a journal; another `history` has other entries."""
    text = hashlib.sha256(b"%b %d %d" % (journal, seq, history)).hexdigest()
    fields = (seq, "output", f"kind {seq % 7}", 1.5, 2.5, 3.5, 1, None, None, None, None, None, text, None, None)
    return encode(fields)


class FakeJournal:
    """A table's journal in memory, as the table hands it out."""

    def __init__(self, number: int, history: int = 0) -> None:
        self.journal_id = number.to_bytes(16, "big")
        self.history = history
        self.rows: list[bytes] = []
        self.chains = [chain_start(self.journal_id)]

    def play(self, entries: int) -> None:
        """The table writes so many entries."""
        for _ in range(entries):
            self.rows.append(row(self.journal_id, len(self.rows) + 1, self.history))
            self.chains.append(chains_of(self.chains[-1], self.rows[-1:])[1])

    def cut(self, head: int) -> None:
        """The journal is put back to an old image of itself."""
        del self.rows[head:]
        del self.chains[head + 1 :]

    def stored(self, after: int, most: int) -> StoredRows:
        """As `feltd.record.rows` has it."""
        if after > len(self.rows):
            return StoredRows(None, (), None, len(self.rows))
        rows = tuple(self.rows[after : after + most])
        return StoredRows(self.chains[after], rows, self.chains[after + len(rows)], len(self.rows))

    def batch(self, table: str, first: int, last: int) -> Batch:
        """The entries from `first` to `last`."""
        rows = tuple(self.rows[first - 1 : last])
        return Batch(table, self.journal_id, first, self.chains[first - 1], self.chains[first - 1 + len(rows)], rows)
