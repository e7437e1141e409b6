"""Of one table a follower is told so much: a table that tells without end holds up no other and silences no person."""

import asyncio
from collections.abc import Callable
from typing import Final

import pytest

from feltd.floor.facts import Fact, FactKind, MemoryFacts, Told
from feltd.floor.following import A_SECOND, AWAY, BURST, Follower

START: Final = 1_800_000_000.0


class Waiting(MemoryFacts):
    """Facts of several tables, as they are told here."""

    def __init__(self) -> None:
        super().__init__(dict)
        self.waiting: list[Told] = []
        self.takings: list[int] = []

    async def last(self) -> int:
        return len(self.waiting)

    async def news(self, after: int, most: int) -> list[Told]:
        return self.waiting[after : after + most]

    async def keep_taken(self, follower: str, number: int) -> None:
        self.takings.append(number)
        await super().keep_taken(follower, number)

    def tell(
        self, table: str, many: int, kind: FactKind = FactKind.ALARM, walls: Callable[[int], float] = lambda _: START
    ) -> None:
        for n in range(many):
            self.waiting.append(Told(len(self.waiting) + 1, table, bytes(16), Fact(9, kind, 3, walls(n), {})))


class Following:
    """A follower of these facts at a clock, and what it was told."""

    def __init__(self) -> None:
        self.facts = Waiting()
        self.got: list[Told] = []
        self.now = START
        self.follower = Follower("hook", self.facts, self._deliver, lambda: self.now)

    async def _deliver(self, told: Told, says: Callable[[str | None], None]) -> None:
        self.got.append(told)

    async def turns(self) -> None:
        await self.facts.keep_taken("hook", await self.facts.taken("hook") or 0)
        while await self.follower.turn():
            pass

    def tables(self) -> list[str]:
        return [told.table for told in self.got]


def test_a_table_that_tells_without_end_holds_up_no_other_and_is_named() -> None:
    at = Following()

    async def work() -> None:
        at.facts.tell("stolen", BURST + 700)
        at.facts.tell("honest", 3)
        await at.turns()
        assert at.tables().count("stolen") == BURST
        assert [(told.table, told.number) for told in at.got[-3:]] == [("honest", BURST + 701 + n) for n in range(3)]
        assert len(at.facts.takings) < BURST + 25, "the database is not asked for each thing that is left out"
        assert at.follower.trouble == (
            "hook: stolen tells more than others are told of one table: 700 things were left out",
        )
        at.now += 10.0 / A_SECOND
        at.facts.tell("stolen", 11, walls=lambda _: at.now)
        await at.turns()
        assert at.tables().count("stolen") == BURST + 10
        at.now += (BURST / 2 - 1) / A_SECOND
        assert at.follower.trouble, "it has little room"
        at.now += 2 / A_SECOND
        assert not at.follower.trouble, "it is quiet again, and need not say so"

    asyncio.run(work())


def test_a_table_that_tells_alarms_without_end_silences_neither_custody_nor_people() -> None:
    at = Following()

    async def work() -> None:
        at.facts.tell("stolen", BURST + 1)
        for kind in (FactKind.CUSTODY, FactKind.DECISION, FactKind.REFUSED, FactKind.RULING):
            at.facts.tell("stolen", 1, kind)
        await at.turns()
        assert [told.fact.kind for told in at.got[BURST:]] == [
            FactKind.CUSTODY, FactKind.DECISION, FactKind.REFUSED,
        ]  # fmt: skip

    asyncio.run(work())


def test_what_waited_for_days_counts_for_when_it_was_and_the_newest_is_told() -> None:
    at, days = Following(), 3 * BURST

    async def work() -> None:
        await at.turns()
        began, at.now = at.now, at.now + 10 * AWAY
        at.facts.tell("7", days, walls=lambda n: began + n * 10 * AWAY / days)
        await at.turns()
        assert len(at.got) == days
        assert at.follower.trouble == ()

    asyncio.run(work())


@pytest.mark.parametrize("first", [0.0, START + 100.0, float("nan")])
def test_a_table_that_tells_old_or_coming_times_gets_no_more_room(first: float) -> None:
    at = Following()

    async def work() -> None:
        await at.turns()
        at.now += 5.0
        at.facts.tell("stolen", 2 * BURST, walls=lambda n: first + n / A_SECOND)
        await at.turns()
        assert len(at.got) <= BURST + 1

    asyncio.run(work())
