"""A tournament, or a card room's waiting lists, as the floor keeps it: events, each added behind the last.

The floor keeps an event as the line that it is, and understands none. Lines are chained as a table's journal is, so
whoever reads them can prove that none was changed, left out or put in. digest(n) is the SHA-256 of the line, chain(n)
that of chain(n - 1) and digest(n); chain(0) follows from the tournament's id.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from feltd.custody.errors import CustodyError
from feltd.floor.arriving import MemoryArrivals
from feltd.floor.players import MemoryPlayers, Players
from feltd.record.entries import chain_next

LINE_MOST: Final = 256 * 1024
"""Bytes of one event."""
IDS: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""What a tournament's id looks like."""
_START: Final = b"feltd tournament 1\n"


class StreamKind(StrEnum):
    """What a stream is of. Two streams of different kinds have different ids too."""

    TOURNAMENT = "tournament"
    WAITING = "waiting"


class Told(StrEnum):
    """What became of an event."""

    ADDED = "added"
    THERE = "there"
    """This very event stands there since before: its answer was lost, and it was sent again."""
    MOVED_ON = "moved on"
    """Another came first: read it, and decide anew."""
    OTHERS_MOVED_ON = "others moved on"
    """Another stream of this kind, on which the decision rests, has gone on: read it, and decide anew."""
    CAUSE_KNOWN = "cause known"
    """The table's entry that it follows from has had its event already."""
    UNKNOWN = "unknown"
    """There is no such tournament."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """An entry of a table's journal (16 bytes), which an event follows from."""

    journal: bytes
    seq: int


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """Where a tournament stands: its last event's number, 0 for none, and the chain behind it."""

    tournament: str
    seq: int
    chain: bytes


@dataclass(frozen=True, slots=True)
class StreamAnswer:
    """What became of an event, and where the tournament stands now."""

    told: Told
    seq: int
    chain: bytes


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event that is kept. `chain`: behind it."""

    seq: int
    chain: bytes
    line: str
    cause: TableEntry | None = None


class Streams(Protocol):
    """Where tournaments are kept. Every call raises FloorAwayError where it cannot be known whether it happened."""

    @property
    def players(self) -> Players:
        """The names of players, whom the events have tokens for."""

    async def begin(self, tournament: str) -> bool:
        """Enter a tournament without events; False where there is one of this id. Raises ValueError for a bad id."""

    async def add(self, tournament: str, expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
        """Add an event behind number `expected`. What is ADDED is on the disk.

        Raises ValueError for a line that is longer than `LINE_MOST`, or has a line end or a zero character in it.
        """

    async def add_beside(
        self, tournament: str, expected: int, line: str, others: Mapping[str, bytes | None]
    ) -> StreamAnswer:
        """Add an event behind number `expected` as `add` does, if no other stream of this kind has gone on.

        `others`: by id the chain behind the last event that was looked at; None for a stream that may go on. One that
        is not named may have no event. OTHERS_MOVED_ON where one has gone on.
        """

    async def add_all(self, tournament: str, expected: int, lines: Sequence[str]) -> tuple[StreamAnswer, ...]:
        """Add events behind number `expected`, all of them or none: each one's answer, or that of the first refused.

        Where all stand there since before they are THERE. Raises ValueError as `add` does.
        """

    async def events(self, tournament: str, after: int, most: int) -> list[StreamEvent]:
        """The events behind number `after`, in order; `most` at most."""

    async def all(self) -> list[StreamEnd]:
        """Every tournament, in the order in which they were begun."""


def is_kept(answer: StreamAnswer) -> bool:
    """Whether the event stands in the stream."""
    return answer.told in (Told.ADDED, Told.THERE)


def start_of(tournament: str) -> bytes:
    """Return chain(0) of a tournament. Raises ValueError for what is no id."""
    if not IDS.fullmatch(tournament):
        raise ValueError(f"{tournament!r} is no tournament's id: up to 40 of a-z, 0-9 and -, not with - at the front")
    return hashlib.sha256(_START + tournament.encode()).digest()


def digest_of(line: str) -> bytes:
    """Return a line's digest. Raises ValueError for a line that no stream keeps."""
    data = line.encode()
    if len(data) > LINE_MOST or "\n" in line or "\0" in line:  # PostgreSQL has no text with a zero character in it
        raise ValueError(f"an event is one line of text, of at most {LINE_MOST} bytes; this one has {len(data)}")
    return hashlib.sha256(data).digest()


def proven(tournament: str, before: StreamEnd | None, events: Iterable[StreamEvent]) -> StreamEnd:
    """Follow the chain through events that lie behind `before` (None: from the beginning); return where it ends.

    Raises CustodyError for the first event that is not the next one, or whose chain does not follow from it.
    """
    end = before or StreamEnd(tournament, 0, start_of(tournament))
    for event in events:
        chain = chain_next(end.chain, digest_of(event.line))
        if event.seq != end.seq + 1 or event.chain != chain:
            raise CustodyError(
                f"event {event.seq} does not follow from event {end.seq}: one was changed, left out or put in",
                f"tournament {tournament}",
                "Stop the tournament's desk, and put the floor's database back to a backup that proves itself",
            )
        end = StreamEnd(tournament, event.seq, chain)
    return end


@dataclass(slots=True)
class MemoryStreams:
    """Streams of one kind in memory, for simulations; nothing in it waits. `taken`: the ids of all kinds."""

    kept: dict[str, list[StreamEvent]] = field(default_factory=dict)
    players: MemoryPlayers = field(default_factory=MemoryPlayers)
    taken: set[str] = field(default_factory=set)
    arrivals: MemoryArrivals = field(default_factory=MemoryArrivals)

    async def begin(self, tournament: str) -> bool:
        """See `Streams`."""
        start_of(tournament)
        if tournament in self.kept or tournament in self.taken:
            return False
        self.taken.add(tournament)
        self.kept[tournament] = []
        return True

    async def add(self, tournament: str, expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
        """See `Streams`."""
        digest = digest_of(line)
        if tournament not in self.kept:
            return StreamAnswer(Told.UNKNOWN, 0, b"")
        kept, end = self.kept[tournament], self._end(tournament)
        if 0 <= expected < end.seq and kept[expected].line == line:
            return StreamAnswer(Told.THERE, end.seq, end.chain)
        if cause is not None and any(event.cause == cause for event in kept):
            return StreamAnswer(Told.CAUSE_KNOWN, end.seq, end.chain)
        if end.seq != expected:
            return StreamAnswer(Told.MOVED_ON, end.seq, end.chain)
        added = StreamEvent(end.seq + 1, chain_next(end.chain, digest), line, cause)
        kept.append(added)
        self.arrivals.event_came(tournament, added.seq)
        return StreamAnswer(Told.ADDED, added.seq, added.chain)

    async def add_beside(
        self, tournament: str, expected: int, line: str, others: Mapping[str, bytes | None]
    ) -> StreamAnswer:
        """See `Streams`."""
        kept = self.kept.get(tournament, [])
        there = 0 <= expected < len(kept) and kept[expected].line == line
        gone_on = (self._has_gone_on(one, others) for one in self.kept if one != tournament)
        if there or tournament not in self.kept or not any(gone_on):
            return await self.add(tournament, expected, line)
        end = self._end(tournament)
        return StreamAnswer(Told.OTHERS_MOVED_ON, end.seq, end.chain)

    def _has_gone_on(self, tournament: str, others: Mapping[str, bytes | None]) -> bool:
        end = self._end(tournament)
        if tournament not in others:
            return bool(end.seq)
        return others[tournament] not in (None, end.chain)

    async def add_all(self, tournament: str, expected: int, lines: Sequence[str]) -> tuple[StreamAnswer, ...]:
        """See `Streams`."""
        before, answers = list(self.kept.get(tournament, [])), list[StreamAnswer]()
        for line in lines:
            digest_of(line)
        for number, line in enumerate(lines, expected):
            answer = await self.add(tournament, number, line)
            if not is_kept(answer):
                if answer.told is not Told.UNKNOWN:
                    self.kept[tournament] = before
                return (answer,)
            answers.append(answer)
        return tuple(answers)

    async def events(self, tournament: str, after: int, most: int) -> list[StreamEvent]:
        """See `Streams`."""
        return self.kept.get(tournament, [])[after : after + most]

    async def all(self) -> list[StreamEnd]:
        """See `Streams`."""
        return [self._end(tournament) for tournament in self.kept]

    def _end(self, tournament: str) -> StreamEnd:
        kept = self.kept[tournament]
        return StreamEnd(tournament, len(kept), kept[-1].chain if kept else start_of(tournament))
