"""Whoever outside is told of facts: one after the other, in order, each until it is taken.

The queue is the database: what waits is no more than `BEHIND_MOST` facts, of each table its share, and of that a part
for each sort of its things (`feltd.floor.shares`); what is older is left out, counted and said. After a restart a
follower goes on behind what was taken last; at its first start, with what comes from then on.

Of one table a follower is told `BURST` rulings and alarms at once and `A_SECOND` more each second, as many decisions
beside them, and as many refusals of decisions. Beyond that they are left out, counted and said: a table that tells
without end, as one with a stolen certificate may, holds up no other, and by alarms or refusals it silences no decision.
By decisions of its own making it does. Where more of one sort waits than there will be room for, the room is halved:
the oldest are told, which came before a flood, and the newest. Custody's alarms are told all the same. What is left out
is told as one thing that says how many there were (`feltd.floor.left_out`).
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

from feltd.custody.errors import FloorAwayError
from feltd.floor.facts import Told
from feltd.floor.left_out import LeftOut
from feltd.floor.shares import SORTS, Ahead, Sort, Whose, ahead_of, left_out

BEHIND_MOST: Final = 10_000
LOOK_EVERY: Final = 5.0
"""Seconds; what has come is looked at when it comes."""
BURST: Final = 500
"""Things of one sort of one table: more than it tells in a day of play."""
A_SECOND: Final = 0.2
AWAY: Final = 3 * 86_400.0
"""Seconds that things have waited at most, as a follower takes it at its start: nobody knows then since when."""
_MANY: Final = 100
_log = logging.getLogger("feltd.floor")

Deliver = Callable[[Told, Callable[[str | None], None]], Awaitable[None]]
"""Delivers a fact, or gives it up; says meanwhile why it is not taken, and None once it is."""


class Followed(Protocol):
    """What is followed: facts, or what has become of custody's alarms."""

    async def taken(self, follower: str) -> int | None:
        """The number up to which this follower was told; None where it never was."""

    async def keep_taken(self, follower: str, number: int) -> None:
        """Keep how far a follower was told."""

    async def last(self) -> int:
        """The number of the last."""

    async def news(self, after: int, most: int) -> list[Told]:
        """Those behind number `after`, in order."""


class Follower:
    """One of them. `name`: under which its place is kept, and for people."""

    def __init__(self, name: str, facts: Followed, deliver: Deliver, clock: Callable[[], float] = time.time) -> None:
        self._bounds = _Bounds(clock)
        self._clock = clock
        self.name = name
        self._facts = facts
        self._deliver = deliver
        self._news = asyncio.Event()
        self._why: str | None = None
        self._left_out = 0
        self._unsaid = LeftOut(clock)
        self._last = 0
        self._at = 0
        self._lost: Counter[Whose] = Counter()
        self._counted_to = 0
        self._ahead: dict[Whose, Ahead] = {}
        self._ahead_to = 0

    def told(self) -> None:
        """There are new facts."""
        self._news.set()

    @property
    def trouble(self) -> tuple[str, ...]:
        """What is wrong now, in words for the pit page."""
        found = []
        if self._why is not None:
            wait = min(max(1, self._last - self._at - self._lost.total()), BEHIND_MOST)
            found.append(f"{self.name}: {self._why}; at most {wait} things wait")
        if self._left_out:
            found.append(f"{self.name}: {self._left_out} things at most were never sent: they had waited for too long")
        found += [
            f"{self.name}: {table} tells more than others are told of one table: {count} things were left out"
            for table, count in self._bounds.without_room()
        ]
        return tuple(found)

    async def run(self) -> None:
        """Follow until cancelled. A database that is away is asked again."""
        while True:
            self._news.clear()
            with suppress(FloorAwayError):  # custody says it aloud
                while await self.turn():
                    pass
            with suppress(TimeoutError):  # no news: it looks all the same
                await asyncio.wait_for(self._news.wait(), LOOK_EVERY)

    async def turn(self) -> bool:
        """Deliver some facts; whether there were any. Raises FloorAwayError."""
        began = self._clock()
        taken, self._last = await self._facts.taken(self.name), await self._facts.last()
        if taken is None or taken > self._last:  # the first start, or the facts were made anew
            taken = self._last
            self._lost, self._counted_to = Counter(), 0
            self._ahead, self._ahead_to = {}, 0
            await self._facts.keep_taken(self.name, taken)
        await self._share(taken)
        await self._look_ahead(taken)
        found = await self._facts.news(taken, _MANY)
        for told in found:
            self._at = told.number - 1
            if self._is_told(told):
                for said in self._unsaid.before(told):
                    # the next floord would tell what this one left out, under the number of what says so
                    await self._facts.keep_taken(self.name, told.number - 1)
                    await self._deliver(said, self._says)
                await self._deliver(told, self._says)
                await self._facts.keep_taken(self.name, taken := told.number)
        if found and taken != found[-1].number:
            await self._facts.keep_taken(self.name, found[-1].number)
        for said in self._unsaid.due():
            await self._deliver(said, self._says)
        if not found:
            self._bounds.all_told = began
        return bool(found)

    async def _share(self, taken: int) -> None:
        """Where too much waits behind number `taken`, say how many of the oldest of each table and sort are left out.

        What waits is counted again when it has all been told, or as much came since: never at each turn.
        """
        counted_to = max(taken, self._counted_to)
        if self._last - counted_to <= BEHIND_MOST:
            return
        self._ahead, self._ahead_to = await ahead_of(self._facts, taken, self._last), self._last
        self._lost = left_out({whose: ahead.count for whose, ahead in self._ahead.items()}, BEHIND_MOST)
        self._counted_to = self._last
        if self._lost:
            _log.error("%s: %d things are not sent: they have waited for too long", self.name, self._lost.total())

    async def _look_ahead(self, taken: int) -> None:
        """Where so much waits behind number `taken` that some table may have no room, see how much each has."""
        if self._last - max(taken, self._ahead_to) > BURST:
            self._ahead = await ahead_of(self._facts, taken, self._last)
            self._ahead_to = self._last

    def _is_told(self, told: Told) -> bool:
        sort = SORTS.get(told.fact.kind)
        if sort is None:
            return False
        whose = told.table, sort
        ahead = self._ahead.get(whose, Ahead()) if told.number <= self._ahead_to else Ahead()
        waits = Ahead(ahead.count, ahead.newest)
        ahead.count -= 1
        if told.number <= self._counted_to and self._lost[whose] > 0:
            self._lost[whose] -= 1
            self._left_out += 1
            self._unsaid.note(whose, told)
            return False
        if sort is Sort.CUSTODY or self._bounds.has_room(whose, told.fact.wall, waits):
            return True
        self._unsaid.note(whose, told)
        return False

    def _says(self, why: str | None) -> None:
        self._why = why


class _Bounds:
    """How much each table may still tell.

    What waited while a receiver was away comes at once: it counts for when it was, or the newest would be left out.
    When it was the table says, so it counts for no time before all was told last: a table that tells old times would
    have room without end.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._rooms: dict[Whose, tuple[float, float]] = {}
        """By table and sort: how many things there was room for, and when. What is not in it has all."""
        self._left_out: dict[Whose, int] = {}
        """By table and sort: how many things were not told since it had room."""
        self.all_told = clock() - AWAY
        """When nothing waited."""

    def has_room(self, whose: Whose, wall: float, waits: Ahead) -> bool:
        """Whether such a thing may be told, which takes its room. `wall`: when it was, as the table says.

        `waits`: this one and those of its kind behind it.
        """
        at = self._at(wall)
        room = self._room(whose, at)
        comes = A_SECOND * max(0.0, self._at(waits.newest) - at)
        if room < 1.0 or (room <= BURST / 2 and waits.count > room + comes):
            if whose not in self._left_out:
                _log.error("table %s tells more than %d %s and %g a second: others are left out",
                           whose[0], BURST, whose[1], A_SECOND)  # fmt: skip
            self._left_out[whose] = self._left_out.get(whose, 0) + 1
            return False
        _, since = self._rooms.get(whose, (0.0, at))
        self._rooms[whose] = (room - 1.0, max(at, since))
        if room > BURST / 2:
            self._left_out.pop(whose, None)
        return True

    def _at(self, wall: float) -> float:
        return min(max(self.all_told, wall), self._clock())  # in this order: a wall may be no number

    def without_room(self) -> list[tuple[str, int]]:
        """The tables that have little room now, by name, each with how many things were left out. Others are forgotten.

        Room comes with time, also at a table that tells nothing more.
        """
        now = self._clock()
        left = {whose: count for whose, count in self._left_out.items() if self._room(whose, now) < BURST / 2}
        self._left_out = left
        tables: Counter[str] = Counter()
        for (table, _), count in left.items():
            tables[table] += count
        return sorted(tables.items())

    def _room(self, whose: Whose, at: float) -> float:
        room, since = self._rooms.get(whose, (float(BURST), at))
        return min(float(BURST), room + A_SECOND * max(0.0, at - since))
