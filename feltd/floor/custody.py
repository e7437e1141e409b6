"""The rules of custody, for one connection of one table.

1. The floor adds at its head + 1 only. What overlaps is compared by the chain and skipped; a gap is answered with the
   floor's head.
2. Every answer is the floor's head. The table believes nothing else, so a floor that was put back heals itself.
3. Another chain at one entry, or a journal that ends before the floor's head, is a fork: both are kept, nothing more is
   added, and it is alarmed.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from feltd.custody.errors import CustodyRefusedError, CustodyWireError
from feltd.custody.messages import Beat, Hello, Rows, Stand, Time
from feltd.custody.rows import ROW_MOST, chains_of, taken_of
from feltd.floor.alarming import say, tell
from feltd.floor.engine import Alarm, AlarmKind, Appended, Batch, Engine, Seen, Verdict, no_such_journal
from feltd.floor.heads import HeadKeeper
from feltd.record.receipts import ReceiptKey

CLOCK_OFF: Final = 1.0
"""Seconds by which a table's clock may differ from the floor's."""
CLOCK_WORDS: Final = "the table's clock differs from the floor's by more than a second. See that chrony runs on both"
ROOM_LEAST: Final = 64 * 1024 * 1024
"""Bytes on the disk of a table's journal: about a week's play."""
DISK_WORDS: Final = (
    "the disk of the table's record is full, or nearly. Make room on it, or change the card: once it is full, the "
    "table stops play"
)
_TRIES: Final = 3
"""Attempts to add while another connection adds to the same journal."""
_NEW_JOURNAL: Final = (
    "Find out which card was copied or put back, and begin a new journal at the table; the floor keeps both histories"
)

_WRITES_NO_TABLE: Final = (
    "No table that plays writes so much: find out what wrote it, keep the table's record as evidence, and begin a new "
    "journal there (`feltd journal set-aside`)"
)

Append = Callable[[Batch], Awaitable[Appended]]
"""Adds one batch, together with those of other tables."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """What a floor does not take, and so nothing behind it. `entry`: its number; 0: a message, before it was read."""

    entry: int
    size: int
    most: int

    @property
    def words(self) -> str:
        """What is wrong."""
        if not self.entry:
            return f"a message is longer than the floor takes ({self.most} bytes): nothing of it comes to the floor"
        return (
            f"entry {self.entry} has {self.size} bytes, the floor takes {self.most} of one: neither it nor what "
            "follows comes to the floor"
        )

    @property
    def remedy(self) -> str:
        """What a person does about it."""
        return _WRITES_NO_TABLE

    def alarm(self, table: str, journal: bytes) -> Alarm:
        """The alarm of it."""
        return Alarm(table, journal, AlarmKind.SIZE, self.entry, f"{self.words}. {self.remedy}")


def within_bounds(message: Rows) -> tuple[Rows, TooLong | None]:
    """The rows that are taken at once, and the entry behind them if it can never be.

    What was merely too much comes again: the floor's answer says where it stands. Rows that are not those of their
    chain keep it, to be found out.
    """
    many = taken_of(message.rows)
    if many == len(message.rows):
        return message, None
    chains = chains_of(message.before, message.rows)
    chain = chains[many] if chains[-1] == message.chain else message.chain
    size = len(message.rows[many])
    long = TooLong(message.first + many, size, ROW_MOST) if size > ROW_MOST else None
    return replace(message, rows=message.rows[:many], chain=chain), long


class Session:
    """The floor's side of one connection. `table`: whose certificate it is."""

    def __init__(
        self,
        table: str,
        engine: Engine,
        append: Append,
        clock: Callable[[], float],
        receipts: ReceiptKey | None = None,
    ) -> None:
        """`receipts`: what signs them; None gives none."""
        self._table = table
        self._engine = engine
        self._append = append
        self._clock = clock
        self._receipts = receipts
        self._journal: bytes | None = None
        self._heads: HeadKeeper | None = None
        self._signed = 0

    async def take(self, message: Hello | Rows | Beat) -> Stand | Time:
        """Answer a message. Raises CustodyRefusedError, CustodyWireError, and FloorAwayError as the engine does."""
        if isinstance(message, Hello):
            return replace(await self._hello(message), signed=self._signed)
        if self._journal is None:
            raise CustodyWireError("it came before hello", "message", "Say hello first")
        if isinstance(message, Rows):
            return replace(await self._rows(self._journal, message), signed=self._signed)
        return replace(await self._beat(self._journal, message), signed=self._signed)

    async def _hello(self, hello: Hello) -> Stand:
        opened = await self._engine.open_journal(self._table, hello.journal, hello.format)
        if opened.verdict is Verdict.FOREIGN:
            raise await self._foreign(hello.journal)
        self._journal = hello.journal
        self._heads = HeadKeeper(self._table, hello.journal, self._engine)
        self._signed = await self._heads.size()
        await self._look_for_gap(hello.journal, hello.heard, opened.stand)
        return opened.stand

    async def _look_for_gap(self, journal: bytes, heard: int, stand: Stand) -> None:
        """Alarm where the floor ends before entry `heard`, which it told the table that it has."""
        if not stand.forked and stand.seq < heard:
            await self._tell(Alarm(self._table, journal, AlarmKind.GAP, stand.seq, gap_words(heard, stand.seq)))

    async def _foreign(self, journal: bytes) -> CustodyRefusedError:
        words = f"{self._table} brings a journal that the floor has of another table"
        await self._tell(Alarm(self._table, journal, AlarmKind.FOREIGN, 0, words))
        return CustodyRefusedError(
            "this journal is another table's",
            f"table {self._table}, journal {journal.hex()}",
            "Give the uplink the certificate of its own table, or begin a new journal at this one",
        )

    async def _rows(self, journal: bytes, message: Rows) -> Stand:
        if message.first < 1:
            raise CustodyWireError("entries begin at 1", "rows.first", "Report it as a fault")
        chains = chains_of(message.before, message.rows)
        batch = Batch(self._table, journal, message.first, message.before, message.chain, message.rows)
        if chains[-1] != message.chain:
            raise await self._broken(batch)
        if self._was_put_back(message):
            words = f"the table's journal ends at entry {message.head}, the floor has it up to entry {message.heard}"
            return await self._fork(batch, AlarmKind.PUT_BACK, message.head, words)
        stand = await self._added(batch, chains)
        if self._heads is not None and stand.seq == batch.last and stand.chain == batch.chain:
            self._heads.know(batch.first, chains[1:])
        if batch.first > stand.seq:
            await self._look_for_gap(journal, message.heard, stand)
        return stand

    async def _added(self, batch: Batch, chains: list[bytes]) -> Stand:
        offered = batch
        for _ in range(_TRIES):
            appended = await self._append(offered)
            stand = appended.stand
            match appended.verdict:
                case Verdict.ADDED | Verdict.FORKED:
                    return stand
                case Verdict.FOREIGN:
                    raise await self._foreign(batch.journal)
                case Verdict.UNKNOWN:
                    raise no_such_journal(batch.table, batch.journal)
                case Verdict.DIFFERENT:
                    return await self._fork(batch, AlarmKind.FORK, stand.seq, _two(stand.seq))
            if offered.first > stand.seq + 1:  # a gap: the table goes on from the floor's head
                return stand
            shared = min(stand.seq, batch.last)
            if not await self._is_ours(batch, chains[shared - batch.first + 1], shared, stand):
                return await self._fork(batch, AlarmKind.FORK, shared, _two(shared))
            if batch.last <= stand.seq:
                return stand
            new = stand.seq + 1
            offered = replace(batch, first=new, before=stand.chain, rows=batch.rows[new - batch.first :])
        return stand

    @staticmethod
    def _was_put_back(message: Rows) -> bool:
        """Whether the journal ends before what the floor told the table on this connection that it has of it."""
        return message.head < message.heard

    async def _is_ours(self, batch: Batch, chain: bytes, seq: int, stand: Stand) -> bool:
        """Whether the floor has this chain behind entry `seq`: with it, all entries up to there are the same."""
        ours = stand.chain if seq == stand.seq else await self._engine.chain_at(batch.journal, seq)
        return chain == ours

    async def _fork(self, batch: Batch, kind: AlarmKind, seq: int, words: str) -> Stand:
        alarm = Alarm(batch.table, batch.journal, kind, seq, f"{words}. {_NEW_JOURNAL}")
        say(alarm)
        return await self._engine.keep_fork(batch, alarm)

    async def _tell(self, alarm: Alarm) -> None:
        await tell(self._engine, alarm)

    async def _broken(self, batch: Batch) -> CustodyRefusedError:
        words = f"entries {batch.first} to {batch.last} are not those that the journal's chain was made of"
        await self._tell(Alarm(batch.table, batch.journal, AlarmKind.BROKEN, batch.first, words))
        return CustodyRefusedError(
            words,
            f"table {batch.table}, journal {batch.journal.hex()}",
            "See at the table what `feltd journal verify` says; keep its file as evidence",
        )

    async def _beat(self, journal: bytes, beat: Beat) -> Time:
        stand = await self._engine.note_seen(Seen(self._table, journal, beat.head, beat.offset, beat.within))
        if clock_is_off(beat.offset, beat.within):
            await self._tell(Alarm(self._table, journal, AlarmKind.CLOCK, 0, CLOCK_WORDS))
        if disk_is_full(beat.room):
            await self._tell(Alarm(self._table, journal, AlarmKind.DISK, 0, DISK_WORDS))
        if self._heads is not None:
            if not stand.forked:
                await self._heads.take(beat, stand)
            self._signed = await self._heads.size()
        now = self._clock()
        told = Time(beat.wall, now, stand.seq, stand.chain, stand.forked)
        if self._receipts is None or stand.seq == 0:
            return told
        # Of a fork too: what the floor has by its key tells a table whose record was put back, which nothing else does.
        receipt = self._receipts.receipt(journal, stand.seq, stand.chain, now)
        return replace(told, receipt=receipt.signature.hex(), receipt_at=receipt.wall_ms)


def clock_is_off(offset: float | None, within: float | None) -> bool:
    """Whether a clock is surely off by more than `CLOCK_OFF` seconds."""
    return offset is not None and abs(offset) - (within or 0.0) > CLOCK_OFF


def disk_is_full(room: int | None) -> bool:
    """Whether so many bytes are too few for a table's record. None: the table does not say."""
    return room is not None and room < ROOM_LEAST


def gap_words(heard: int, seq: int) -> str:
    """What a person is told of a gap."""
    return (
        f"the floor had this journal up to entry {heard} and ended at entry {seq}: {heard - seq} entries were missing, "
        "because its database was put back to a backup or has lost them. The table brings them again by itself; run "
        "`feltd floor verify`, and find out why"
    )


def _two(seq: int) -> str:
    return f"the table and the floor have different histories of one journal, apart at or before entry {seq}"
