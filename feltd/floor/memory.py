"""The engine of the simulation: everything in memory, and nothing in it waits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from feltd.custody.messages import Result, Stand
from feltd.custody.rows import chains_of
from feltd.floor.alone import MemoryAlone
from feltd.floor.arriving import MemoryArrivals
from feltd.floor.elsewhere import MemoryFloords
from feltd.floor.engine import (
    BATCHES_BYTES,
    FORKS_MOST,
    JOURNALS_MOST,
    Alarm,
    Appended,
    Batch,
    Given,
    JournalStatus,
    Ordered,
    Redeemed,
    Seen,
    Signed,
    Verdict,
    no_such_journal,
    table_is_shut,
    too_many_journals,
)
from feltd.floor.facts import MemoryFacts
from feltd.floor.groups import MemoryGroups
from feltd.floor.passing import MemoryPassed
from feltd.floor.searched import NothingSearched
from feltd.floor.standing import MemoryStanding
from feltd.floor.streams import MemoryStreams
from feltd.floor.wishes import MemoryWishes
from feltd.record.entries import chain_start
from feltd.record.signed_heads import SignedHead


@dataclass(slots=True)
class Kept:
    """One journal."""

    table: str
    stand: Stand
    batches: list[Batch] = field(default_factory=list)
    forks: list[Batch] = field(default_factory=list)
    seen: Seen | None = None
    seen_at: float | None = None
    signed: Signed | None = None
    heads: list[SignedHead] = field(default_factory=list)


@dataclass(slots=True)
class Code:
    """One code. `key`: what it was used for; None while it is not."""

    table: str
    until: float
    key: bytes | None = None


Backup = tuple[dict[bytes, Kept], list[Alarm]]


class MemoryEngine:
    """Journals in memory. `saved` and `put_back` are a backup and its return."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.trouble: str | None = None
        self.journals: dict[bytes, Kept] = {}
        self.kept_alarms: list[Alarm] = []
        self.orders: dict[str, Ordered] = {}
        self.kept_pits: dict[bytes, str] = {}
        self.access: list[tuple[str, str]] = []
        self.shut: set[str] = set()
        self.codes: dict[bytes, Code] = {}
        self.given: list[Given] = []
        self.alone = MemoryAlone()
        self.floords = MemoryFloords(clock)
        self.groups = MemoryGroups()
        self.searched = NothingSearched()
        self.standing = MemoryStanding(lambda: self.kept_alarms, clock)
        self.arrivals = MemoryArrivals()
        self.passed = MemoryPassed(lambda: self.orders)
        self.tournaments = MemoryStreams(arrivals=self.arrivals)
        self.waiting = MemoryStreams(players=self.tournaments.players, taken=self.tournaments.taken)
        self.wishes = MemoryWishes(clock)
        self.facts = MemoryFacts(lambda: {one: (kept.table, kept.stand.seq) for one, kept in self.journals.items()})

    def saved(self) -> Backup:
        """A backup."""
        journals = {
            journal: replace(kept, batches=list(kept.batches), forks=list(kept.forks), heads=list(kept.heads))
            for journal, kept in self.journals.items()
        }
        return journals, list(self.kept_alarms)

    def put_back(self, backup: Backup) -> None:
        """Everything as it was at a backup, which is used up."""
        self.journals, self.kept_alarms = backup

    async def open_journal(self, table: str, journal: bytes, edition: int) -> Appended:
        """See `Engine`."""
        if table in self.shut:
            raise table_is_shut(table)
        theirs = sum(kept.table == table for kept in self.journals.values())
        if journal not in self.journals and theirs >= JOURNALS_MOST:
            raise too_many_journals(table)
        kept = self.journals.setdefault(journal, Kept(table, Stand(0, chain_start(journal))))
        verdict = Verdict.FORKED if kept.stand.forked else Verdict.ADDED
        return Appended(Verdict.FOREIGN if kept.table != table else verdict, kept.stand)

    async def append_many(self, batches: Sequence[Batch]) -> list[Appended]:
        """See `Engine`."""
        return [self._append(batch) for batch in batches]

    def _append(self, batch: Batch) -> Appended:
        if batch.journal not in self.journals:
            return Appended(Verdict.UNKNOWN, Stand(0, chain_start(batch.journal)))
        kept = self.journals[batch.journal]
        stand = kept.stand
        if kept.table != batch.table:
            return Appended(Verdict.FOREIGN, stand)
        if stand.forked:
            return Appended(Verdict.FORKED, stand)
        if batch.first != stand.seq + 1:
            return Appended(Verdict.NOT_NEXT, stand)
        if batch.before != stand.chain:
            return Appended(Verdict.DIFFERENT, stand)
        chain = chains_of(stand.chain, batch.rows)[-1]
        kept.batches.append(batch)
        self.arrivals.rows_came(batch.journal, batch.first, batch.last)
        kept.stand = Stand(batch.last, chain)
        return Appended(Verdict.ADDED, kept.stand)

    async def chain_at(self, journal: bytes, seq: int) -> bytes:
        """See `Engine`."""
        for batch in self.journals[journal].batches:
            if batch.first - 1 <= seq <= batch.last:
                return chains_of(batch.before, batch.rows)[seq - batch.first + 1]
        return chain_start(journal)

    async def keep_fork(self, batch: Batch, alarm: Alarm) -> Stand:
        """See `Engine`."""
        kept = self._kept(batch.table, batch.journal)
        kept.stand = replace(kept.stand, forked=True)
        if len(kept.forks) < FORKS_MOST:
            kept.forks.append(batch)
        await self.raise_alarm(alarm)
        return kept.stand

    async def raise_alarm(self, alarm: Alarm) -> None:
        """See `Engine`."""
        for n, known in enumerate(self.kept_alarms):
            if (known.table, known.journal, known.kind, known.seq) == (
                alarm.table, alarm.journal, alarm.kind, alarm.seq,
            ):  # fmt: skip
                self.kept_alarms[n] = replace(known, times=known.times + 1)
                self.standing.raised(n + 1)
                return
        self.kept_alarms.append(alarm)
        self.standing.raised(len(self.kept_alarms))

    async def note_seen(self, seen: Seen) -> Stand:
        """See `Engine`."""
        kept = self._kept(seen.table, seen.journal)
        if seen.offset is None and kept.seen is not None:  # a connection begins without one
            seen = replace(seen, offset=kept.seen.offset, within=kept.seen.within)
        kept.seen, kept.seen_at = seen, self._clock()
        return kept.stand

    def _kept(self, table: str, journal: bytes) -> Kept:
        if journal not in self.journals:
            raise no_such_journal(table, journal)
        return self.journals[journal]

    async def signed(self, journal: bytes) -> Signed | None:
        """See `Engine`."""
        kept = self.journals.get(journal)
        return None if kept is None else kept.signed

    async def pin(self, journal: bytes, signed: Signed) -> bool:
        """See `Engine`."""
        kept = self.journals[journal]
        if kept.signed is None or (kept.signed.at == 0 and kept.signed.first_key == signed.first_key):
            kept.signed = signed
        return kept.signed.first_key == signed.first_key

    async def add_heads(self, journal: bytes, heads: Sequence[SignedHead], before: Signed, after: Signed) -> bool:
        """See `Engine`."""
        kept = self.journals[journal]
        if kept.signed != before:
            return False
        kept.heads += heads
        kept.signed = after
        return True

    async def heads_of(self, journal: bytes, after: int, most: int) -> list[SignedHead]:
        """See `Engine`."""
        return self.journals[journal].heads[after : after + most]

    async def add_order(self, ordered: Ordered) -> None:
        """See `Engine`."""
        self.orders[ordered.id] = ordered

    async def settle_order(self, ordered: Ordered) -> None:
        """See `Engine`."""
        if self.orders[ordered.id].result is Result.NOT_KNOWN:
            self.orders[ordered.id] = ordered

    async def open_orders(self) -> list[Ordered]:
        """See `Engine`."""
        return [ordered for ordered in self.orders.values() if ordered.result is Result.NOT_KNOWN]

    async def pits(self) -> dict[bytes, str]:
        """See `Engine`."""
        return dict(self.kept_pits)

    async def keep_pits(self, folds: Sequence[tuple[bytes, int, str]]) -> None:
        """See `Engine`."""
        self.kept_pits.update({journal: text for journal, _, text in folds})

    async def add_access(self, page: str, text: str) -> None:
        """See `Engine`."""
        self.access.append((page, text))

    async def set_shut(self, table: str, *, shut: bool, who: str, why: str) -> bool:
        """See `Engine`."""
        before = table in self.shut
        (self.shut.add if shut else self.shut.discard)(table)
        return before != shut

    async def shut_tables(self) -> frozenset[str]:
        """See `Engine`."""
        return frozenset(self.shut)

    async def add_code(self, digest: bytes, table: str, until: float, who: str) -> None:
        """See `Engine`."""
        self.codes[digest] = Code(table, until)

    async def redeem(self, digest: bytes, key: bytes, now: float) -> tuple[Redeemed, str]:
        """See `Engine`."""
        code = self.codes.get(digest)
        if code is None:
            return Redeemed.UNKNOWN, ""
        if code.key not in (None, key):
            return Redeemed.USED, code.table
        if code.until < now:
            return Redeemed.LATE, code.table
        if code.table in self.shut:
            return Redeemed.SHUT, code.table
        code.key = key
        return Redeemed.GOOD, code.table

    async def add_certificate(self, given: Given, behind: str | None = None) -> bool:
        """See `Engine`."""
        last = await self.last_certificate(given.table)
        if behind is not None and behind != ("" if last is None else last.serial):
            return False
        self.given.append(given)
        return True

    async def certificates(self) -> list[Given]:
        """See `Engine`."""
        last = {given.table: given for given in self.given}
        return [last[table] for table in sorted(last)]

    async def last_certificate(self, table: str) -> Given | None:
        """See `Engine`."""
        return next((given for given in reversed(self.given) if given.table == table), None)

    async def last_certificates(self, tables: Sequence[str]) -> list[Given]:
        """See `Engine`."""
        return [given for given in await self.certificates() if given.table in tables]

    async def batches(self, journal: bytes, after: int, most: int) -> list[Batch]:
        """See `Engine`."""
        found: list[Batch] = []
        size = 0
        for batch in self.journals[journal].batches:
            if batch.last > after and len(found) < most and size <= BATCHES_BYTES:
                size += sum(map(len, batch.rows))
                found.append(batch)
        return found

    async def batches_of_many(self, behind: Sequence[tuple[bytes, int]], most: int) -> list[list[Batch]]:
        """See `Engine`."""
        return [await self.batches(journal, after, most) for journal, after in behind]

    async def clock(self) -> float:
        """See `Engine`."""
        return self._clock()

    async def status(self) -> list[JournalStatus]:
        """See `Engine`."""
        return [_status(journal, kept) for journal, kept in sorted(self.journals.items(), key=lambda one: one[1].table)]

    async def alarms(self) -> list[Alarm]:
        """See `Engine`."""
        return list(self.kept_alarms)


def _status(journal: bytes, kept: Kept) -> JournalStatus:
    seen = kept.seen
    return JournalStatus(
        kept.table,
        journal,
        kept.stand,
        None if seen is None else seen.head,
        kept.seen_at,
        None if seen is None else seen.offset,
        None if seen is None else seen.within,
        len(kept.forks),
        kept.signed,
    )
