"""The floor's receipts handed to the table, beside everything else: neither rows nor beats wait for it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from feltd.custody.messages import Time
from feltd.door.asking.obeying import receipt_taken
from feltd.door.obeying import FloorReceipt
from feltd.text.errors import FeltdError


class Receipting:
    """One connection's receipts. Belongs to the loop. `warn`: is told once why the table takes none."""

    def __init__(self, table: Path, warn: Callable[[str], object]) -> None:
        self._table = table
        self._warn = warn
        self._seq = 0
        self._told: set[str] = set()
        self._under_way: asyncio.Task[None] | None = None

    def offer(self, told: Time) -> None:
        """Offer the table the receipt of an answer, where there is one of entries that it was not offered before."""
        busy = self._under_way is not None and not self._under_way.done()
        if not told.receipt or told.seq <= self._seq or busy:
            return
        self._seq = told.seq
        receipt = FloorReceipt(told.seq, told.chain.hex(), told.receipt_at, told.receipt)
        self._under_way = asyncio.get_running_loop().create_task(self._offered(receipt), name="receipt")

    async def close(self) -> None:
        """Offer nothing any more."""
        if self._under_way is not None:
            self._under_way.cancel()
            await asyncio.gather(self._under_way, return_exceptions=True)

    async def _offered(self, receipt: FloorReceipt) -> None:
        try:
            await receipt_taken(self._table, receipt)
        except FeltdError as fault:  # also of an older table, which knows no receipts
            words = str(fault)
            if words not in self._told and len(self._told) < 8:
                self._told.add(words)
                self._warn(f"the table takes no receipt of the floor: {words}")
