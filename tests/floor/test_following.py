"""Of one table a follower is told so much: a table that tells without end holds up no other and silences no person."""

import asyncio
import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Final

import pytest

from feltd.floor.facts import Fact, FactKind, MemoryFacts, Told
from feltd.floor.following import A_SECOND, AWAY, BEHIND_MOST, BURST, Follower
from feltd.floor.left_out import TOLD_EVERY, moment
from feltd.floor.shares import Sort, Whose, left_out
from feltd.floor.webhook import body_of

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
        self.said: list[Told] = []
        """That things were left out."""
        self.now = START
        self.follower = Follower("hook", self.facts, self._deliver, lambda: self.now)

    async def _deliver(self, told: Told, says: Callable[[str | None], None]) -> None:
        (self.said if told.fact.kind is FactKind.LEFT_OUT else self.got).append(told)

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


def test_of_more_than_there_is_room_for_the_oldest_are_told_and_the_newest() -> None:
    at, half = Following(), BURST // 2

    async def work() -> None:
        await at.turns()
        at.facts.tell("back", BURST + 700)
        at.facts.tell("honest", 3)
        await at.turns()
        numbers = [told.number for told in at.got if told.table == "back"]
        assert numbers == [*range(1, half + 1), *range(half + 701, BURST + 701)]
        at.now += half / A_SECOND
        at.facts.tell("back", BURST + 9, walls=lambda _: at.now)
        await at.turns()
        numbers = [told.number for told in at.got if told.table == "back"][BURST:]
        assert (len(numbers), numbers[-1]) == (half, len(at.facts.waiting)), "with less room it is the newest"

    asyncio.run(work())


def test_facts_that_were_made_anew_are_counted_anew() -> None:
    """What was counted of the numbers before hid how much waits behind the new ones: the newest were left out."""
    at, half = Following(), BURST // 2

    async def work() -> None:
        await at.turns()
        at.facts.tell("back", BURST + 700)
        await at.turns()
        at.now += 10 * BURST / A_SECOND
        at.facts.waiting.clear()
        at.got.clear()
        await at.turns()
        at.facts.tell("back", BURST + 690, walls=lambda _: at.now)
        await at.turns()
        numbers = [told.number for told in at.got]
        assert numbers == [*range(1, half + 1), *range(half + 691, BURST + 691)]

    asyncio.run(work())


def test_a_table_that_tells_alarms_without_end_silences_neither_custody_nor_people() -> None:
    at = Following()

    async def work() -> None:
        at.facts.tell("stolen", BURST + 1)
        for kind in (FactKind.CUSTODY, FactKind.DECISION, FactKind.REFUSED, FactKind.RULING):
            at.facts.tell("stolen", 1, kind)
        await at.turns()
        assert [told.fact.kind for told in at.got[-4:]] == [
            FactKind.CUSTODY, FactKind.DECISION, FactKind.REFUSED, FactKind.RULING,
        ]  # fmt: skip
        assert len(at.got) == BURST + 3, "the newest of its rulings and alarms are told"

    asyncio.run(work())


def test_a_table_that_tells_decisions_without_end_has_a_bound_for_them_too_and_holds_up_no_other() -> None:
    at = Following()

    async def work() -> None:
        at.facts.tell("stolen", BURST + 300, FactKind.DECISION)
        at.facts.tell("stolen", 3, FactKind.ALARM)
        at.facts.tell("honest", 2, FactKind.DECISION)
        await at.turns()
        assert [told.fact.kind for told in at.got[BURST:]] == [FactKind.ALARM] * 3 + [FactKind.DECISION] * 2
        assert at.tables()[-2:] == ["honest"] * 2
        assert at.follower.trouble == (
            "hook: stolen tells more than others are told of one table: 300 things were left out",
        )

    asyncio.run(work())


def test_a_table_that_tells_refusals_without_end_silences_no_decision() -> None:
    at = Following()

    async def work() -> None:
        at.facts.tell("stolen", BURST + 20, FactKind.REFUSED)
        at.facts.tell("stolen", 3, FactKind.DECISION)
        await at.turns()
        assert [told.fact.kind for told in at.got[BURST:]] == [FactKind.DECISION] * 3

    asyncio.run(work())


@pytest.mark.parametrize("flood", [FactKind.ALARM, FactKind.RULING, FactKind.REFUSED])
def test_while_a_receiver_is_away_a_table_pushes_out_none_of_its_decisions(flood: FactKind) -> None:
    at = Following()

    async def work() -> None:
        await at.turns()
        at.facts.tell("stolen", 3, FactKind.DECISION)
        at.facts.tell("stolen", BEHIND_MOST + 5, flood)
        await at.turns()
        assert Counter(told.fact.kind for told in at.got) == {FactKind.DECISION: 3, flood: BURST}

    asyncio.run(work())


def test_while_a_receiver_is_away_a_table_pushes_out_its_own_things_and_no_other_tables() -> None:
    at = Following()

    async def work() -> None:
        await at.turns()
        at.facts.tell("honest", 40)
        at.facts.tell("stolen", 3 * BEHIND_MOST, FactKind.CUSTODY)
        at.facts.tell("other", 60)
        await at.turns()
        told = Counter(at.tables())
        assert (told["honest"], told["other"]) == (40, 60)
        assert told["stolen"] == BEHIND_MOST - 100
        kept = [one.number for one in at.got if one.table == "stolen"]
        assert kept == list(range(41 + 3 * BEHIND_MOST - len(kept), 41 + 3 * BEHIND_MOST)), "its newest"
        assert at.follower.trouble == (
            f"hook: {2 * BEHIND_MOST + 100} things at most were never sent: they had waited for too long",
        )

    asyncio.run(work())


def test_what_waits_is_counted_again_once_as_much_has_come_and_not_at_each_turn() -> None:
    at = Following()
    pages: list[int] = []
    news = at.facts.news

    async def counted(after: int, most: int) -> list[Told]:
        pages.append(most)
        return await news(after, most)

    at.facts.news = counted  # type: ignore[method-assign]

    async def work() -> None:
        await at.turns()
        at.facts.tell("stolen", BEHIND_MOST + 10, FactKind.CUSTODY)
        await at.turns()
        assert sum(most > 100 for most in pages) <= 2 + BEHIND_MOST // 1000
        assert len(at.got) == BEHIND_MOST
        at.facts.tell("stolen", BEHIND_MOST, FactKind.CUSTODY)
        await at.turns()
        assert len(at.got) == 2 * BEHIND_MOST

    asyncio.run(work())


A, B, C = (("a", Sort.RULINGS), ("b", Sort.RULINGS), ("c", Sort.RULINGS))


@pytest.mark.parametrize(
    ("counts", "most", "lost"),
    [
        ({A: 3, B: 4}, 10, {}),
        ({A: 3, B: 100}, 10, {B: 93}),
        ({A: 100, B: 100, C: 1}, 11, {A: 95, B: 95}),
        ({A: 5, B: 5, C: 5}, 1, {A: 5, B: 5, C: 4}),
        ({}, 10, {}),
        ({A: 100, ("a", Sort.DECISIONS): 3, ("a", Sort.REFUSALS): 90}, 13, {A: 95, ("a", Sort.REFUSALS): 85}),
        ({A: 100, ("a", Sort.DECISIONS): 3, ("b", Sort.DECISIONS): 5}, 11, {A: 97}),
        ({A: 9, ("a", Sort.CUSTODY): 9}, 10, {A: 8}),
        ({A: 9, ("a", Sort.CUSTODY): 12, B: 3}, 13, {A: 9, ("a", Sort.CUSTODY): 2}),
    ],
)
def test_nobody_loses_a_thing_whose_share_has_room(counts: dict[Whose, int], most: int, lost: dict[Whose, int]) -> None:
    assert left_out(counts, most) == lost


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


def test_what_is_left_out_is_told_as_one_thing_that_says_how_many_and_of_when() -> None:
    at, half = Following(), BURST // 2

    async def work() -> None:
        await at.turns()
        at.facts.tell("back", BURST + 700, walls=lambda n: START - 10_000.0 + n)
        await at.turns()
        [said] = at.said
        assert (said.table, said.number, said.fact.kind) == ("back", half + 700, FactKind.LEFT_OUT)
        first, last = said.fact.body["first"], said.fact.body["last"]
        assert (said.fact.body["what"], said.fact.body["count"]) == ("rulings and alarms", 700)
        assert (first["number"], last["number"], last["entry"]) == (half + 1, half + 700, 9)
        assert (first["time"], last["time"]) == ("2027-01-15T05:17:30.000+00:00", "2027-01-15T05:29:09.000+00:00")
        body = json.loads(body_of(said))
        assert (body["kind"], body["time"], body["left_out"]) == ("left_out", last["time"], dict(said.fact.body))

    asyncio.run(work())


def test_a_table_that_tells_without_end_has_a_thing_a_minute_more_that_says_what_was_left_out() -> None:
    at = Following()

    async def work() -> None:
        await at.turns()
        at.facts.tell("stolen", BURST)
        await at.turns()
        for _ in range(30):
            at.facts.tell("stolen", 3)
            await at.turns()
            at.now += 1.0
        told = [one.number for one in at.got[BURST:]]
        assert [(one.number, one.fact.body["count"]) for one in at.said] == [(told[0] - 1, told[0] - 1 - BURST)]
        at.now += TOLD_EVERY
        for _ in range(2):
            await at.turns()
            assert sum(one.fact.body["count"] for one in at.said) + len(told) == 90
        assert len(at.said) == 2

    asyncio.run(work())


def test_a_floord_that_ends_behind_what_says_so_has_no_number_told_twice() -> None:
    """The next floord told what was left out, the last of it under the number of the post that said so."""
    at, later = Following(), Following()
    later.facts = at.facts
    later.follower = Follower("hook", at.facts, later._deliver, lambda: at.now)

    async def ends(told: Told, says: Callable[[str | None], None]) -> None:
        if at.said:
            raise asyncio.CancelledError
        await at._deliver(told, says)

    async def work() -> None:
        await at.turns()
        at.follower = Follower("hook", at.facts, ends, lambda: at.now)
        at.facts.tell("stolen", BURST + 50)
        at.now += TOLD_EVERY + 1
        at.facts.tell("stolen", 1, walls=lambda _: at.now)
        with pytest.raises(asyncio.CancelledError):
            await at.turns()
        await later.turns()
        told = [one.number for one in (*at.got, *at.said, *later.got, *later.said)]
        assert (len(at.said), len(told)) == (1, len(set(told)))
        assert later.got[0].number == at.said[0].number + 1, "what waited as it ended is told"

    asyncio.run(work())


def test_a_time_that_is_none_keeps_nobody_from_being_told() -> None:
    assert moment(math.nan) is moment(math.inf) is moment(1e300) is None
    at = Following()

    async def work() -> None:
        at.facts.tell("odd", BURST + 9, walls=lambda _: math.nan)
        at.facts.tell("odd", 1)
        await at.turns()
        at.now += TOLD_EVERY
        await at.turns()
        assert at.said[0].fact.body["first"]["time"] is None

    asyncio.run(work())
