"""Tables for the simulation of wishes: the real `Obeying` over a record, a memory and a process that can end."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Final, cast

from feltd.door import Person
from feltd.door.commands import Answered
from feltd.door.wishing import Setting
from feltd.floor.wishes import WishKind
from feltd.record.entries import EntryKind, HostEntry
from feltd.record.notes import BY_HAND_NOTE, START_NOTE, WISH_NOTE, WISH_SETTINGS_NOTE
from feltd.table.keeper.floor_memory import Noting, Remembered
from feltd.table.keeper.noted_wishes import NotedWishes
from feltd.table.keeper.obeying import FloorMay, Obeying
from feltd.table.keeper.wished_settings import SettingWishes, TableWishes
from feltd.table.keeper.wishes import BOOK
from table_fsm.events import TableOpen
from tests.floor.commanded import Line, Record, TableEndedError
from tests.floor.test_orders import IN_FILE
from tests.floor.wished_books import Books, Felt, Played, opened_in, played

KINDS: Final = {WISH_NOTE: WishKind.BOOK, WISH_SETTINGS_NOTE: WishKind.SETTINGS}
OFTEN: Final = 0.04
"""How often a table's process ends between two things that it does."""


class Slow(Record):
    """The record of a table whose clock is wrong: its rows tell so, and `walls` has when it was."""

    def __init__(self, number: int, ahead: float) -> None:
        super().__init__(number)
        self._ahead = ahead

    def told_wall(self, wall: float) -> float:
        """What the table's clock says."""
        return wall + self._ahead


class Memory:
    """A table's file beside its record: what was kept stays, whatever ends. `had`: before each wish, by its number.

    `plays`: what the table plays, as far as it plays books.
    """

    def __init__(self, plays: Callable[[], Played]) -> None:
        self.known = Remembered()
        self.plays = plays
        self.had: dict[int, dict[str, Any]] = {}

    def read(self) -> Remembered:
        """See `FloorMemory`."""
        return self.known

    def keep_made(self, made: int) -> None:
        """See `FloorMemory`."""
        self.known = replace(self.known, made=max(made, self.known.made))

    def keep_noting(self, note: str, noting: Noting) -> None:
        """See `FloorMemory`."""
        self.known = replace(self.known, noting={**self.known.noting, note: noting})

    def keep_wish(self, kind: str, wish: Mapping[str, Any]) -> None:
        """See `FloorMemory`."""
        before = self.plays() if kind == BOOK else self.known.wishes.get(kind, {"values": {}})["values"]
        self.had.setdefault(wish["number"], before)
        self.known = replace(self.known, wishes={**self.known.wishes, kind: dict(wish)})


class Process:
    """What `Obeying` asks of a keeper, until it ends. `standing`: what is open by the record."""

    stopped = None

    def __init__(self, record: Record, chance: random.Random, standing: TableOpen | None) -> None:
        self._record = record
        self._chance = chance
        self.felt = Felt(record, self._may_end, standing)
        self.ended = False

    @property
    def table(self) -> Any:
        """See `TableKeeper`."""
        return self.felt.table

    @property
    def standing(self) -> Any:
        """See `TableKeeper`."""
        return SimpleNamespace(opening=self.felt.standing)

    def open_with(self, opening: TableOpen, *, seats_stay: bool = False) -> None:
        """See `TableKeeper`."""
        self.felt.open_with(opening)

    def stay_open(self) -> None:
        """See `TableKeeper`."""
        self.felt.waits = None

    def note_by_hand(self, person: Person, what: str, why: str | None = None, **details: object) -> int:
        """Note what a person did; the process may end before it is written, and behind it."""
        self._may_end()
        who = {"note": BY_HAND_NOTE, "what": what, "who": person.account, "role": person.role, "why": why}
        seq = self._record.write(EntryKind.HOST, "note", {**who, **details})
        self._may_end()
        return seq

    def act(self, person: Person, why: str | None, event: object, **details: object) -> Answered:
        """Write the note, the event and what the table says to it."""
        self.note_by_hand(person, "supervisor", why, **details)
        seq = self._record.write(EntryKind.EVENT, "supervisor", {"decision": "misdeal"})
        refused = self._chance.random() < 0.2
        said = {"error": {"reason": "no round"}} if refused else {"lamp": "on"}
        last = self._record.write(EntryKind.OUTPUT, next(iter(said)), said, answers=seq)
        self._may_end()
        return Answered(last, "no round" if refused else None, (), None)

    def _may_end(self) -> None:
        if self.ended or self._chance.random() < OFTEN:
            self.ended = True
            raise TableEndedError


@dataclass(frozen=True, slots=True)
class Noted:
    """A wish as a table's record has it. `before`: the number of the one of its kind that was noted before, 0 for none.

    `values`: the settings, or the book with its digest and options.
    """

    kind: WishKind
    seq: int
    wall: float
    number: int
    before: int
    values: dict[str, Any]
    who: str
    why: str


@dataclass(eq=False)
class Table:
    """A board. `link`: its connection, as its uplink has it."""

    name: str
    record: Record
    chance: random.Random
    key: bytes
    obeying_as: type[Obeying]
    noted_as: type[NotedWishes] = NotedWishes
    keeper_as: type[Process] = Process
    books: bool = False
    """Whether it plays books, which the floor may wish."""
    memory: Memory = field(init=False)
    link: Any = None
    has: dict[Setting, Any] = field(default_factory=dict)
    """What is in force."""

    def __post_init__(self) -> None:
        self.memory = Memory(lambda: self.plays)
        self.start()

    def start(self) -> None:
        """A process begins, and says in the record which settings hold by a wish."""
        loop = asyncio.get_running_loop()
        keeper = self.keeper = self.keeper_as(self.record, self.chance, opened_in(self.record))

        async def on_disk() -> None:
            await asyncio.sleep(self.chance.random() * 0.05)
            if keeper.ended:
                raise TableEndedError

        settings = SettingWishes(tuple(Setting), IN_FILE, cast(Any, self.memory), self.has.__setitem__)
        settings.put_at_start(_unheard)
        noted = self.noted_as(cast(Any, self.memory), cast(Any, self.record.opened), self.record.journal)
        try:
            noted.note_left_out(cast(Any, keeper))
        except TableEndedError:
            return
        remembers = {kind: kept["number"] for kind, kept in self.memory.known.wishes.items()}
        started = {"note": START_NOTE, "settings": dict(settings.now.values), "wishes": remembers}
        self.record.write(EntryKind.HOST, "note", started)
        books = Books(cast(Any, self.memory))
        self.obeying = self.obeying_as(
            cast(Any, keeper), FloorMay(("misdeal",), keys=(self.key,)), loop.time, cast(Any, self.record.opened),
            on_disk, cast(Any, self.memory), self.record.journal, TableWishes(books, settings),
        )  # fmt: skip
        if self.books:
            opening, _ = books.opening_at_start(keeper.felt.standing, _unheard)
            self.goes_on(opening)

    def goes_on(self, opening: TableOpen | None = None) -> None:
        """Rounds go on, and the table opens what waits for the end of one, or this; not one whose process has ended."""
        if self.keeper.ended:
            return
        with suppress(TableEndedError):
            self.keeper.felt.go_on() if opening is None else self.keeper.open_with(opening)

    @property
    def plays(self) -> Played:
        """The book that is played, with its digest and options; empty where none was opened."""
        standing = opened_in(self.record)
        return {} if standing is None else played(standing)

    def alarm(self) -> None:
        """A device of it goes away."""
        said = {"kind": "device_offline", "deck": None, "device": "shoe", "state": "raised"}
        self.record.write(EntryKind.OUTPUT, "alarm", {"alarm": said}, answers=None)

    def notes_of(self, command: str) -> list[Line]:
        """The notes of a command."""
        return [line for line in self.record.lines if line.body.get("command") == command]

    def wishes(self) -> list[Noted]:
        """The wishes that its record has, in order."""
        noted: list[Noted] = []
        last = dict.fromkeys(KINDS.values(), 0)
        for line in self.record.lines:
            body = line.body
            kind = KINDS.get(str(body.get("what")))
            if line.kind == EntryKind.HOST and line.name == HostEntry.NOTE and kind is not None:
                wall = self.record.walls[line.seq - 1]
                one = Noted(kind, line.seq, wall, body["wish"], last[kind], _values(body), body["who"], body["why"])
                last[kind] = one.number
                noted.append(one)
        return noted


def _values(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a wish's note says of it."""
    if "settings" in body:
        return dict(json.loads(body["settings"]))
    return {"rulebook": body["rulebook"], "digest": body["digest"], "options": json.loads(body["options"])}


def _unheard(words: str) -> None:
    raise AssertionError(f"a table's start found its wish wrong: {words}")
