"""Proof of a journal's signed heads: each by the key that was valid then, and over the chain of the rows that are kept.

Who can write into the database can make rows, chains and heads anew that fit each other. These signatures they cannot.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from feltd.custody.errors import FloorDamagedError
from feltd.floor.engine import Engine, JournalStatus
from feltd.record.signed_heads import SignedHead

_HEADS: Final = 1000


class HeadsProof:
    """The heads of one journal, up to the last one that it had when its `status` was asked; used once, in order.

    Each call returns the first fault, as the entry and words; None for none. It raises FloorAwayError.
    """

    def __init__(self, engine: Engine, journal: JournalStatus) -> None:
        self._engine = engine
        self._journal = journal.journal
        self._signed = journal.signed
        self._key = b"" if journal.signed is None else journal.signed.first_key
        self._ahead: deque[SignedHead] = deque()
        self._read = 0
        self._last = 0
        """The entry of the last head that is good."""

    async def up_to(self, seq: int, chains: Sequence[bytes]) -> tuple[int, str] | None:
        """Prove the heads of the entries of a batch. `chains`: behind entry `seq` and each further one."""
        try:
            while (head := await self._next()) is not None and head.seq < seq + len(chains):
                if (words := self._fault(head, seq, chains)) is not None:
                    return head.seq, words
                self._ahead.popleft()
                self._key, self._last = head.next_key, head.seq
        except FloorDamagedError as unread:
            return self._last, f"the signed heads behind entry {self._last} cannot be read: {unread.what}"
        return None

    def _fault(self, head: SignedHead, seq: int, chains: Sequence[bytes]) -> str | None:
        if not head.is_by(self._key, self._journal):
            return f"the head of entry {head.seq} is not signed by the key that was valid then"
        if head.seq < seq or chains[head.seq - seq] != head.chain:
            return f"the table has signed other entries up to entry {head.seq} than those that are kept"
        return None

    def missing(self) -> tuple[int, str] | None:
        """What is to be told once all rows were looked at: heads that are not there any more."""
        if self._signed is None or self._key == self._signed.key:
            return None
        words = f"the signed heads end at entry {self._last}, the floor has had them up to entry {self._signed.seq}"
        return self._last, words

    async def _next(self) -> SignedHead | None:
        """The next head; None behind the last."""
        if self._signed is None or self._key == self._signed.key:
            return None
        if not self._ahead:
            self._ahead.extend(await self._engine.heads_of(self._journal, self._read, _HEADS))
            self._read += len(self._ahead)
        return self._ahead[0] if self._ahead else None
