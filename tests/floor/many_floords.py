"""Decisions and wishes for tables of several floords over one database, and a nemesis, from one seed.

`Desk`, `Rolling`, `Wishing`, `PitBook` and `Elsewhere` of each floord are the real ones, and so are the uplink's `obey`
and the table's `Obeying`, with signed commands. Tables move between floords; messages are lost, doubled and late; a
floord dies between what it writes and the answer to it, or is cut off from the database; the database is put back to a
backup; tables' clocks are wrong, and tables end between any two things that they do. What must hold is said at
`World.judge` and in `judged_wishes`.
"""

import asyncio
import hashlib
import inspect
import random
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import FROM_FLOOR, FROM_TABLE, Beat, Command, Result, from_bytes, to_bytes
from feltd.custody.rows import chains_of
from feltd.door import CommandRefused, Person, TableAwayError
from feltd.door import wishing as of_door
from feltd.door.obeying import Obeyed, SignedCommand
from feltd.door.pit.wishes import NewWish, SaidToWish, WishBack
from feltd.door.signed_orders import order_text
from feltd.door.wishing import TableSettings
from feltd.floor import rolling as of_rolling
from feltd.floor.commanding import NOT_DONE_AFTER, Desk, Reach
from feltd.floor.elsewhere import Elsewhere
from feltd.floor.engine import Batch, Ordered
from feltd.floor.groups import EVERYTHING
from feltd.floor.memory import Backup, MemoryEngine
from feltd.floor.open_rows import read_rows
from feltd.floor.own_record import OwnRecord
from feltd.floor.pit_book import PitBook
from feltd.floor.rolling import Rolling
from feltd.floor.signing import FloorKey
from feltd.floor.wishes import MemoryWishes, Step, Wish
from feltd.floor.wishing import Wishing
from feltd.record.entries import chain_start
from feltd.table.keeper.noted_wishes import NotedWishes
from feltd.table.keeper.obeying import Obeying
from feltd.uplink import obeying as of_uplink
from tests.floor.commanded import LEA, MISDEAL, WALL, TableEndedError, VirtualLoop
from tests.floor.judged_wishes import History, judged_canary, judged_wishes
from tests.floor.simulation import BrokenInvariantError
from tests.floor.wished_books import play_of
from tests.floor.wished_tables import Process, Slow, Table

BEN: Final = Person("Ben", "ben", "director", "10.20.0.11")
LASTS: Final = 60.0
"""Virtual seconds in which people wish and decide."""
HOLD: Final = 4.0
AGAIN_AFTER: Final = 15.0
"""In place of five minutes."""
COUNTED_EVERY: Final = 0.05
"""In place of a minute: in a minute everything is over."""


@dataclass(frozen=True)
class Parts:
    """What is simulated; a mutant has another class in one place."""

    desk: type[Desk] = Desk
    rolling: type[Rolling] = Rolling
    obeying: type[Obeying] = Obeying
    wishes: type[MemoryWishes] = MemoryWishes
    noted: type[NotedWishes] = NotedWishes
    """At a start; what a table asks while it runs is its `obeying`'s."""
    keeper: type[Process] = Process


class Way:
    """A floord's way to the database, or to a part of it: it takes time, it can be cut, and an answer can be lost."""

    def __init__(self, there: Any, floord: "Floord") -> None:
        self._there = there
        self._floord = floord

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._there, name)
        if inspect.iscoroutinefunction(found):
            return lambda *values: self._floord.asks(found, *values)
        return Way(found, self._floord) if name in ("wishes", "standing", "floords", "facts", "passed") else found


@dataclass(slots=True, eq=False)
class Link:
    """A connection of a table to a floord."""

    table: Table
    floord: "Floord"
    reach: Reach = field(default_factory=lambda: cast(Reach, None))


class Floord:
    """One daemon. `cut`: from the database; `dies`: behind the next thing that it writes.

    `listens`: it has taken up what the database has; before, nobody can call it.
    """

    def __init__(self, world: "World", number: int) -> None:
        self.world = world
        self.cut = self.dies = self.ended = self.listens = False
        self.links: set[Link] = set()
        clock, way = world.loop.time, cast(Any, Way(world.engine, self))
        self.way = way
        self.book = PitBook(way, clock, lambda: ())
        self.desk = world.parts.desk(way, clock, None, world.key)
        self.rolling = world.parts.rolling(way, self.desk, self.book, clock)
        self.wishing = Wishing(way, self.rolling, OwnRecord(way, clock))
        self.elsewhere = Elsewhere(way.floords, self.book, f"floord {number}")
        self.runs = asyncio.ensure_future(self._run())

    async def asks(self, work: Callable[..., Any], *values: Any) -> Any:
        """Ask the database."""
        await asyncio.sleep(self.world.chance.random() * 0.03)
        if self.cut or self.ended:
            raise FloorAwayError("nobody answers", "database", "Ask again")
        answer = await work(*values)
        if self.dies:
            self.end()
        await asyncio.sleep(self.world.chance.random() * 0.03)
        if self.ended:
            raise FloorAwayError("this floord has ended", "database", "Ask again")
        return answer

    def end(self) -> None:
        """Its process is no more."""
        self.ended = True
        self.runs.cancel()

    async def _run(self) -> None:
        while True:
            with suppress(FloorAwayError):
                await self.desk.load()
                await self.book.load()
                break
            await asyncio.sleep(1.0)
        self.listens = True
        passing = self.desk.run(lambda: self.world.passes)
        await asyncio.gather(self.rolling.run(), self.elsewhere.run(), self._looks(), passing)

    async def _looks(self) -> None:
        while True:
            with suppress(FloorAwayError):
                await self.desk.load()
            with suppress(FloorAwayError):
                await self.book.turn()
            await asyncio.sleep(1.0)


@dataclass(frozen=True, slots=True)
class Kept:
    """A backup of the database."""

    engine: Backup
    orders: dict[str, Ordered]
    pits: dict[bytes, str]
    wishes: dict[int, tuple[Wish, list[Step]]]


class World:
    """Everything. `heard`: what people were told of each decision when they were told.

    `lost`: when the database was put back, and the wishes that it had until then; `passes`: people decide at any
    floord; `books`: every other wish is for a book.
    """

    def __init__(self, seed: int, tables: int, floords: int, parts: Parts, *, passes: bool, books: bool) -> None:
        self.chance = random.Random(seed)
        self.passes = passes
        self.books = books
        self.parts = parts
        self.loop = asyncio.get_running_loop()
        self.engine = MemoryEngine(self.loop.time)
        self.engine.wishes = parts.wishes(self.loop.time)
        private = Ed25519PrivateKey.from_private_bytes(b"\7" * 32)
        self.key = FloorKey(private)
        self.tables = [
            Table(
                f"t{number}",
                Slow(number, 40.0 * (number - 2)),
                self.chance,
                self.key.public,
                parts.obeying,
                parts.noted,
                parts.keeper,
                books=books,
            )
            for number in range(1, tables + 1)
        ]
        self.floords = [Floord(self, number) for number in range(floords)]
        self.heard: dict[str, list[Ordered]] = {}
        self.tasks: set[asyncio.Task[Any]] = set()
        self.wished = 0
        self.backup: Kept | None = None
        self.lost: list[History] = []
        self.calm = False
        self.trace = hashlib.sha256()

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Have some work done beside."""
        task = self.loop.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def some_floord(self) -> Floord:
        """One of them, which may have ended."""
        return self.chance.choice(self.floords)

    # -- tables and their uplinks

    async def live(self, table: Table) -> None:
        """A table starts again where it has ended, calls some floord, and brings its rows."""
        while True:
            await asyncio.sleep(0.1 + self.chance.random() * 0.6)
            link = table.link
            table.goes_on()
            if table.keeper.ended:
                self.leave(table)
                table.start()
            elif link is None:
                await self.call(table)
            elif link.floord.ended or (not self.calm and self.chance.random() < 0.05):
                self.leave(table)
            else:
                with suppress(FloorAwayError):
                    await self.bring(link)

    async def call(self, table: Table) -> None:
        """The uplink connects to a floord."""
        floord = self.some_floord()
        if not floord.listens:
            return
        try:
            opened = await floord.way.open_journal(table.name, table.record.journal, 2)
        except FloorAwayError:
            return
        link = Link(table, floord)
        link.reach = Reach(lambda data: self.send(link, data), table.record.journal, opened.stand.seq)
        table.link = link
        floord.links.add(link)
        floord.desk.join(table.name, link.reach, obeys=True)
        floord.book.came(table.name, table.record.journal, opened.stand)

    def leave(self, table: Table) -> None:
        """An uplink lets its connection go; its floord hears of it at once, or takes it for there for a while."""
        link, table.link = table.link, None
        if link is not None:
            self.begin(self._noticed(link, 0.0 if self.chance.random() < 0.5 else self.chance.random() * 6.0))

    async def _noticed(self, link: Link, late: float) -> None:
        await asyncio.sleep(late)
        if link in link.floord.links:
            link.floord.links.discard(link)
            link.floord.desk.leave(link.table.name, link.reach)
            link.floord.book.went(link.table.name)

    async def bring(self, link: Link) -> None:
        """The uplink brings rows, then a sign of life."""
        table, floord = link.table, link.floord
        rows, stand = table.record.rows, self.engine.journals[table.record.journal].stand
        until = len(rows) if self.calm or self.chance.random() < 0.7 else self.chance.randint(stand.seq, len(rows))
        if until > stand.seq:
            chains = chains_of(stand.chain or chain_start(table.record.journal), rows[stand.seq : until])
            batch = Batch(
                table.name, table.record.journal, stand.seq + 1, chains[0], chains[-1], tuple(rows[stand.seq : until])
            )
            [done] = await floord.way.append_many([batch])
            stand = link.reach.stand(done.stand)
            floord.book.take(batch, read_rows(batch.rows))
        link.reach.head = stand.seq
        floord.book.said(table.name, stand, Beat(self.loop.time(), len(rows)))
        await floord.desk.look(table.name, table.record.journal, len(rows), stand.seq)

    # -- the wire

    def _ways(self) -> list[float]:
        if self.calm:
            return [0.01]
        copies = self.chance.choices((0, 1, 2), (0.2, 0.65, 0.15))[0]
        return [self.chance.random() ** 4 * 8.0 for _ in range(copies)]

    async def send(self, link: Link, data: bytes) -> None:
        """A command on its way to a table, by one connection."""
        for late in self._ways():
            self.begin(self._arrives(link, data, late))

    async def _arrives(self, link: Link, data: bytes, late: float) -> None:
        await asyncio.sleep(late)
        if link.table.link is not link or link.floord.ended:
            return  # the uplink has let this connection go
        command: Command = from_bytes(data, FROM_FLOOR)
        keeper = link.table.keeper
        said = to_bytes(await of_uplink.obey(cast(Any, link.table), command, 0.0))
        if keeper.ended and self.chance.random() < 0.5:
            return  # the uplink's connection to the table went with it
        for again in self._ways():
            self.begin(self._answered(link, said, again))

    async def _answered(self, link: Link, said: bytes, late: float) -> None:
        await asyncio.sleep(late)
        if not link.floord.ended and (self.calm or link in link.floord.links):
            with suppress(FloorAwayError):
                await link.floord.desk.answered(link.table.name, from_bytes(said, FROM_TABLE))

    # -- people, and the nemesis

    async def decide(self, table: Table) -> None:
        """Somebody decides at a table, at the pit of its floord."""
        await asyncio.sleep(self.chance.random() * LASTS)
        floord = self.some_floord() if table.link is None else table.link.floord
        with suppress(FloorAwayError):
            done = await self._decided(self.some_floord() if self.passes else floord, table)
            if not floord.ended:
                self.trace.update(f"{table.name} {done.result} {done.entry} {self.loop.time():.6f}\n".encode())
                self.heard.setdefault(done.id, []).append(done)

    async def _decided(self, floord: Floord, table: Table) -> Ordered:
        order, line = order_text(LEA, MISDEAL), floord.book.line(table.name)
        if self.passes and line is not None and line.floord and not floord.desk.reaches(table.name):
            return await floord.desk.pass_on(table.name, order, line.journal, line.stand)
        return await floord.desk.order(table.name, order)

    async def wish(self) -> None:
        """Lea wishes something, Ben approves it at another floord, one of them may stop it, and may want it undone."""
        await asyncio.sleep(self.chance.random() * LASTS)
        self.wished += 1
        names = tuple(sorted(self.chance.sample([one.name for one in self.tables], self.chance.randint(1, 3))))
        play = play_of(self.wished) if self.books and self.wished % 2 else None
        values = None if play is not None else TableSettings({"gather_seconds": self.wished / 8})
        asked = NewWish(LEA, play, names, (), None, HOLD, "case 4712", settings=values)
        number = await self._said(lambda at: at.wish(asked, EVERYTHING))
        if number is None:
            return
        await asyncio.sleep(self.chance.random() * 4.0)
        await self._said(lambda at: at.say(SaidToWish(number, True, BEN, "seen by me"), EVERYTHING))
        await asyncio.sleep(self.chance.random() * 20.0)
        if self.chance.random() < 0.4:
            await self._said(lambda at: at.say(SaidToWish(number, False, LEA, "not any more"), EVERYTHING))
        if self.chance.random() < 0.5:
            back = await self._said(lambda at: at.back(WishBack(number, LEA, "as it was"), EVERYTHING))
            if back is not None:
                await self._said(lambda at: at.say(SaidToWish(back, True, BEN, "seen by me"), EVERYTHING))

    async def _said(self, saying: Callable[[Wishing], Coroutine[Any, Any, Any]]) -> int | None:
        """Have something said at some floord; the number of the wish that was made, None where it was refused."""
        for _ in range(4):
            with suppress(CommandRefused):
                floord = self.some_floord()
                if floord.listens:
                    made = await saying(floord.wishing)
                    return None if made is None else int(made.number)
            await asyncio.sleep(1.0)
        return None

    async def go_wrong(self) -> None:
        """The nemesis, as long as people decide."""
        while self.loop.time() < WALL + LASTS:
            await asyncio.sleep(self.chance.random() * 5.0)
            what, at = self.chance.random(), self.chance.randrange(len(self.floords))
            floord = self.floords[at]
            if what < 0.25:
                floord.dies = True
                self.begin(self._begins_anew(at))
            elif what < 0.4:
                floord.end()
                self.begin(self._begins_anew(at))
            elif what < 0.6:
                floord.cut = True
                self.begin(self._heals(floord))
            elif what < 0.8:
                self.chance.choice(self.tables).keeper.ended = True
            elif what < 0.85:
                self.chance.choice(self.tables).alarm()
            elif what < 0.93:
                self.keep()
            elif self.backup is not None:
                self.put_back(self.backup)

    def keep(self) -> None:
        """A backup of the database is taken."""
        engine = self.engine
        self.backup = Kept(engine.saved(), dict(engine.orders), dict(engine.kept_pits), engine.wishes.saved())

    def put_back(self, backup: Kept) -> None:
        """The database is put back, and every floord begins anew."""
        engine, self.backup = self.engine, None
        self.lost.append(History(tuple(engine.wishes.saved().values()), self.loop.time()))
        engine.put_back(backup.engine)
        engine.wishes.put_back(backup.wishes)
        engine.orders, engine.kept_pits = backup.orders, backup.pits
        for at, floord in enumerate(self.floords):
            floord.end()
            self.begin(self._begins_anew(at))

    async def _begins_anew(self, at: int) -> None:
        await asyncio.sleep(1.0 + self.chance.random() * 6.0)
        if self.floords[at].ended or self.floords[at].dies:
            self.floords[at].end()
            self.floords[at] = Floord(self, at)

    async def _heals(self, floord: Floord) -> None:
        await asyncio.sleep(self.chance.random() * 8.0)
        floord.cut = False

    # -- what must hold

    async def judge(self) -> None:
        """Hold at rest: an id acts once at most, nobody was told what the record does not say, wishes are kept."""
        by_name = {table.name: table for table in self.tables}
        for ordered in self.engine.orders.values():
            table = by_name[ordered.table]
            notes = table.notes_of(ordered.id)
            if len(notes) > 1:
                raise BrokenInvariantError("a command acted twice")
            if '"settings":' in ordered.order or '"wish":' in ordered.order:
                done, entry = bool(notes), notes[0].seq if notes else 0
            else:
                acted = table.record.acted(ordered.id)
                done, entry = bool(acted) and acted[0][1], acted[0][0] if acted else 0
            for told in (*self.heard.get(ordered.id, ()), ordered):
                if told.result is Result.DONE and (not done or told.entry != entry):
                    raise BrokenInvariantError("somebody was told that it was done, and the record does not have it so")
                if told.result is Result.REFUSED and done:
                    raise BrokenInvariantError("somebody was told that it was not done, and it was")
            if ordered.result is Result.NOT_KNOWN:
                raise BrokenInvariantError("nobody knows at rest what became of a command")
        histories = [History(tuple(await self.engine.wishes.all(1000))), *self.lost]
        judged_wishes(histories, self.tables)
        judged_canary(histories, self.tables)


async def _obeyed(table: Any, command: SignedCommand) -> Obeyed:
    """The table's socket: whose process ends has no answer."""
    keeper = table.keeper
    try:
        done: Obeyed = await table.obeying.take_signed(command)
    except TableEndedError:
        keeper.ended = True
        raise TableAwayError("the table has ended") from None
    if keeper.ended:
        raise TableAwayError("the table has ended")
    return done


async def _play(seed: int, tables: int, floords: int, parts: Parts, *, passes: bool, books: bool) -> str:
    world = World(seed, tables, floords, parts, passes=passes, books=books)
    lives = [asyncio.ensure_future(world.live(table)) for table in world.tables]
    people = [world.decide(table) for table in world.tables for _ in range(3)]
    await asyncio.gather(world.go_wrong(), *people, *(world.wish() for _ in range(5)))
    await asyncio.sleep(10.0)
    world.calm = True
    await asyncio.sleep(2 * NOT_DONE_AFTER + 3 * AGAIN_AFTER)
    kept = await world.engine.wishes.all(1000)
    running = [*lives, *(one.runs for one in world.floords)]
    for task in running:
        task.cancel()
    for fault in await asyncio.gather(*running, return_exceptions=True):
        assert isinstance(fault, asyncio.CancelledError), fault  # what ended by itself would make the rest easy
    await world.judge()
    told = [(wish.number, [(step.kind, step.table, round(step.at, 6)) for step in steps]) for wish, steps in kept]
    world.trace.update(repr(told).encode())
    return world.trace.hexdigest()


def play(
    seed: int,
    *,
    tables: int = 3,
    floords: int = 2,
    parts: Parts | None = None,
    passes: bool = False,
    books: bool = False,
) -> str:
    """Play one seed to its end; return the digest of what was told and when. Raises BrokenInvariantError.

    `passes`: people decide at floords that the tables are not connected to, too; `books`: every other wish is for a
    book.
    """
    loop = VirtualLoop()
    try:
        with (
            patch.object(of_uplink, "obeyed", _obeyed),
            patch.object(of_rolling, "AGAIN_AFTER", AGAIN_AFTER),
            patch.object(of_door, "COUNTED_EVERY", COUNTED_EVERY),
        ):
            return loop.run_until_complete(_play(seed, tables, floords, parts or Parts(), passes=passes, books=books))
    finally:
        loop.close()
