"""Every table's line of the pit in floord's memory: folded as rows come, kept now and then, caught up at a start."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from feltd.custody.errors import CustodyError, CustodyWireError, FloorAwayError, FloorDamagedError
from feltd.custody.messages import Beat, Rows, Stand
from feltd.door.pit.state import PitCustody, PitNews, PitProof, PitSince, PitTable
from feltd.floor.arriving import Arrivals
from feltd.floor.custody import CLOCK_WORDS, DISK_WORDS, clock_is_off, disk_is_full
from feltd.floor.engine import AlarmKind, Batch, Engine, JournalStatus
from feltd.floor.facts import OWN
from feltd.floor.folding import Fold
from feltd.floor.groups import EVERYTHING, Sight
from feltd.floor.own_trouble import OwnTrouble
from feltd.floor.pace import FLOOD_WORDS
from feltd.floor.proving import unread_words
from feltd.floor.standing import Standing
from feltd.record.entries import Row

KEEP_EVERY: Final = 10.0
KEEP_BEHIND: Final = 200
"""Entries of a table that are folded before its line is kept anew: a start folds fewer again, in some milliseconds. A
thousand tables that play were a fifth of all that the database wrote, when each was kept at each look."""
ALARMS_EVERY: Final = 5.0
UNREAD_AGAIN_AFTER: Final = 60.0
"""Seconds. What the database cannot read of a table is asked for so seldom."""
PASSING: Final = frozenset({AlarmKind.CLOCK, AlarmKind.DISK, AlarmKind.FLOOD})
"""Over by themselves: the database keeps that they were, the page shows them while they hold."""
PASSES_AFTER: Final = 25.0
"""Seconds after which what passes is over at a table of another floord: while it holds, each beat tells it again."""
_TURN: Final = 1.0
_LOOKS: Final = 2
"""Of a turn: changes are told so often, and each second where there are none. Of a thousand tables each time costs a
browser a frame, most of which is for how many tiles there are, not for what is new."""
_BATCHES: Final = 20
AT_ONCE: Final = 2000
"""Rows of one table that are folded before the next table has its turn, and a batch's rest."""
_log = logging.getLogger("feltd.floor")


@dataclass(slots=True)
class Line:
    """One table. `told`: as pages have it, since `revision`; `stand`: the floor's last entry; `head`: the table's."""

    name: str
    journal: bytes
    fold: Fold = field(default_factory=Fold)
    revision: int = 0
    told: PitTable | None = None
    connections: int = 0
    floord: str = ""
    """The other floord that it is connected to; empty for none."""
    told_head: bool = False
    """Whether it has said on this connection where its record ends."""
    heard: float | None = None
    head: int | None = None
    offset: float = 0.0
    """Seconds by which the floor's clock is ahead of the table's, as far as it has said."""
    stand: int = 0
    forked: bool = False
    kept: int = 0
    custody: tuple[PitCustody, ...] = ()
    """The alarms that the database has and nobody has closed."""
    now: dict[AlarmKind, str] = field(default_factory=dict)
    """What holds now, and is over by itself."""
    of_tournament: tuple[str, ...] = ()
    """Why it is not what its tournament says, in words."""
    unread_since: float | None = None
    """When entries were last asked for that the database cannot read; None while it reads all of them."""

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is wrong with the table's custody, and between it and its tournament, in words."""
        now = (f"{kind.value}: {words}" for kind, words in sorted(self.now.items()))
        return *now, *(f"tournament: {words}" for words in self.of_tournament)

    @property
    def is_behind(self) -> bool:
        """Whether the floor has more than is folded, or what it has could not be read until now."""
        return self.fold.seq < self.stand or self.unread_since is not None or AlarmKind.PROOF in self.now

    @property
    def is_current(self) -> bool:
        """Whether everything that the table spoke of on this connection is here, and folded."""
        here = self.told_head and self.head is not None and self.head <= self.stand
        return here and self.fold.seq == self.stand and not self.forked

    def holds(self, kind: AlarmKind, words: str, *, now: bool) -> bool:
        """Note whether something that is over by itself holds now; whether that is news."""
        before = self.now.get(kind)
        if now:
            self.now[kind] = words
        else:
            self.now.pop(kind, None)
        return before != self.now.get(kind)

    def told_of(self) -> tuple[object, ...]:
        """What the database says of it while it is not connected here."""
        return self.heard, self.head, self.stand, self.forked, self.floord, dict(self.now)

    def shown(self) -> PitTable:
        """As the page has it."""
        fold = self.fold
        lag = None if self.head is None else max(0, self.head - self.stand)
        return PitTable(
            self.name, self.connections > 0 or bool(self.floord), self.heard, lag, self.forked, fold.phase,
            fold.street, fold.level, fold.round, fold.round_since, fold.shown_devices(), fold.shown_alarms(),
            fold.shown_waiting(), self.wrong, self.custody, fold.locked, fold.testing, fold.box,
            fold.shown_shelved(), self.floord, fold.unread, fold.more_alarms,
            fold.shown_put_back(), fold.page or "", fold.zone or "", fold.broadcast,
        )  # fmt: skip


class PitBook:
    """All tables. Belongs to one loop, in which `run` must run."""

    def __init__(
        self, engine: Engine, clock: Callable[[], float] = time.time, own: Callable[[], tuple[str, ...]] | None = None
    ) -> None:
        """`own`: says what is wrong with the floor itself."""
        self._own = own or OwnTrouble(engine).look
        self._own_wrong: tuple[str, ...] = ()
        self._proof: PitProof | None = None
        self._engine = engine
        self._clock = clock
        self._run = secrets.token_hex(4)
        self._lines: dict[str, Line] = {}
        self._touched: set[str] = set()
        """The tables of which something may be new to pages. A table may come with another record before they look."""
        self._revision = 0
        self._listeners: list[Callable[[], None]] = []
        self._told = 0

    def on_changed(self, listener: Callable[[], None]) -> None:
        """Call `listener` after changes, and each second."""
        self._listeners.append(listener)

    async def load(self) -> None:
        """Take up what was kept. Raises FloorAwayError."""
        kept = await self._engine.pits()
        for status in await self._engine.status():  # the newest journal of a table comes last
            if status.table == OWN:
                continue
            line = Line(status.table, status.journal, heard=status.seen, head=status.told, stand=status.stand.seq)
            line.offset = status.offset or 0.0
            line.forked = status.stand.forked
            if status.journal in kept:
                try:
                    line.fold = Fold.from_text(kept[status.journal])
                except CustodyWireError as fault:
                    _log.info("table %s: %s", status.table, fault)
            line.kept = line.fold.seq
            self._lines[status.table] = line
            self._touch(line)

    # -- what tables do

    def came(self, table: str, journal: bytes, stand: Stand) -> None:
        """A table has connected, with this journal."""
        line = self._lines.get(table)
        if line is None or line.journal != journal:
            line = self._lines[table] = Line(table, journal, connections=0 if line is None else line.connections)
        line.connections += 1
        line.floord = ""
        line.told_head = False
        self._stands(line, stand, self._clock())
        self._touch(line)

    def went(self, table: str) -> None:
        """A connection of a table has ended."""
        line = self._lines.get(table)
        if line is not None:
            line.connections = max(0, line.connections - 1)
            if not line.connections:
                line.holds(AlarmKind.FLOOD, FLOOD_WORDS, now=False)
            self._touch(line)

    def said(self, table: str, stand: Stand, message: Beat | Rows | None) -> None:
        """A table has said something, and the floor stands here now."""
        line = self._lines.get(table)
        if line is None:
            return
        if isinstance(message, Beat):
            line.head, line.told_head = message.head, True
            line.offset = line.offset if message.offset is None else message.offset
            line.holds(AlarmKind.CLOCK, CLOCK_WORDS, now=clock_is_off(message.offset, message.within))
            line.holds(AlarmKind.DISK, DISK_WORDS, now=disk_is_full(message.room))
        self._stands(line, stand, self._clock())
        self._touch(line)

    def connected(self) -> list[str]:
        """The tables that are connected to this floord."""
        return [line.name for line in self._lines.values() if line.connections]

    async def look_elsewhere(self, tables: Mapping[str, str]) -> None:
        """Take up what the database has of tables that are not connected here. Raises FloorAwayError.

        `tables`: by table the other floord that it is connected to.
        """
        now = self._clock()
        passing: dict[str, dict[AlarmKind, str]] = {}
        for one in await self._engine.standing.standing():
            if one.alarm.kind in PASSING and now - one.latest < PASSES_AFTER:
                passing.setdefault(one.alarm.table, {})[one.alarm.kind] = one.alarm.text
        newest = {status.table: status for status in await self._engine.status() if status.table != OWN}
        for status in newest.values():
            self._elsewhere(status, tables.get(status.table, ""), passing.get(status.table, {}))

    def _elsewhere(self, status: JournalStatus, floord: str, passing: Mapping[AlarmKind, str]) -> None:
        line = self._lines.get(status.table)
        if line is not None and line.connections:
            return
        known = None if line is None else line.told_of()
        if line is None or line.journal != status.journal:
            line, known = Line(status.table, status.journal), None
            self._lines[status.table] = line
        self._stands(line, status.stand, since=status.seen)
        line.head = status.told if status.told is None else max(status.told, status.stand.seq)
        line.floord, line.offset = floord, status.offset or 0.0
        if floord:
            for kind in PASSING:
                line.holds(kind, passing.get(kind, ""), now=kind in passing)
        if line.told_of() != known:
            self._touch(line)

    def floods(self, table: str, *, now: bool) -> None:
        """Whether a table says more than it may."""
        line = self._lines.get(table)
        if line is not None and line.holds(AlarmKind.FLOOD, FLOOD_WORDS, now=now):
            self._touch(line)

    def _stands(self, line: Line, stand: Stand, since: float | None) -> None:
        """The floor stands here now. `since`: when the table was heard last."""
        line.heard, line.stand, line.forked = since, stand.seq, stand.forked
        if line.head is not None:
            line.head = max(line.head, stand.seq)
        if line.fold.seq > stand.seq:  # the floor was put back to a backup: what was folded is not what is kept
            line.fold, line.kept = Fold(), 0

    def take(self, batch: Batch, rows: Sequence[Row | None]) -> None:
        """Rows that were added, as `read_rows` has read them. What does not follow is caught up from the database."""
        line = self._lines.get(batch.table)
        if line is not None and line.journal == batch.journal and line.fold.seq + 1 == batch.first:
            line.fold.take_all(rows)
            line.stand = max(line.stand, batch.last)
            self._touch(line)

    @property
    def arrivals(self) -> Arrivals:
        """What came first to the floor, over all tables."""
        return self._engine.arrivals

    def lines(self) -> tuple[Line, ...]:
        """All of them."""
        return tuple(self._lines.values())

    def line(self, table: str) -> Line | None:
        """One table; None for one that has never come."""
        return self._lines.get(table)

    def note_tournament(self, table: str, wrong: tuple[str, ...]) -> None:
        """Note why a table is not what its tournament says; nothing where it is."""
        line = self._lines.get(table)
        if line is not None and line.of_tournament != wrong:
            line.of_tournament = wrong
            self._touch(line)

    def _touch(self, line: Line) -> None:
        self._revision += 1
        self._touched.add(line.name)

    def _look(self) -> None:
        """Find out which of the tables that were touched look otherwise than pages have them."""
        for line in map(self._lines.__getitem__, self._touched):
            shown = line.shown()
            if line.told is None or not shown.looks_like(line.told):
                line.told, line.revision = shown, self._revision
        self._touched.clear()

    # -- what the page asks

    def news(self, since: PitSince, sight: Sight = EVERYTHING) -> PitNews:
        """The tables that have changed since, of those that somebody sees. Who sees others now gets all of them."""
        self._look()
        run = f"{self._run}{sight.mark}"
        whole = since.run != run
        after = 0 if whole else since.revision
        changed = (line for line in self._lines.values() if line.revision > after and sight.sees(line.name))
        shown = tuple(line.told for line in sorted(changed, key=lambda one: one.name) if line.told is not None)
        proof = self._proof if sight.everything else None
        return PitNews(run, self._revision, self._clock(), whole, shown, self._own_wrong, proof, sight.mark)

    def table_of_alarm(self, number: int) -> str | None:
        """Whose alarm of custody this is; None where none of this number waits at the pit."""
        return next(
            (line.name for line in self._lines.values() if number in {one.number for one in line.custody}), None
        )

    # -- beside

    async def run(self) -> None:
        """Catch up, keep and tell of alarms until cancelled. A database that is away is asked again."""
        looked = kept = self._clock() - KEEP_EVERY
        while True:
            behind = False
            try:
                behind = await self.turn()
                if self._clock() - looked >= ALARMS_EVERY:
                    looked = self._clock()
                    await self.look_at_alarms()
                if self._clock() - kept >= KEEP_EVERY:
                    kept = self._clock()
                    await self.keep(KEEP_BEHIND)
            except FloorAwayError as fault:
                _log.debug("the pit: %s", fault)  # custody says it aloud
            except CustodyError as fault:
                _log.error("the pit: %s", fault)
            self.look_at_itself()
            for listener in self._listeners:
                listener()
            for _ in range(0 if behind else _LOOKS):
                await asyncio.sleep(_TURN / _LOOKS)
                if self._told != self._revision:
                    self._told = self._revision
                    break

    def look_at_itself(self) -> None:
        """Look at what is wrong with the floor itself."""
        self._own_wrong = self._own()

    async def catch_up(self) -> None:
        """Fold all that the floor has and this process has not seen. Raises FloorAwayError."""
        while await self.turn():
            pass

    async def turn(self) -> bool:
        """Fold some of what each table has that this process has not seen; whether there is more.

        A table of which the database cannot read something says so on its line; the others go on. Raises
        FloorAwayError.
        """
        behind = False
        for line in [one for one in self._lines.values() if one.is_behind]:
            if line.unread_since is not None and self._clock() - line.unread_since < UNREAD_AGAIN_AFTER:
                continue
            try:
                behind |= await self._fold_some(line)
            except (FloorDamagedError, CustodyWireError) as fault:
                line.unread_since = self._clock()
                if line.holds(AlarmKind.PROOF, unread_words(line.fold.seq, fault.what), now=True):
                    self._touch(line)
            else:
                line.unread_since = None
                if line.holds(AlarmKind.PROOF, "", now=False):
                    self._touch(line)
        return behind

    async def _fold_some(self, line: Line) -> bool:
        """Fold a part of one table; whether it has more. One that floods would keep all others waiting for ever."""
        fold, before = line.fold, line.fold.seq
        if before >= line.stand:
            return False
        for batch in await self._engine.batches(line.journal, before, _BATCHES):
            if line.fold is not fold or fold.seq - before >= AT_ONCE:
                break
            for _, row in batch.behind(fold.seq):
                fold.take(row)
            self._touch(line)
            await asyncio.sleep(0)  # tables that play come first
        return line.fold is not fold or before < fold.seq < line.stand

    async def look_at_alarms(self) -> None:
        """Custody's own alarms, on each table's line, and the last proof. Raises FloorAwayError."""
        found: dict[str, list[PitCustody]] = {}
        for one in await self._engine.standing.standing():
            if one.alarm.kind not in PASSING:
                found.setdefault(one.alarm.table, []).append(_shown(one))
        for table in found.keys() - self._lines.keys():  # it was not let in yet, so it has brought no journal
            self._lines[table] = Line(table, b"")
        for line in self._lines.values():
            now = tuple(found.get(line.name, ()))
            if now != line.custody:
                line.custody = now
                self._touch(line)
        proof = await self._engine.standing.last_proof()
        self._proof = None if proof is None else PitProof(proof.ended, proof.journals, proof.entries, proof.faults)

    async def keep(self, behind: int = 1) -> None:
        """Keep each table's line of which so many entries have been folded since it was kept. Raises FloorAwayError."""
        changed = [line for line in self._lines.values() if line.fold.seq - line.kept >= behind]
        if changed:
            folds = [(line, line.fold.seq, line.fold.to_text()) for line in changed]
            await self._engine.keep_pits([(line.journal, seq, text) for line, seq, text in folds])
            for line, seq, _ in folds:
                line.kept = seq


def _shown(one: Standing) -> PitCustody:
    alarm = one.alarm
    return PitCustody(
        one.number, alarm.kind.value, alarm.text, alarm.times, one.since, one.latest, one.state.value, one.who, one.why
    )
