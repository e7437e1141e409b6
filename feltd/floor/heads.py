"""Heads that a table has signed, checked against the key that is pinned and against the floor's own chain.

A wrong one is alarmed and not taken; the rows go on coming, so nothing is lost by it.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Final

from feltd.custody.messages import Beat, Stand
from feltd.custody.rows import DIGEST_BYTES, chains_of
from feltd.floor.alarming import tell
from feltd.floor.engine import Alarm, AlarmKind, Engine, JournalStatus, Signed
from feltd.record.entries import chain_start
from feltd.record.signed_heads import FirstKey, SignedHead, size_of

_HEADS: Final = 1000
KNOWN: Final = 32
"""Of a table's newest entries, whose chains need not be asked for: it signs its head each ten seconds."""
_REMEDY: Final = (
    "The writer does not have this table's key: find out who shows its certificate. The rows are kept; hold them "
    "against the table's own record (`feltd journal verify`), and keep both as evidence"
)


class WrongHeadError(Exception):
    """A head that is not the journal's own, in words."""


class HeadKeeper:
    """The signed heads of one connection's journal."""

    def __init__(self, table: str, journal: bytes, engine: Engine) -> None:
        self._table = table
        self._journal = journal
        self._engine = engine
        self._batch: dict[int, bytes] = {}
        """The floor's chain behind each entry of the batch that was looked at last."""
        self._newest: tuple[int, bytes] = (0, b"")
        """The floor's chains behind its newest entries, from which on, one behind the other."""
        self._signed: Signed | None = None
        """What the floor had behind the last heads that were added here; None asks it. It may have changed since: heads
        are added where it has not, and else it is asked anew."""

    async def size(self) -> int:
        """How many bytes the floor has of the table's file of heads. Raises FloorAwayError."""
        signed = self._signed or await self._engine.signed(self._journal)
        return 0 if signed is None else signed.at

    def know(self, first: int, chains: Sequence[bytes]) -> None:
        """The floor's chains behind entry `first` and those that follow."""
        begin, known = self._newest
        if first != begin + len(known) // DIGEST_BYTES:
            begin, known = first, b""
        known += b"".join(chains)
        over = max(0, len(known) // DIGEST_BYTES - KNOWN)
        self._newest = begin + over, known[over * DIGEST_BYTES :]

    async def take(self, beat: Beat, stand: Stand) -> None:
        """Keep the heads of a beat, as far as they are good. `stand`: the floor's head. Raises FloorAwayError."""
        lines: Sequence[str] = beat.heads
        signed, self._signed = self._signed, None
        if not lines:
            return
        if signed is None:
            signed = await self._engine.signed(self._journal)
        if beat.heads_at != (0 if signed is None else signed.at):
            return
        self._stands(stand)
        try:
            if signed is None or signed.at == 0:
                signed, lines = await self._pinned(lines[0]), lines[1:]
            await self._checked(lines, signed, stand.seq)
        except WrongHeadError as wrong:
            seq = 0 if signed is None else signed.seq
            alarm = Alarm(self._table, self._journal, AlarmKind.HEADS, seq, f"{wrong}. {_REMEDY}")
            await tell(self._engine, alarm)

    def _stands(self, stand: Stand) -> None:
        """Forget chains that do not lead to the floor's head: it was put back, or another connection adds."""
        begin, known = self._newest
        if begin + len(known) // DIGEST_BYTES != stand.seq + 1 or not known.endswith(stand.chain):
            self._newest = stand.seq, stand.chain

    async def _pinned(self, line: str) -> Signed:
        """Pin the key of the file's first line. Raises WrongHeadError."""
        try:
            first = FirstKey.parse(line)
        except ValueError:
            raise WrongHeadError("the file of signed heads does not begin as one") from None
        if first.journal_id != self._journal:
            raise WrongHeadError(f"the signed heads are those of another journal, {first.journal_id.hex()}")
        signed = Signed(first.key, size_of([first]), 0, first.key)
        if not await self._engine.pin(self._journal, signed):
            raise WrongHeadError("the heads begin with another key than the one that is pinned for this journal")
        return signed

    async def _checked(self, lines: Sequence[str], before: Signed, stand: int) -> None:
        good: list[SignedHead] = []
        after, wrong = before, None
        try:
            for line in lines:
                head = self._by_the_key(line, after)
                if head.seq > stand:
                    break  # its rows are still on their way
                if await self._chain(head.seq) != head.chain:
                    words = f"the head of entry {head.seq} is signed, and of another history than the floor's"
                    raise WrongHeadError(words)
                good.append(head)
                after = replace(
                    after, at=after.at + size_of([line]), seq=head.seq, key=head.next_key, wall_ms=head.wall_ms
                )
        except WrongHeadError as fault:
            wrong = fault
        if good and await self._engine.add_heads(self._journal, good, before, after):
            self._signed = after
        if wrong is not None:
            raise wrong

    def _by_the_key(self, line: str, signed: Signed) -> SignedHead:
        try:
            head = SignedHead.parse(line)
        except ValueError:
            raise WrongHeadError(f"behind the head of entry {signed.seq} comes what is none") from None
        if not head.is_by(signed.key, self._journal):
            raise WrongHeadError(f"the head of entry {head.seq} is not signed by the key that was named for it")
        if head.seq < signed.seq:
            raise WrongHeadError(f"the head of entry {head.seq} comes behind that of entry {signed.seq}")
        return head

    async def _chain(self, seq: int) -> bytes | None:
        """The floor's chain behind entry `seq`."""
        if seq == 0:
            return chain_start(self._journal)
        begin, known = self._newest
        if 0 <= (at := (seq - begin) * DIGEST_BYTES) < len(known):
            return known[at : at + DIGEST_BYTES]
        if seq not in self._batch:
            self._batch = {}
            for batch in await self._engine.batches(self._journal, seq - 1, 1):
                chains = chains_of(batch.before, batch.rows)
                self._batch = dict(enumerate(chains, batch.first - 1))
        return self._batch.get(seq)


async def witness_lines(engine: Engine, journal: JournalStatus, until: int | None = None) -> AsyncIterator[str]:
    """The lines of the journal's file of signed heads, as the floor has them; none where it has none.

    `until`: the last entry whose head is wanted; None: all. `feltd journal verify --witness` takes them. Raises
    FloorAwayError.
    """
    if journal.signed is None:
        return
    yield str(FirstKey(journal.journal, journal.signed.first_key))
    told = 0
    while heads := await engine.heads_of(journal.journal, told, _HEADS):
        for head in heads:
            if until is not None and head.seq > until:
                return
            yield str(head)
        told += len(heads)
