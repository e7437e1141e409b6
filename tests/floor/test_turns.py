"""A table that floods, or was away for long, is caught up in turns: the others are on the pit page meanwhile."""

import asyncio

import pytest

from feltd.custody.messages import Beat, Stand
from feltd.door.pit.state import PitSince
from feltd.floor.deriving import BATCHES, Deriving
from feltd.floor.engine import Batch, Engine
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import AT_ONCE, Line, PitBook
from tests.floor.custody_support import FakeJournal
from tests.floor.pit_support import NOW, entry, ruling
from tests.floor.test_scenes import Run
from tests.running import eventually, running

SIZE = 500


async def written(floor: Engine, number: int, rows: int, *, batch: int = SIZE) -> Stand:
    """Table `number` has written so many rows more, with a ruling at the end of each batch."""
    table, journal = str(number), FakeJournal(number).journal_id
    stand = (await floor.open_journal(table, journal, 2)).stand
    for first in range(stand.seq + 1, stand.seq + rows + 1, batch):
        last = min(first + batch, stand.seq + rows + 1) - 1
        found = [entry(seq, "output", "lamp", {}) for seq in range(first, last)]
        found.append(entry(last, "output", "ruling", {"ruling": ruling(last)}))
        [added] = await floor.append_many([Batch(table, journal, first, stand.chain, bytes(32), tuple(found))])
        stand = added.stand
    return stand


def lines_of(book: PitBook) -> dict[str, Line]:
    return {name: book.line(name) or pytest.fail(name) for name in ("1", "2")}


def test_a_table_that_is_far_behind_lets_the_others_have_their_turn(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        stands = [await written(floor, 1, 4 * AT_ONCE), await written(floor, 2, 3)]
        book = PitBook(floor, lambda: NOW)
        await book.load()
        assert await book.turn()
        lines = lines_of(book)
        assert AT_ONCE <= lines["1"].fold.seq < AT_ONCE + SIZE
        assert [one.id for one in lines["2"].fold.shown_waiting()] == [3]
        await book.catch_up()
        assert [line.fold.seq for line in lines.values()] == [stand.seq for stand in stands]
        assert not await book.turn()

    engine(work)


def test_facts_are_made_of_each_journal_in_its_turn(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        many = BATCHES + 5
        await written(floor, 1, many, batch=1)
        await written(floor, 2, 1)
        await Deriving(floor).turn()
        tables = [told.table for told in await floor.facts.news(0, 100)]
        assert tables.count("1") == many
        assert tables.index("2") == BATCHES, "it comes behind the first part of the other"
        assert await floor.facts.behind() == []

    engine(work)


def test_a_table_that_never_ends_keeps_nobody_from_the_pit_page() -> None:
    class Endless(MemoryEngine):
        async def batches(self, journal: bytes, after: int, most: int) -> list[Batch]:
            found = await super().batches(journal, after, most)
            if journal == FakeJournal(1).journal_id:
                book.said("1", await written(self, 1, SIZE), Beat(NOW, 0))
            return found

    floor = Endless(lambda: NOW)
    book = PitBook(floor, lambda: NOW)

    async def work() -> None:
        await written(floor, 1, SIZE)
        await written(floor, 2, 1)
        await book.load()
        heard: list[int] = []
        book.on_changed(lambda: heard.append(len(book.news(PitSince("", 0)).tables[1].waiting)))
        async with running(book.run()):
            await eventually(lambda: heard[-1:] == [1] and bool(floor.kept_pits))
            assert (line := book.line("1")) is not None
            assert line.fold.seq < line.stand

    asyncio.run(work())


def test_a_fold_that_is_begun_anew_meanwhile_is_folded_from_its_beginning() -> None:
    class PutBack(MemoryEngine):
        async def batches(self, journal: bytes, after: int, most: int) -> list[Batch]:
            found = await super().batches(journal, after, most)
            if after == 0 and not done:
                done.append(True)
                book.came("1", bytes(16), Stand(0, bytes(32)))
                book.came("1", journal, Stand(SIZE, bytes(32)))
            return found

    done: list[bool] = []
    floor = PutBack(lambda: NOW)
    book = PitBook(floor, lambda: NOW)

    async def work() -> None:
        await written(floor, 1, SIZE)
        await book.load()
        assert not await book.turn(), "the line that was asked for is nobody's any more"
        await book.catch_up()
        assert (line := book.line("1")) is not None
        assert line.fold.seq == SIZE

    asyncio.run(work())
