"""Journals that are a pure function of their seed, and rows of them, for custody's tests."""

import hashlib
from collections.abc import Coroutine
from typing import Any, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.custody.rows import chains_of
from feltd.floor.engine import Batch
from feltd.record.entries import chain_start, encode
from feltd.record.rows import StoredRows
from feltd.record.signed_heads import FirstKey, HeadLines, SignedHead, message_of

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
        self.signed: list[str] = []

    def play(self, entries: int) -> None:
        """The table writes so many entries."""
        for _ in range(entries):
            self.rows.append(row(self.journal_id, len(self.rows) + 1, self.history))
            self.chains.append(chains_of(self.chains[-1], self.rows[-1:])[1])

    def sign(self) -> None:
        """The table signs its head."""
        if not self.signed:
            self.signed.append(str(FirstKey(self.journal_id, _public(self._key(1)))))
        number, seq = len(self.signed), len(self.rows)
        next_key = _public(self._key(number + 1))
        signature = self._key(number).sign(message_of(self.journal_id, seq, number, self.chains[-1], next_key))
        self.signed.append(str(SignedHead(seq, number, self.chains[-1], next_key, signature)))

    def _key(self, number: int) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"%b %d" % (self.journal_id, number)).digest())

    def heads(self, at: int, most: int) -> HeadLines:
        """As `feltd.record.rows` has it."""
        content = "".join(f"{line}\n" for line in self.signed)[at:]
        return HeadLines(at, tuple(content.split("\n")[:-1][:most]))

    def cut(self, head: int) -> None:
        """The journal is put back to an old image of itself."""
        del self.rows[head:]
        del self.chains[head + 1 :]
        while len(self.signed) > 1 and SignedHead.parse(self.signed[-1]).seq > head:
            del self.signed[-1]

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


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()
