"""Many tables of one process that call a floor and play by the clock: what the floor's load is measured with.

They have the rows of a table that was really played, and send them as an uplink does (`feltd.uplink`), each over its
own connection with its own certificate. Each signs its head every ten seconds.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from feltd.custody.messages import MESSAGE_MOST, SUBPROTOCOL, Answer, Beat, Command, Stand, Time
from feltd.custody.rows import chains_of
from feltd.record.rows import JournalRows, StoredRows
from feltd.text.errors import FeltdError
from feltd.uplink.calling import AGAIN_AFTER, BEAT_EVERY, NO_HEADS
from feltd.uplink.line import Line
from feltd.uplink.sending import Sender
from tests.feltd.test_hand_history import BLINDS, simulate
from tests.floor.custody_support import FakeJournal
from tests.floor.tls_support import of_table

CALLING_AT_ONCE: Final = 20


def played_rows(entries: int) -> list[bytes]:
    """So many rows of a table's record, as the table wrote them; rounds of Hold'em with six players."""
    rows: list[bytes] = []
    with TemporaryDirectory() as folder:
        simulate(Path(folder), "tas-2018-holdem", BLINDS, (1, 2, 3, 5, 6, 7), rounds=entries // 100 + 2)
        with JournalRows(Path(folder) / "table.journal") as record:
            while len(rows) < entries and (piece := record.stored(len(rows), 500, 10**6).rows):
                rows += piece
    assert len(rows) >= entries
    return rows[:entries]


class PlayedJournal(FakeJournal):
    """A journal of its own with rows that many share."""

    def __init__(self, number: int, rows: Sequence[bytes]) -> None:
        super().__init__(number)
        self.number = number
        self._all = rows

    def play(self, entries: int) -> None:
        """The table writes so many entries. Raises AssertionError where there are no more."""
        more = list(self._all[len(self.rows) : len(self.rows) + entries])
        assert len(more) == entries, "the rows are at their end: play more rounds"
        self.rows += more
        self.chains += chains_of(self.chains[-1], more)[1:]

    def stored(self, after: int, most: int) -> StoredRows:
        """As the table hands them out."""
        return super().stored(after, min(most, 500))


class Table:
    """One table. `broken`: connections that ended by themselves, each followed by another.

    `waits`: seconds from a batch to the floor's answer, each; `acknowledged`: its last entry there.

    `reached`: set once the floor has entry `goal`.
    """

    def __init__(self, name: str, journal: PlayedJournal, folder: Path, floor: str) -> None:
        """`folder`: the certificates; `floor`: the address."""
        self.name = name
        self.broken = 0
        self._calling = partial(self._connected, folder, floor)
        self._here = AsyncExitStack()
        self.journal = journal
        self.waits: list[float] = []
        self.acknowledged = 0
        self.goal = 0
        self.reached = asyncio.Event()
        self.line: Line | None = None
        self.sender = Sender(journal, print)

    async def call(self) -> None:
        """Be connected."""
        await self._surely(self._nothing_more)

    async def leave(self) -> None:
        """Be away."""
        here, self._here, self.line = self._here, AsyncExitStack(), None
        with suppress(WebSocketException, OSError):
            await here.aclose()

    async def _surely(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do it, on another connection where this one ends, as an uplink does."""
        while True:
            try:
                if self.line is None:
                    await self._here.enter_async_context(self._calling())
                return await work()
            except (FeltdError, WebSocketException, OSError, TimeoutError):
                self.broken += 1
                await self.leave()
                await asyncio.sleep(AGAIN_AFTER[0])

    async def _nothing_more(self) -> None:
        pass

    @asynccontextmanager
    async def _connected(self, folder: Path, floor: str) -> AsyncIterator[None]:
        """Be connected for as long as the block lasts."""
        async with connect(
            floor,
            ssl=of_table(folder, self.name),
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            max_size=MESSAGE_MOST,
            proxy=None,
            open_timeout=120,
            ping_timeout=None,
        ) as connection:
            self.line = Line(connection, _nothing)
            listening = asyncio.ensure_future(self.line.listen())
            try:
                self._heard(await self.line.ask(self.sender.hello("load"), Stand))
                yield
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def play(self, entries: int, every: float, begins: float, ends: float) -> None:
        """Write so many entries at once, each `every` seconds from `begins` to `ends` (the steady clock); send them."""
        at, beats = begins, begins + self.journal.number % 100 * BEAT_EVERY / 100  # uplinks began at any time
        while at < ends:
            await asyncio.sleep(max(0.0, at - time.monotonic()))
            self.journal.play(entries)
            await self._surely(self.send)
            if time.monotonic() >= beats:
                self.journal.sign()
                await self._surely(self.beat)
                beats = time.monotonic() + BEAT_EVERY
            at += every

    async def send(self) -> None:
        """Send until the floor has all of it."""
        assert self.line is not None
        while (rows := self.sender.look().rows) is not None:
            begun = time.perf_counter()
            self._heard(await self.line.ask(rows, Stand))
            self.waits.append(time.perf_counter() - begun)

    async def beat(self) -> None:
        """Tell the head that was signed last."""
        assert self.line is not None
        heads = self.sender.heads() or NO_HEADS
        beat = Beat(time.time(), len(self.journal.rows), None, None, heads.at, heads.lines)
        told = await self.line.ask(beat, Time)
        self._heard(told.stand)

    def _heard(self, stand: Stand) -> None:
        self.sender.heard(stand)
        self.acknowledged = stand.seq
        if stand.seq >= self.goal:
            self.reached.set()


async def _nothing(command: Command) -> Answer:
    raise AssertionError(f"nobody at this floor decides: {command}")
