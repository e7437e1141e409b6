"""Tournaments at real tables: a floor in memory, tables that obey and whose records go up when a test says so."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from feltd.custody.messages import Answer, Beat, Command, Result, Stand, from_bytes
from feltd.door import CommandRefused
from feltd.door.signed_orders import command_of
from feltd.floor.commanding import Desk, Patience, Reach
from feltd.floor.directing import Directing
from feltd.floor.engine import Batch
from feltd.floor.memory import MemoryEngine
from feltd.floor.open_rows import read_rows
from feltd.floor.pit_book import PitBook
from feltd.floor.tending import Tending
from feltd.floor.tournament_fold import Fold
from feltd.record.rows import JournalRows
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.table.keeper.obeying import FloorMay, Obeying
from table_fsm.events import Event, TableOpen, parse_event
from tests.feltd.table_support import Bench, FakeTime
from tests.floor.directing_support import TERMS, At, directing

HAND = Path(__file__).parents[1] / "drills/onyx-tournament/hand-for-hand-4-the-lower-count-is-out-first.jsonl"
"""Four players; seats 1 and 3 lose their last chips."""


class TableHere:
    """A real table that plays a tournament."""

    def __init__(
        self, name: str, folder: Path, time: FakeTime, seats: tuple[int, ...] = (), opening: TableOpen | None = None
    ) -> None:
        folder.mkdir()
        self.name = name
        self.bench = Bench(folder, time)
        self.obeyed: list[dict[str, Any]] = []
        self._hands = 0
        self.silent = False
        self.may = True
        self.obeying = Obeying(
            self.bench.keeper,
            FloorMay(tournament=True),
            lambda: time.wall,
            lambda: JournalRows(self.bench.journal.path),
            self.bench.synced,
            FloorMemory(memory_file_of(self.bench.journal.path)),
            self.bench.journal.reader.journal_id,
        )
        usual = TableOpen(
            t=0.0, rulebook="onyx-tournament", options={"blinds": [100, 200]}, seats=list(seats), button=4
        )
        self.bench.keeper.open_with(opening or usual)

    def play(self, *lines: dict[str, Any]) -> None:
        """Events of this table's devices."""
        for line in lines:
            event = parse_event(json.dumps({**line, "t": 0.0}))
            self.bench.time.pass_(0.5)
            self.bench.keeper.deliver(Delivery("test", partial(_at, event), None))

    def hand(self, until: str | None = None, *, rest: bool = False) -> None:
        """The hand of the drill, behind its opening; up to its event `until`, or from there on."""
        lines = [json.loads(line) for line in HAND.read_text().splitlines()]
        lines = [line for line in lines if "ev" in line and line["ev"] != "table.open"]
        at = len(lines) if until is None else 1 + next(n for n, line in enumerate(lines) if line["ev"] == until)
        self.play(*(lines[at:] if rest else lines[:at]))

    def folded(self, until: str | None = None, *, rest: bool = False) -> None:
        """A hand in which everybody folds to one, as the prompts ask for it.

        Up to its first prompt `until`, or the `rest` from there on.
        """
        if not rest:
            self.play({"ev": "shoe.deck_checked", "deck": "red", "count": 52})
            self._hands += 1
        cards = [rank + suit for suit in "shdc" for rank in "23456789TJQKA"]
        Random(self._hands).shuffle(cards)
        while True:
            prompt: dict[str, Any] = dict(self.bench.keeper.table.view()["prompt"] or {})
            if until is not None and until in prompt:
                return
            match prompt:
                case {"shuffle": _}:
                    self.play({"ev": "shoe.shuffled", "deck": "red", "count": 52})
                case {"cut": _}:
                    self.play({"ev": "cut", "by": "dealer", "depth": 24, "exposed": 0})
                case {"post": due}:
                    for seat, cents in due.items():
                        self.play({"ev": "action", "seat": int(seat), "action": "post", "cents": cents})
                case {"ante": due}:
                    for seat, cents in due.items():
                        self.play({"ev": "action", "seat": int(seat), "action": "ante", "cents": cents})
                case {"deal": zone, "face": face}:
                    card = {"card": cards.pop(), "face": face, "deck": "red"}
                    self.play({"ev": "shoe.card", **card}, {"ev": "card.placed", "zone": zone, **card})
                case {"act": seat}:
                    self.play({"ev": "action", "seat": seat, "action": "fold", "cents": None})
                case {"close": _}:
                    self.play({"ev": "betting.closed"})
                case {"collect": _}:
                    self.play({"ev": "hand.end"})
                    return
                case _:
                    raise AssertionError(prompt)

    def race(
        self, odd: dict[str, int], winner: int, chips: tuple[int, int] = (25, 100), last: Sequence[int] = ()
    ) -> None:
        """A chip race of 25 for 100, or of other chips, which this seat wins. `last`: who has nothing else."""
        self.play({"ev": "shoe.deck_checked", "deck": "red", "count": 52})
        self.play({"ev": "shoe.shuffled", "deck": "red", "count": 52})
        self.play({"ev": "race.start", "chip": chips[0], "new_chip": chips[1], "odd": odd, "last": [*last]})
        low, high = iter(["2c", "3c", "4c", "5c"]), iter(["As", "Ks", "Qs", "Js"])
        while True:
            prompt: dict[str, Any] = dict(self.bench.keeper.table.view()["prompt"] or {})
            zone = str(prompt.get("deal", ""))
            if not zone.startswith("race:"):
                return
            card = {"card": next(high if zone == f"race:{winner}" else low), "face": "up", "deck": "red"}
            self.play({"ev": "shoe.card", **card}, {"ev": "card.placed", "zone": zone, **card})

    @property
    def seats(self) -> list[int]:
        """The seats with a player."""
        return sorted(one["seat"] for one in self.bench.keeper.table.view()["seats"])


class TendedFloor:
    """A floor with two tables, T1 and T2, or with those of these names. `engine`: one of PostgreSQL; None: memory.

    `opening`: how each table is opened; None: for Onyx's tournaments.
    """

    def __init__(
        self, folder: Path, *, names: Sequence[str] = ("T1", "T2"), engine: Any = None,
        time: FakeTime | None = None, opening: TableOpen | None = None, **seats: tuple[int, ...],
    ) -> None:  # fmt: skip
        self.time = time or FakeTime()
        self.engine: MemoryEngine = engine or MemoryEngine(lambda: self.time.wall)
        self.desk = Desk(self.engine, lambda: self.time.wall, Patience(until=5.0, again=0.01, grace=0.0))
        self.book = PitBook(self.engine, lambda: self.time.wall)
        self.directing = directing(self.engine.tournaments, lambda: self.time.wall)
        self.tending = Tending(self.directing, self.desk, self.book, lambda: self.time.wall)
        self.at = At(self.directing)
        self.tables = {name: TableHere(name, folder / name, self.time, seats.get(name, ()), opening) for name in names}
        self.reaches: dict[str, Reach] = {}
        self.offsets: dict[str, float] = {}
        """Seconds by which the floor's clock is ahead of a table's, as its uplink measures it."""
        self._obeying = 0
        self._none_obeys = asyncio.Event()

    async def connect(self, name: str) -> None:
        """A table calls the floor."""
        table = self.tables[name]
        journal = table.bench.journal.reader.journal_id
        opened = await self.engine.open_journal(name, journal, 2)
        self.reaches[name] = reach = Reach(lambda data: self._obey(table, data), journal, opened.stand.seq)
        self.desk.join(name, reach, obeys=True)
        self.book.came(name, journal, opened.stand)

    def cut(self, name: str) -> None:
        """The network is away."""
        self.desk.leave(name, self.reaches.pop(name))
        self.book.went(name)

    async def restart(self) -> None:
        """floord ends and starts again: what it knew is gone, and tables call again."""
        names = tuple(self.reaches)
        for name in names:
            self.cut(name)
        self.desk = Desk(self.engine, lambda: self.time.wall, Patience(until=5.0, again=0.01, grace=0.0))
        self.book = PitBook(self.engine, lambda: self.time.wall)
        self.directing = directing(self.engine.tournaments, lambda: self.time.wall)
        self.tending = Tending(self.directing, self.desk, self.book, lambda: self.time.wall)
        self.at = At(self.directing)
        await self.desk.load()
        await self.book.load()
        await self.directing.look()
        for name in names:
            await self.connect(name)
        await self.book.catch_up()

    async def up(self) -> None:
        """The records of tables that are connected go up."""
        for name, reach in self.reaches.items():
            head = self.tables[name].bench.journal.health.appended
            if head != reach.head:  # of hundreds of tables most have nothing new
                head = await self._rows_up(name, reach)
            self.book.said(name, Stand(reach.head, b""), Beat(self.time.wall, head, self.offsets.get(name)))
            await self.desk.look(name, reach.journal, head, reach.head)

    async def _rows_up(self, name: str, reach: Reach) -> int:
        """A table's new rows go up. Returns the last entry of its record."""
        bench = self.tables[name].bench
        await bench.synced()
        with JournalRows(bench.journal.path) as rows:
            found = rows.stored(reach.head, 10_000, 10**8)
        if found.rows and found.before is not None:
            batch = Batch(name, reach.journal, reach.head + 1, found.before, found.chain or b"", found.rows)
            [added] = await self.engine.append_many([batch])
            self.book.take(batch, read_rows(batch.rows))
            reach.stand(Stand(added.stand.seq, added.stand.chain))
        return found.head

    async def settle(self) -> None:
        """Rows go up and orders down until nothing is due any more."""
        quiet = 0
        while quiet < 2:
            before = sum(len(table.obeyed) for table in self.tables.values())
            await self.up()
            await self.tending.look()
            await self.tending.settled()
            now = sum(len(table.obeyed) for table in self.tables.values())
            quiet = quiet + 1 if now == before else 0

    async def _obey(self, table: TableHere, data: bytes) -> None:
        command: Command = from_bytes(data, {"command": Command})
        if table.silent:
            # Time that passes while another table still takes its order would make that order too late.
            while self._obeying:
                await self._none_obeys.wait()
            self.time.pass_(3.0)
            return
        if not table.may:
            await self.desk.answered(table.name, Answer(command.id, Result.REFUSED, 0, "no tournament here"))
            return
        table.obeyed.append(json.loads(command.order))
        self._obeying += 1
        self._none_obeys.clear()
        try:
            done = await table.obeying.take(command_of(command.id, command.order, command.until))
        except CommandRefused as refusal:
            answer = Answer(command.id, Result.REFUSED, 0, str(refusal))
        else:
            answer = Answer(command.id, Result.REFUSED if done.refusal else Result.DONE, done.entry, done.refusal or "")
        finally:
            self._obeying -= 1
            if not self._obeying:
                self._none_obeys.set()
        await self.desk.answered(table.name, answer)

    def beside(self) -> "Beside":
        """Another floord on the same database, which is just starting and has no table's connection."""
        desk = Desk(self.engine, lambda: self.time.wall, Patience(until=5.0, again=0.01, grace=0.0))
        book = PitBook(self.engine, lambda: self.time.wall)
        other = directing(self.engine.tournaments, lambda: self.time.wall)
        return Beside(self, other, book, Tending(other, desk, book, lambda: self.time.wall))

    def close(self) -> None:
        """Let the tables go."""
        for table in self.tables.values():
            table.bench.journal.close()


@dataclass
class Beside:
    """The second of two floords. What tables tell it reads from the database, as a floord does for tables elsewhere."""

    first: TendedFloor
    directing: Directing
    book: PitBook
    tending: Tending

    async def look(self) -> None:
        """Take what is kept, and look once."""
        await self.directing.look()
        await self.follow()
        await self.tending.look()

    async def follow(self) -> None:
        """Fold what tables have told the floor."""
        await self.book.load()
        await self.book.catch_up()

    @property
    def fold(self) -> Fold:
        """The tournament as this floord has it."""
        return self.directing.fold("cup")


def _at(event: Event, t: float) -> list[Event]:
    return [replace(event, t=t)]


def seat(number: int, table: str, at: int) -> dict[str, object]:
    """An entry is given a seat."""
    return {"ev": "seat.given", "entry": number, "table": table, "seat": at}


def seat_entry(at: int, number: int, **bought: int) -> dict[str, object]:
    """What a table is told of an entry."""
    told = {"ev": "seat.entry", "seat": at, "entry": number, "nth": 1, "cents": 30_000, "rebuys": 0, "add_ons": 0}
    return {**told, **bought}


async def seated(floor: TendedFloor, terms: Mapping[str, Any] = TERMS) -> None:
    """Four players at T1, two at T2, the tables connected."""
    for name in floor.tables:
        await floor.connect(name)
    await floor.at.opened(entries=6, terms=terms)
    await floor.at.say(*(seat(number, "T1", number) for number in range(1, 5)), seat(5, "T2", 1), seat(6, "T2", 2))


async def first_hand_released(floor: TendedFloor) -> None:
    """They are seated, late entry is over, and the first hand of hand for hand is released."""
    await seated(floor)
    await floor.settle()
    await floor.at.say(
        {"ev": "late.closed"}, {"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"}
    )  # fmt: skip
    await floor.settle()


def run(work: Any) -> None:
    """A test's work in a loop."""
    asyncio.run(work())
