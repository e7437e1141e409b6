"""Tables for the simulation of wishes: the real `Obeying` over a record, a memory and a process that can end."""

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from feltd.door import Person
from feltd.door.commands import Answered
from feltd.door.wishing import Setting
from feltd.record.entries import EntryKind, HostEntry
from feltd.record.notes import BY_HAND_NOTE, START_NOTE, WISH_SETTINGS_NOTE
from feltd.table.keeper.floor_memory import Noting, Remembered
from feltd.table.keeper.noted_wishes import NotedWishes
from feltd.table.keeper.obeying import FloorMay, Obeying
from feltd.table.keeper.wished_settings import SettingWishes, TableWishes
from tests.floor.commanded import Line, Record, TableEndedError
from tests.floor.test_orders import IN_FILE

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
    """A table's file beside its record: what was kept stays, whatever ends. `had`: before each wish, by its number."""

    def __init__(self) -> None:
        self.known = Remembered()
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
        before = self.known.wishes.get(kind, {"values": {}})["values"]
        self.had.setdefault(wish["number"], before)
        self.known = replace(self.known, wishes={**self.known.wishes, kind: dict(wish)})


class Process:
    """What `Obeying` asks of a keeper, until it ends."""

    stopped = None

    def __init__(self, record: Record, chance: random.Random) -> None:
        self._record = record
        self._chance = chance
        self.ended = False

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
    """A wish as a table's record has it. `before`: the number of the wish that was noted before it, 0 for none."""

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
    memory: Memory = field(default_factory=Memory)
    link: Any = None
    has: dict[Setting, Any] = field(default_factory=dict)
    """What is in force."""

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """A process begins, and says in the record which settings hold by a wish."""
        loop = asyncio.get_running_loop()
        keeper = self.keeper = Process(self.record, self.chance)

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
        self.obeying = self.obeying_as(
            cast(Any, keeper), FloorMay(("misdeal",), keys=(self.key,)), loop.time, cast(Any, self.record.opened),
            on_disk, cast(Any, self.memory), self.record.journal, TableWishes(cast(Any, None), settings),
        )  # fmt: skip

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
        for line in self.record.lines:
            body = line.body
            if line.kind == EntryKind.HOST and line.name == HostEntry.NOTE and body.get("what") == WISH_SETTINGS_NOTE:
                before = noted[-1].number if noted else 0
                values, wall = json.loads(body["settings"]), self.record.walls[line.seq - 1]
                noted.append(Noted(line.seq, wall, body["wish"], before, values, body["who"], body["why"]))
        return noted


def _unheard(words: str) -> None:
    raise AssertionError(f"a table's start found its wish wrong: {words}")
