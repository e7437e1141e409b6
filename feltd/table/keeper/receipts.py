"""The floor's receipts at the table: one that is of this record, by a key of the table's own file, becomes a note.

One after each round's end at most, and none for what was written since: so a receipt brings no other.

A receipt of this record that the record does not bear out is the floor's word, under its key, that the record was put
back or copied: the table's own files cannot tell. It is told to people and put on record, and stops nothing: what stops
play must be the table's own.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from feltd.door import CommandRefused, PlayStopped
from feltd.door.obeying import FloorReceipt
from feltd.record import Reveal, Span
from feltd.record.entries import EntryKind, HostEntry
from feltd.record.notes import CONTRADICTED_NOTE, RECEIPT_NOTE
from feltd.record.receipts import Receipt
from feltd.record.rows import JournalRows
from feltd.table.journal import Journal
from feltd.table.keeper.keeper import TableKeeper

CONTRADICTED: Final = (
    "record: the floor has signed that it has other entries of this record, up to {entry}: it was put back to an older "
    "state, or its card was copied. Find out which, keep both, and begin a record of its own (feltd journal set-aside)"
)
_HOST: Final = EntryKind.HOST


class AnotherHistoryError(CommandRefused):
    """The floor's history is not the record's."""


class Receipts:
    """The receipts of one table's record. Belongs to the loop. `keys`: public keys of the floor; none takes none."""

    def __init__(
        self,
        keeper: TableKeeper,
        journal: Journal,
        keys: tuple[bytes, ...],
        record: Callable[[], JournalRows],
        tell: Callable[[str], None],
    ) -> None:
        """`tell`: says a text on page and display."""
        self._keeper = keeper
        self._journal = journal
        self._keys = keys
        self._record = record
        self._tell = tell
        self._contradicted = False
        self._one = asyncio.Lock()
        """Two uplinks at once would each find that the round has no receipt."""
        self._last = 0
        """The entry of the last receipt, as far as this process knows."""

    async def take(self, given: FloorReceipt) -> bool:
        """See `ObeyingTable`."""
        receipt = self._checked(given)
        async with self._one:
            try:
                due = await asyncio.to_thread(self._is_due, receipt)
            except AnotherHistoryError:
                self._contradict(receipt)
                raise
            if not due:
                return False
            if self._keeper.stopped is not None:
                raise PlayStopped(self._keeper.stopped)
            self._last = self._journal.append_note(RECEIPT_NOTE, receipt.to_body())
        return True

    def _contradict(self, receipt: Receipt) -> None:
        """Say that the floor has another history, and put it on record: once in a run."""
        if self._contradicted or not self._journal.health.accepting:
            return
        self._contradicted = True
        self._journal.append_note(CONTRADICTED_NOTE, {"entry": receipt.entry, "chain": receipt.chain.hex()})
        self._tell(CONTRADICTED.format(entry=receipt.entry))

    def _checked(self, given: FloorReceipt) -> Receipt:
        """The receipt, by the first key that has signed it. Raises CommandRefused."""
        if not self._keys:
            raise CommandRefused(
                "this table takes no receipts of a floor: its own file names no key ([floor] receipts)"
            )
        for key in self._keys:
            body = {"entry": given.entry, "chain": given.chain, "at": given.at, "key": key.hex()}
            try:
                receipt = Receipt.from_body({**body, "signature": given.signature})
            except ValueError:
                raise CommandRefused("this is no receipt of a floor") from None
            if receipt.is_of(self._journal.reader.journal_id):
                return receipt
        raise CommandRefused(
            "this receipt is not signed by the floor that the table's own file names ([floor] receipts), or not for "
            "this record"
        )

    def _is_due(self, receipt: Receipt) -> bool:
        """Whether a round has ended since the last receipt, and this one covers its end. Blocks.

        Raises AnotherHistoryError for a receipt of another history than the record's.
        """
        with self._record() as record:
            stored = record.stored(receipt.entry, 0, 0)
            if stored.before != receipt.chain:
                raise AnotherHistoryError(f"the floor has another history than this record up to entry {receipt.entry}")
            end = record.newest(HostEntry.ROUND_END)
            if end is None or end > receipt.entry or end < self._last:
                return False
            notes = record.entries(Span(after=end, kind=_HOST, name=HostEntry.NOTE), reveal=Reveal.NOTHING)
            return all(note.body.get("note") != RECEIPT_NOTE for note in notes)
