"""People's decisions for many tables and a nemesis, from one seed: virtual time, no socket, no thread, no other chance.

The floor's `Desk`, the uplink's `obey` and the table's `Obeying` are the real ones. Between them commands and answers
are lost, doubled, late and out of order; connections and floord end, floord begins anew on its database, the database
is put back, and tables end at any moment: also between the note of a command and its event. What must hold is said at
`World.judge`.
"""

import asyncio
import hashlib
import random
import selectors
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast
from unittest.mock import patch

from feltd.custody.messages import FROM_FLOOR, FROM_TABLE, Command, Result, from_bytes, to_bytes
from feltd.custody.rows import chains_of
from feltd.door import CommandRefused, DecisionRequest, Person, TableAwayError
from feltd.door.commands import Answered
from feltd.door.obeying import FloorCommand, Obeyed
from feltd.door.signed_orders import order_text
from feltd.floor.commanding import NOT_DONE_AFTER, Desk, Reach
from feltd.floor.engine import Batch, Ordered
from feltd.floor.memory import MemoryEngine
from feltd.record.entries import EntryKind, chain_start
from feltd.record.notes import BY_HAND_NOTE
from feltd.record.stored_rows import Span
from feltd.table.keeper.obeying import FloorMay, Obeying
from feltd.uplink import obeying as of_uplink
from tests.floor.pit_support import entry
from tests.floor.simulation import BrokenInvariantError

WALL: Final = 1_800_000_000.0
LEA: Final = Person("Lea", "lea", "floor", "10.20.0.9")
MISDEAL: Final = DecisionRequest("misdeal", None, None, "cards on the floor")
ORDERS: Final = 6
"""Decisions for each table."""
LASTS: Final = 60.0
"""Virtual seconds in which people decide."""
_T = TypeVar("_T")


class _Jumps(selectors.SelectSelector):
    """Waits for nothing: the clock is put on instead."""

    now = WALL

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("everybody waits for somebody else")
        self.now += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose seconds pass as it has nothing else to do. What runs in threads runs at once."""

    def __init__(self) -> None:
        self._jumps = _Jumps()
        super().__init__(self._jumps)
        self._clock_resolution = 1e-6  # its own is less than what a time since 1970 can differ by: nothing would be due

    def time(self) -> float:
        """Seconds since 1970, of everybody's clock."""
        return self._jumps.now

    def run_in_executor(self, executor: Any, func: Callable[..., _T], *args: Any) -> "asyncio.Future[_T]":  # type: ignore[override]
        """Call it here and now."""
        future: asyncio.Future[_T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as fault:  # noqa: BLE001 - whoever waits gets it
            future.set_exception(fault)
        return future


class TableEndedError(Exception):
    """The table's process has ended in the middle of something."""


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of a table's record, as `Obeying` reads it."""

    seq: int
    kind: EntryKind
    name: str
    body: dict[str, Any]
    answers: int | None


class Record:
    """A table's record: what was written stays, whatever ends."""

    def __init__(self, number: int) -> None:
        self.journal = number.to_bytes(16, "big")
        self.lines: list[Line] = []
        self.rows: list[bytes] = []
        self.walls: list[float] = []
        """When each entry was written."""

    def now(self) -> float:
        """Seconds since 1970."""
        return asyncio.get_running_loop().time()

    def write(
        self, kind: EntryKind, name: str, body: dict[str, Any], answers: int | None = None, book: bytes | None = None
    ) -> int:
        """Write an entry; return its number. `book`: the digest of the one that is played."""
        seq = len(self.rows) + 1
        self.lines.append(Line(seq, kind, name, body, answers))
        wall = self.now()
        self.walls.append(wall)
        self.rows.append(entry(seq, kind.value, name, body, answers=answers, wall=self.told_wall(wall), book=book))
        return seq

    def told_wall(self, wall: float) -> float:
        """What the table's clock says."""
        return wall

    def last_entry(self) -> int:
        """See `RecordRows`."""
        return len(self.lines)

    def entries(self, span: Span, reveal: object) -> Iterator[Line]:
        """See `RecordRows`."""
        for line in self.lines[span.after or 0 :]:
            if span.kind in (None, line.kind) and span.name in (None, line.name):
                yield line

    @contextmanager
    def opened(self) -> Iterator["Record"]:
        """The record, read."""
        yield self

    def acted(self, number: str) -> list[tuple[int, bool]]:
        """The events behind the notes of a command: the last entry of each, and whether the table took it."""
        found = []
        for at, line in enumerate(self.lines):
            behind = self.lines[at + 1 :]
            if line.body.get("command") != number or not behind or behind[0].kind != EntryKind.EVENT:
                continue
            outputs = [one for one in behind[1:] if one.answers == behind[0].seq]
            found.append(((outputs or behind)[-1].seq, all(one.name != "error" for one in outputs)))
        return found


class Keeper:
    """What `Obeying` asks of a table's keeper. `ended`: its process is no more."""

    def __init__(self, record: Record, chance: random.Random) -> None:
        self._record = record
        self._chance = chance
        self.ended = False

    def act(self, person: Person, why: str | None, event: object, *, command: str, **more: object) -> Answered:
        """Write the note, the event and what the table says to it; the process may end between any two of them."""
        if self.ended:
            raise TableEndedError
        self._record.write(EntryKind.HOST, "note", {"note": BY_HAND_NOTE, "what": "supervisor", "command": command})
        self._may_end(0.06)
        seq = self._record.write(EntryKind.EVENT, "supervisor", {"decision": "misdeal"})
        refused = self._chance.random() < 0.2
        said = {"error": {"reason": "no round"}} if refused else {"lamp": "on"}
        last = self._record.write(EntryKind.OUTPUT, next(iter(said)), said, answers=seq)
        self._may_end(0.06)
        return Answered(last, "no round" if refused else None, (), None)

    def _may_end(self, often: float) -> None:
        if self._chance.random() < often:
            self.ended = True
            raise TableEndedError


@dataclass(frozen=True)
class Parts:
    """What is simulated; a mutant has another class in one place."""

    desk: type[Desk] = Desk
    obeying: type[Obeying] = Obeying


@dataclass
class Table:
    """A board. `reach`: its connection to floord; None while there is none. `told`: entries that the floor has."""

    name: str
    record: Record
    keeper: Keeper
    obeying: Obeying
    reach: Reach | None = None
    told: int = 0


@dataclass
class World:
    """Everything. `heard`: what people were told of each command when they were told."""

    chance: random.Random
    parts: Parts
    engine: MemoryEngine
    tables: list[Table] = field(default_factory=list)
    heard: dict[str, list[Ordered]] = field(default_factory=dict)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    calm: bool = False
    trace: Any = field(default_factory=hashlib.sha256)
    backup: Any = None

    def __post_init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.desk = self._floord()

    def _floord(self) -> Desk:
        return self.parts.desk(self.engine, self.loop.time)

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Have some work done beside."""
        task = self.loop.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # -- tables

    def add(self, number: int) -> None:
        """A table comes."""
        record = Record(number)
        keeper = Keeper(record, self.chance)
        self.tables.append(Table(f"table {number}", record, keeper, self._process(record, keeper)))

    def _process(self, record: Record, keeper: Keeper) -> Obeying:
        async def on_disk() -> None:
            await asyncio.sleep(self.chance.random() * 0.05)
            if keeper.ended:
                raise TableEndedError

        return self.parts.obeying(
            cast(Any, keeper), FloorMay(("misdeal",)), self.loop.time, cast(Any, record.opened), on_disk,
            cast(Any, None), record.journal,
        )  # fmt: skip

    async def live(self, table: Table) -> None:
        """A table starts again where it has ended, calls, and brings its rows."""
        while True:
            await asyncio.sleep(0.1 + self.chance.random())
            if table.keeper.ended:
                self.hang_up(table)
                table.keeper = Keeper(table.record, self.chance)
                table.obeying = self._process(table.record, table.keeper)
            elif table.reach is None:
                await self.call(table)
            elif not self.calm and self.chance.random() < 0.05:
                self.hang_up(table)
            else:
                await self.bring(table)

    async def call(self, table: Table) -> None:
        """The uplink connects."""
        opened = await self.engine.open_journal(table.name, table.record.journal, 2)
        table.told = opened.stand.seq
        table.reach = Reach(lambda data: self.send(table, data), table.record.journal, table.told)
        self.desk.join(table.name, table.reach, obeys=True)

    def hang_up(self, table: Table) -> None:
        """A connection ends."""
        if table.reach is not None:
            self.desk.leave(table.name, table.reach)
            table.reach = None

    async def bring(self, table: Table) -> None:
        """The uplink brings rows, and the floor looks at what is not settled."""
        stand = self.engine.journals[table.record.journal].stand
        rows = table.record.rows
        if stand.seq < len(rows):
            until = len(rows) if self.calm else self.chance.randint(stand.seq, len(rows))
            chains = chains_of(chain_start(table.record.journal), rows[:until])
            if until > stand.seq:
                await self.engine.append_many(
                    [Batch(table.name, table.record.journal, stand.seq + 1, chains[stand.seq], chains[-1],
                           tuple(rows[stand.seq : until]))]
                )  # fmt: skip
        table.told = self.engine.journals[table.record.journal].stand.seq
        if table.reach is not None:
            table.reach.head = table.told
        await self.desk.look(table.name, table.record.journal, len(rows), table.told)

    # -- the wire

    def _ways(self) -> list[float]:
        """After how many seconds each copy of a message arrives; empty for a message that is lost."""
        if self.calm:
            return [0.01]
        copies = self.chance.choices((0, 1, 2), (0.25, 0.6, 0.15))[0]
        return [self.chance.random() ** 4 * 9.0 for _ in range(copies)]

    async def send(self, table: Table, data: bytes) -> None:
        """A command on its way to a table."""
        for late in self._ways():
            self.begin(self._arrives(table, data, late))

    async def _arrives(self, table: Table, data: bytes, late: float) -> None:
        await asyncio.sleep(late)
        command: Command = from_bytes(data, FROM_FLOOR)
        keeper = table.keeper
        answer = await of_uplink.obey(cast(Any, table), command, 0.0)
        if keeper.ended and self.chance.random() < 0.5:
            return  # the uplink's connection to the table went with it
        said = to_bytes(answer)
        for again in self._ways():
            self.begin(self._answered(table, said, again))

    async def _answered(self, table: Table, said: bytes, late: float) -> None:
        await asyncio.sleep(late)
        await self.desk.answered(table.name, from_bytes(said, FROM_TABLE))

    # -- people, and the nemesis

    async def decide(self, table: Table) -> None:
        """Somebody decides at a table."""
        await asyncio.sleep(self.chance.random() * LASTS)
        done = await self.desk.order(table.name, order_text(LEA, MISDEAL))
        self.trace.update(f"{table.name} {done.result} {done.entry} {self.loop.time():.6f}\n".encode())
        self.heard.setdefault(done.id, []).append(done)

    async def go_wrong(self) -> None:
        """The nemesis, as long as people decide."""
        while self.loop.time() < WALL + LASTS:
            await asyncio.sleep(self.chance.random() * 8.0)
            what = self.chance.random()
            if what < 0.5:  # floord ends, and another one begins
                for table in self.tables:
                    self.hang_up(table)
                self.desk = self._floord()
                await self.desk.load()
            elif what < 0.7:
                self.chance.choice(self.tables).keeper.ended = True
            elif what < 0.85:
                self.backup = self.engine.saved()
            elif self.backup is not None:
                self.engine.put_back(self.backup)
                self.backup = self.engine.saved()
                for table in self.tables:
                    self.hang_up(table)

    # -- what must hold

    def judge(self) -> None:
        """Hold at rest: an id acts once at most, and nobody was ever told what the record does not say."""
        by_name = {table.name: table.record for table in self.tables}
        for ordered in self.engine.orders.values():
            acted = by_name[ordered.table].acted(ordered.id)
            if len(acted) > 1:
                raise BrokenInvariantError("a command acted twice")
            done = bool(acted) and acted[0][1]
            for told in (*self.heard.get(ordered.id, ()), ordered):
                if told.result is Result.DONE and (not done or told.entry != acted[0][0]):
                    raise BrokenInvariantError("somebody was told that it was done, and the record does not have it so")
                if told.result is Result.REFUSED and done:
                    raise BrokenInvariantError("somebody was told that it was not done, and it was")
            if ordered.result is Result.NOT_KNOWN:
                raise BrokenInvariantError("nobody knows at rest what became of a command")


async def _obeyed(table: Any, command: FloorCommand) -> Obeyed:
    """The table's socket: whose process ends has no answer."""
    keeper = table.keeper
    try:
        done: Obeyed = await table.obeying.take(command)
    except TableEndedError:
        keeper.ended = True
        raise TableAwayError("the table has ended") from None
    if keeper.ended:
        raise TableAwayError("the table has ended")
    return done


@asynccontextmanager
async def _beside(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _play(seed: int, tables: int, parts: Parts) -> str:
    loop = asyncio.get_running_loop()
    world = World(random.Random(seed), parts, MemoryEngine(loop.time))
    for number in range(1, tables + 1):
        world.add(number)
    async with _beside(*(world.live(table) for table in world.tables)):
        people = [world.decide(table) for table in world.tables for _ in range(ORDERS)]
        await asyncio.gather(world.go_wrong(), *people)
        world.calm = True
        await asyncio.sleep(2 * NOT_DONE_AFTER)
        while world.tasks:
            await asyncio.gather(*world.tasks, return_exceptions=True)
        await asyncio.sleep(5.0)
    world.judge()
    return str(world.trace.hexdigest())


def play(seed: int, *, tables: int = 4, parts: Parts | None = None) -> str:
    """Play one seed to its end; return the digest of what people were told, and when. Raises BrokenInvariantError."""
    loop = VirtualLoop()
    try:
        with patch.object(of_uplink, "obeyed", _obeyed), suppress(CommandRefused):
            return loop.run_until_complete(_play(seed, tables, parts or Parts()))
    finally:
        loop.close()
    raise AssertionError("nothing was played")
