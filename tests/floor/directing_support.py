"""Tournaments run by floord, for tests: a director's steps in few words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from feltd.books.shipped import tournament_sources
from feltd.custody.errors import FloorAwayError
from feltd.door import Person
from feltd.door.pit.directing import DecidedBy, Opening, Step, Stepped
from feltd.floor.directing import Directing
from feltd.floor.streams import MemoryStreams, StreamAnswer, StreamEvent, Streams, TableEntry

LEA: Final = DecidedBy(Person("Lea", "lea", "floor", "10.20.0.9"), "as announced")
MAX: Final = DecidedBy(Person("Max", "max", "supervisor", "10.20.0.10"), "a reserve")
TERMS: Final[Mapping[str, Any]] = {
    "ev": "tournament.open", "name": "Tuesday", "fee": 20_000, "house": 5_000, "stack": 30_000, "late_until": 7,
    "re_entries": 1, "tables": [{"table": f"T{number}", "seats": [1, 2, 3, 4]} for number in (1, 2)],
}  # fmt: skip
CUP: Final = Opening("cup", "Tuesday cup", "onyx", LEA)


class Clock:
    """Seconds since 1970, as a test says."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def directing(streams: Streams, clock: Callable[[], float] | None = None) -> Directing:
    """A floord's tournaments, under the books that come with feltd."""
    return Directing(streams, tournament_sources(), clock or Clock())


def entry(number: int) -> dict[str, Any]:
    """A person enters."""
    return {"ev": "entry", "entry": number, "person": f"p{number}", "name": f"Mx {number}", "paid": 25_000}


class At:
    """A director who knows the last event."""

    def __init__(self, floor: Directing, tournament: str = "cup", by: DecidedBy = LEA) -> None:
        self.floor = floor
        self.tournament = tournament
        self.by = by

    @property
    def seq(self) -> int:
        """The last event."""
        return self.floor.fold(self.tournament).seq

    async def say(self, *events: Mapping[str, Any]) -> Stepped:
        """Take these steps; return what became of the last."""
        for event in events:
            done = await self.floor.step(Step(self.tournament, self.seq, event, self.by))
        return done

    async def opened(self, entries: int = 0, terms: Mapping[str, Any] = TERMS) -> "At":
        """Make the tournament, with so many entries."""
        await self.floor.open(CUP)
        await self.say(terms, *(entry(number) for number in range(1, entries + 1)))
        return self


class Losing(MemoryStreams):
    """A database whose answers can be lost: `keeps` says whether it had done what it was asked."""

    lose = False
    keeps = True
    deaf = False

    async def add(self, tournament: str, expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
        """See `Streams`."""
        if not self.lose or self.keeps:
            answer = await super().add(tournament, expected, line, cause)
        if self.lose:
            self.lose = False
            raise FloorAwayError("the connection has ended", "database", "Ask again")
        return answer

    async def add_all(self, tournament: str, expected: int, lines: Sequence[str]) -> tuple[StreamAnswer, ...]:
        """See `Streams`: a transaction, which the end of a connection leaves done or undone."""
        lose, self.lose = self.lose, False
        answers = await super().add_all(tournament, expected, lines) if not lose or self.keeps else ()
        if lose:
            raise FloorAwayError("the connection has ended", "database", "Ask again")
        return answers

    async def events(self, tournament: str, after: int, most: int) -> list[StreamEvent]:
        """See `Streams`."""
        if self.deaf:
            raise FloorAwayError("nobody answers", "database", "Ask again")
        return await super().events(tournament, after, most)
