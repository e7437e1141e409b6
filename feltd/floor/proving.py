"""Proof of what the floor keeps, by night in small pieces: the chain made anew from the rows, and the signed heads."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from feltd.custody.errors import CustodyWireError, FloorDamagedError
from feltd.custody.rows import chains_of
from feltd.floor.again import again_and_again
from feltd.floor.alarming import tell
from feltd.floor.engine import Alarm, AlarmKind, Batch, Engine, JournalStatus
from feltd.floor.proving_heads import HeadsProof
from feltd.floor.standing import Proof
from feltd.record.entries import chain_start

REST: Final = 4.0
"""By night it rests so many times as long as it worked: whoever commits meanwhile waits for a piece at most."""
LATE_AFTER: Final = 2 * 86_400
"""Seconds without a proof after which the pit page says so."""
_BATCHES: Final = 10
_AGAIN_AFTER: Final = 60.0
_REMEDY: Final = "keep the database as evidence, and compare with the table's own record"
_log = logging.getLogger("feltd.floor")

Rest = Callable[[float], Awaitable[object]]
"""Waits between two pieces; it is told how many seconds the one before took."""


async def _no_rest(_took: float) -> None:
    """Go on at once."""


async def rest_long(took: float) -> None:
    """Rest between two pieces by night."""
    await asyncio.sleep(took * REST)


class _Counted:
    """How many entries were looked at."""

    entries = 0


def unread_words(seq: int, why: str) -> str:
    """What a person is told of entries that cannot be read. `seq`: the last one that could."""
    return f"a batch behind entry {seq} cannot be read: {why}: {_REMEDY}"


async def faults_of(
    engine: Engine, journal: JournalStatus, rest: Rest = _no_rest, counted: _Counted | None = None
) -> AsyncIterator[Alarm]:
    """The first fault of a journal's rows, and of its signed heads, as alarms; none where all is as it was taken in.

    Raises FloorAwayError.
    """

    def fault(entry: int, words: str) -> Alarm:
        return Alarm(journal.table, journal.journal, AlarmKind.PROOF, entry, f"{words}: {_REMEDY}")

    seq, chain = 0, chain_start(journal.journal)
    heads: HeadsProof | None = HeadsProof(engine, journal)
    for wrong in await _of_heads(heads, 0, [chain]):
        heads = None
        yield fault(*wrong)
    while True:
        begun = time.perf_counter()
        try:
            batches = await engine.batches(journal.journal, seq, _BATCHES)
        except (CustodyWireError, FloorDamagedError) as unread:
            yield Alarm(journal.table, journal.journal, AlarmKind.PROOF, seq, unread_words(seq, unread.what))
            return
        for batch in batches:
            chains = chains_of(batch.before, batch.rows)
            if not _follows(batch, chains, seq, chain):
                yield fault(batch.first, f"entries {batch.first} to {batch.last} are not as they were taken in")
                return
            for wrong in await _of_heads(heads, batch.first - 1, chains):
                heads = None
                yield fault(*wrong)
            if counted is not None:
                counted.entries += batch.last - seq
            seq, chain = batch.last, batch.chain
        if not batches:
            break
        await rest(time.perf_counter() - begun)
    if seq < journal.stand.seq or (seq == journal.stand.seq and chain != journal.stand.chain):
        yield fault(seq, f"the rows end at entry {seq}, the head says {journal.stand.seq}")
    elif heads is not None and (missing := heads.missing()) is not None:
        yield fault(*missing)


async def _of_heads(heads: HeadsProof | None, seq: int, chains: Sequence[bytes]) -> list[tuple[int, str]]:
    """The first fault of the heads of a batch; None of heads: one was found before."""
    found = None if heads is None else await heads.up_to(seq, chains)
    return [] if found is None else [found]


def _follows(batch: Batch, chains: Sequence[bytes], seq: int, chain: bytes) -> bool:
    """Whether a batch is as it was taken in and goes on behind entry `seq`; it may begin before it.

    Batches are packed while this reads: what was the end of one is in the midst of a pack then.
    """
    if batch.first > seq + 1 or batch.last <= seq:
        return False
    return chains[seq + 1 - batch.first] == chain and chains[-1] == batch.chain


async def prove_all(
    engine: Engine, wall: Callable[[], float] = time.time, rest: Rest = _no_rest
) -> tuple[Proof, list[Alarm]]:
    """Prove every journal, alarm (`proof`) what is found, and keep that it was done. Raises FloorAwayError."""
    began, counted, found = wall(), _Counted(), []
    journals = await engine.status()
    for journal in journals:
        async for fault in faults_of(engine, journal, rest, counted):
            await tell(engine, fault)
            found.append(fault)
    proof = Proof(began, wall(), len(journals), counted.entries, len(found))
    await engine.standing.keep_proof(proof)
    return proof, found


class Nightly:
    """Proves everything once a night. Belongs to one loop, in which `run` must run.

    `at`: hours and minutes of this machine's clock, `03:30`. A night in which floord was away is made up for.
    """

    def __init__(
        self,
        engine: Engine,
        at: str,
        wall: Callable[[], float] = time.time,
        rest: Rest = rest_long,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._engine = engine
        self._hour, self._minute = map(int, at.split(":"))
        self._wall = wall
        self._rest = rest
        self._sleep = sleep
        self._begun = wall()
        self.last: Proof | None = None
        """The last one, also by hand; None where there is none yet."""

    async def run(self) -> None:
        """Prove by night until cancelled. A database that is away is asked again."""
        await again_and_again(self.turn, "proof", _AGAIN_AFTER, self._sleep)

    async def turn(self) -> None:
        """Prove everything, if it is due. Raises FloorAwayError."""
        self.last = await self._engine.standing.last_proof()
        if not self._is_due():
            return
        async with self._engine.alone.hold("proof") as held:
            if held is None:  # another floord on this database does it
                return
            self.last = await self._engine.standing.last_proof()
            if not self._is_due():  # and has just ended
                return
            self.last, found = await prove_all(self._engine, self._wall, self._rest)
        _log.info(
            "%d journals with %d entries proved, %d with faults", self.last.journals, self.last.entries, len(found)
        )

    def _is_due(self) -> bool:
        return self.last is None or self.last.began < self.due_since()

    def due_since(self) -> float:
        """The last moment at which a proof was to begin, seconds since 1970."""
        now = datetime.fromtimestamp(self._wall()).astimezone()
        at = now.replace(hour=self._hour, minute=self._minute, second=0, microsecond=0)
        return (at if at <= now else at - timedelta(days=1)).timestamp()

    @property
    def trouble(self) -> tuple[str, ...]:
        """That nothing was proved for long, in words for the pit page."""
        since = self._begun if self.last is None else max(self.last.ended, 0.0)
        days = (self._wall() - since) / 86_400
        if days * 86_400 < LATE_AFTER:
            return ()
        return (
            f"proof: for {days:.0f} days nothing has proved what is kept. See floord's log; or `feltd floor verify`",
        )
