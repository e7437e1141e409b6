"""Facts of a table that plays are made as its rows come: those that the database's rows give, each once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from copy import deepcopy

import pytest

from feltd.custody.errors import FloorAwayError, FloorUnfitError
from feltd.floor.deriving import KEPT_FOR, LITTLE, Deriving
from feltd.floor.engine import Batch, Engine
from feltd.floor.facts import FactKind, Made, MemoryFacts
from feltd.floor.memory import MemoryEngine
from feltd.floor.open_rows import read_rows
from tests.floor.custody_support import FakeJournal
from tests.floor.pit_support import NOW, entry, ruling
from tests.floor.test_scenes import Run


class Counting(MemoryEngine):
    """Counts for how many journals it is asked for rows."""

    read = 0

    async def batches_of_many(self, behind: Sequence[tuple[bytes, int]], most: int) -> list[list[Batch]]:
        self.read += len(behind)
        return await super().batches_of_many(behind, most)


class Clock:
    """A steady clock that is put on by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Table:
    """Writes rulings: one row of each two. `facts`: who is told of what is added."""

    def __init__(self, floor: Engine, number: int, facts: Deriving) -> None:
        self.floor, self.name, self.facts = floor, str(number), facts
        self.journal = FakeJournal(number).journal_id

    async def write(self, rows: int, *, told: bool = True, quiet: bool = False) -> Batch:
        """Write so many rows more. `told`: whether who makes facts hears of it; `quiet`: they say none."""
        stand = (await self.floor.open_journal(self.name, self.journal, 2)).stand
        found = [
            entry(seq, "output", "lamp" if quiet or seq % 2 else "ruling", {} if quiet else {"ruling": ruling(seq)})
            for seq in range(stand.seq + 1, stand.seq + 1 + rows)
        ]
        batch = Batch(self.name, self.journal, stand.seq + 1, stand.chain, bytes(32), tuple(found))
        await self.floor.append_many([batch])
        if told:
            self.facts.take(batch, read_rows(batch.rows))
        return batch

    async def rulings(self) -> list[int]:
        """The entries of its rulings that were made facts, in their order."""
        told = await self.floor.facts.news(0, 10_000)
        return [one.fact.seq for one in told if one.table == self.name and one.fact.kind is FactKind.RULING]


async def going(floor: Engine, clock: Clock | None = None) -> tuple[Table, Deriving]:
    """A table that writes, of which facts are made as its rows come."""
    facts = Deriving(floor, clock=clock or Clock())
    table = Table(floor, 1, facts)
    await table.write(4)
    await facts.turn()
    assert await table.rulings() == [2, 4]
    return table, facts


def even(last: int) -> list[int]:
    return list(range(2, last + 1, 2))


def played(work: Callable[[Counting], Awaitable[None]]) -> None:
    async def with_new() -> None:
        await work(Counting(lambda: NOW))

    asyncio.run(with_new())


def test_facts_come_as_rows_come_and_are_those_that_the_database_gives(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        table, facts = await going(floor)
        other = Table(floor, 2, facts)
        for _ in range(5):
            await table.write(5)
            await other.write(3)
            await facts.turn()
        assert await table.rulings() == even(29)
        assert await other.rulings() == even(15)
        assert await floor.facts.behind() == [] or (await floor.facts.behind())[0].seq >= 28
        await Deriving(floor).turn()
        assert await table.rulings() == even(29), "who begins anew makes none twice"

    engine(work)


def test_nothing_is_read_of_a_table_that_goes_on() -> None:
    async def work(floor: Counting) -> None:
        table, facts = await going(floor)
        before = floor.read
        for _ in range(20):
            await table.write(5)
            await facts.turn()
        assert floor.read == before
        assert await table.rulings() == even(104)

    played(work)


def test_who_was_told_is_told_in_time_and_how_far_it_is_stays_in_memory_for_a_while() -> None:
    async def work(floor: Counting) -> None:
        heard: list[str] = []
        clock = Clock()
        facts = Deriving(floor, lambda: heard.append("facts"), clock)
        table = Table(floor, 1, facts)
        await table.write(4)
        await facts.turn()
        assert heard == ["facts"]
        await table.write(5, quiet=True)
        await facts.turn()
        [behind] = await floor.facts.behind()
        assert (behind.seq, behind.head, heard) == (4, 9, ["facts"]), "it says nothing, and is not kept"
        clock.now += KEPT_FOR
        await facts.turn()
        assert await floor.facts.behind() == []
        await table.write(1)
        await facts.turn()
        assert heard == ["facts", "facts"]

    played(work)


def test_rows_that_came_another_way_are_read() -> None:
    async def work(floor: Counting) -> None:
        table, facts = await going(floor)
        await table.write(5, told=False)
        await table.write(5)
        await facts.turn()
        assert await table.rulings() == even(14)
        await table.write(5)
        before = floor.read
        await facts.turn()
        assert (floor.read, await table.rulings()) == (before, even(19)), "it goes on by itself again"

    played(work)


def test_a_batch_that_never_comes_is_read_at_the_second_look() -> None:
    async def work(floor: Counting) -> None:
        table, facts = await going(floor)
        before = floor.read
        await table.write(6, told=False)
        await facts.turn()
        assert (floor.read, await table.rulings()) == (before, [2, 4]), "it may be on its way"
        await facts.turn()
        assert await table.rulings() == even(10)

    played(work)


def test_a_batch_that_comes_between_two_looks_is_not_read() -> None:
    async def work(floor: Counting) -> None:
        table, facts = await going(floor)
        before = floor.read
        for _ in range(3):
            late = await table.write(5, told=False)
            await facts.turn()
            facts.take(late, read_rows(late.rows))
        await facts.turn()
        assert (floor.read, await table.rulings()) == (before, even(19))

    played(work)


def test_a_long_batch_is_read_in_parts() -> None:
    async def work(floor: Counting) -> None:
        table, facts = await going(floor)
        await table.write(LITTLE + 1)
        before = floor.read
        await facts.turn()
        assert floor.read > before
        assert await table.rulings() == even(LITTLE + 5)

    played(work)


def test_what_another_program_has_made_is_not_made_again() -> None:
    async def work(floor: Counting) -> None:
        table, facts = await going(floor)
        await table.write(5)
        await Deriving(floor).turn()
        await facts.turn()
        await table.write(5)
        await facts.turn()
        await facts.turn()
        assert await table.rulings() == even(14)

    played(work)


def test_another_program_that_keeps_at_the_same_moment_makes_none_twice() -> None:
    others: list[Deriving] = []

    class First(MemoryFacts):
        async def keep(self, made: Sequence[Made]) -> list[bool]:
            if others:
                await others.pop().turn()
            return await super().keep(made)

    async def work(floor: Counting) -> None:
        floor.facts = First(floor.facts.heads)
        table, facts = await going(floor)
        await table.write(5)
        others.append(Deriving(floor))
        await facts.turn()
        assert not others
        assert await table.rulings() == even(9)
        await table.write(5)
        await facts.turn()
        assert await table.rulings() == even(14)

    played(work)


def test_what_was_taken_is_forgotten_while_the_database_is_away() -> None:
    class Away(MemoryFacts):
        away = False

        async def keep(self, made: Sequence[Made]) -> list[bool]:
            if self.away:
                raise FloorAwayError("it is away", "here", "Wait")
            return await super().keep(made)

    async def work(floor: Counting) -> None:
        kept = floor.facts = Away(floor.facts.heads)
        table, facts = await going(floor)
        other = Table(floor, 2, facts)
        await other.write(1)
        await facts.turn()
        await other.write(5, quiet=True)
        await table.write(5)
        kept.away = True
        with pytest.raises(FloorAwayError):
            await facts.turn()
        kept.away = False
        before = floor.read
        await facts.turn()
        assert floor.read == before + 2, "what the database has is asked anew, of each table"
        assert await table.rulings() == even(9)

    played(work)


def test_no_fact_is_kept_of_rows_that_the_database_lost() -> None:
    async def work(floor: Counting) -> None:
        table, facts = await going(floor)
        await table.write(1)
        backup = deepcopy(floor.journals[table.journal])
        await table.write(5)
        floor.journals[table.journal] = backup
        await facts.turn()
        assert await table.rulings() == [2, 4]
        await table.write(3)
        await facts.turn()
        assert await table.rulings() == even(8)

    played(work)


def test_a_fact_that_the_database_does_not_take_keeps_no_other_table_back() -> None:
    class Odd(MemoryFacts):
        async def keep(self, made: Sequence[Made]) -> list[bool]:
            if any(fact.seq == 6 for one in made for fact in one.facts if one.behind.journal == odd):
                raise FloorUnfitError("it does not take it", "here", "Report it as a fault")
            return await super().keep(made)

    odd = FakeJournal(1).journal_id

    async def work(floor: Counting) -> None:
        floor.facts = Odd(floor.facts.heads)
        table, facts = await going(floor)
        other = Table(floor, 2, facts)
        await other.write(4)
        await facts.turn()
        for _ in range(3):
            await table.write(5)
            await other.write(5)
            await facts.turn()
        assert await other.rulings() == even(19)
        assert await table.rulings() == [2, 4]

    played(work)
