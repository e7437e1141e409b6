"""The waiting lists of one card room, folded from their stream: the book that they were made under, and who waits."""

import json
from collections import deque
from typing import Any, Final

from feltd.door.pit.waiting import LINES_MOST, RoomLine, RoomRule, RoomTile
from feltd.floor.players import tokens_in
from feltd.floor.stream_fold import Made, StreamFold
from feltd.floor.streams import StreamEnd, StreamEvent
from floor_fsm.core.event import Event
from floor_fsm.lines import from_line
from floor_fsm.waiting.book import load_waiting_books
from floor_fsm.waiting.room import KINDS, WaitingRoom

MADE: Final = "waiting.made"


class WaitingFold(StreamFold[RoomLine]):
    """The lists of a room as they stand behind the last event. Belongs to one loop."""

    def __init__(self, room: str) -> None:
        super().__init__(room)
        self.room: WaitingRoom | None = None
        self.lines = deque(maxlen=LINES_MOST)
        self._names: dict[int, str] = {}
        """By number, the token of the name: of who waits, and of whom a line tells."""

    def _take(self, event: StreamEvent) -> None:
        if self.room is None:
            made = self.made = Made.from_line(event.line, MADE)
            self.room = WaitingRoom(load_waiting_books({f"{made.book}.toml": made.law})[made.book])
            self.lines.append(RoomLine(1, 0.0, made.ev, made.who, made.role, made.why))
            return
        taken = from_line(event.line, KINDS)
        self.room.apply(taken)
        self._told(event, taken)

    def advance(self, after: WaitingRoom, event: Event, kept: StreamEvent) -> None:
        """Go on to the room behind an event that is kept."""
        self.room, self.end = after, StreamEnd(self.id, kept.seq, kept.chain)
        self._told(kept, event)

    def _told(self, kept: StreamEvent, event: Event) -> None:
        said: dict[str, Any] = json.loads(kept.line)
        number = said.get("number")
        if number is not None and "name" in said:
            self._names[number] = said["name"]
        assert event.by is not None  # the room takes no other
        self.lines.append(
            RoomLine(
                kept.seq, event.t, event.ev, event.by.who, event.by.role, event.by.why, number,
                None if number is None else self._names.get(number), said.get("game"), said.get("table"),
                said.get("seat"),
            )
        )  # fmt: skip
        if len(self._names) > 2 * LINES_MOST:
            told = {line.number for line in self.lines} | self._waiting()
            self._names = {one: name for one, name in self._names.items() if one in told}

    def _waiting(self) -> set[int]:
        return set() if self.room is None else {one.number for one in self.room.lists.waits}

    def _last_second(self) -> float | None:
        return None if self.room is None else self.room.t

    def tokens(self) -> frozenset[str]:
        """The tokens of everybody who waits."""
        waits = () if self.room is None else self.room.lists.waits
        return frozenset(token for one in waits for token in tokens_in(f"{one.person} {one.name}"))

    def rules(self) -> tuple[RoomRule, ...]:
        """What the book rules, with its clauses."""
        if self.room is None:
            return ()
        sections = self.room.book.sections()
        return tuple(RoomRule(name, one.clause, one.text, one.note) for name, one in sections)

    def tile(self) -> RoomTile:
        """The room in a list."""
        if self.made is None or self.room is None:
            return RoomTile(self.id, "", "", self.seq, 0, 0, 0, wrong=self.wrong)
        lists = self.room.lists
        called = sum(one.held is not None for one in lists.waits)
        return RoomTile(
            self.id, self.made.title, self.made.book, self.seq, len(lists.games), len(lists.waits) - called, called,
            lists.closed, self.wrong,
        )  # fmt: skip
