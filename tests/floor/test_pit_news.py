"""What is news to a pit page: that a table shows something else, or is gone. A sign of life alone is none."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from feltd.custody.messages import Beat, Stand
from feltd.door.pit.state import HEARD_WITHIN, PitSince, PitTable
from feltd.floor.engine import Batch
from feltd.floor.memory import MemoryEngine
from feltd.floor.open_rows import read_rows
from feltd.floor.pit_book import PitBook
from tests.floor.pit_support import entry

JOURNAL = bytes(15) + b"7"
OTHER = bytes(15) + b"8"
DEALING = ("output", "phase", {"phase": "dealing", "street": "hole"})
BETTING = ("output", "phase", {"phase": "betting", "street": "hole"})


class Pit:
    """A floor's book, a clock that stands, and pages that ask what is new."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.book = PitBook(MemoryEngine(lambda: self.now), lambda: self.now)
        self.seq = 0
        self.book.came("7", JOURNAL, Stand(0, bytes(32)))

    def writes(self, kind: str, name: str, body: object) -> None:
        """The table writes one entry, and says so."""
        self.seq += 1
        row = entry(self.seq, kind, name, body)
        self.book.take(Batch("7", JOURNAL, self.seq, bytes(32), bytes(32), (row,)), read_rows((row,)))
        self.lives()

    def lives(self) -> None:
        """The table gives a sign of life."""
        self.book.said("7", Stand(self.seq, bytes(32)), Beat(self.now, self.seq))

    def page(self) -> Iterator[tuple[PitTable, ...]]:
        """What one page is told, each time it asks."""
        run, revision = "", 0
        while True:
            news = self.book.news(PitSince(run, revision))
            run, revision = news.run, news.revision
            yield news.tables


@pytest.fixture
def pit() -> Pit:
    """A table that has begun to play."""
    made = Pit()
    made.writes(*DEALING)
    return made


def test_a_sign_of_life_and_an_entry_that_shows_nothing_are_no_news(pit: Pit) -> None:
    page = pit.page()
    assert [table.phase for table in next(page)] == ["dealing"]
    pit.now += 1.0
    pit.lives()
    pit.writes(*DEALING)
    assert next(page) == ()
    pit.writes(*BETTING)
    [table] = next(page)
    assert (table.phase, table.heard) == ("betting", 1001.0)
    assert next(page) == ()


def test_each_page_has_every_change_however_seldom_it_asks(pit: Pit) -> None:
    often, seldom = pit.page(), pit.page()
    assert len(next(often)) == len(next(seldom)) == 1
    pit.writes(*BETTING)
    assert [table.phase for table in next(often)] == ["betting"]
    pit.lives()
    assert next(often) == ()
    assert [table.phase for table in next(seldom)] == ["betting"]
    assert [table.phase for table in next(pit.page())] == ["betting"]  # one that begins has all


def test_a_table_that_comes_with_another_record_while_its_old_one_is_read_stays_on_the_page(pit: Pit) -> None:
    pit.book.said("7", Stand(pit.seq + 1, bytes(32)), None)
    whole, page = pit.page(), pit.page()
    assert len(next(page)) == 1

    class Slow(MemoryEngine):
        """A database that answers when the table has come with another record."""

        async def batches(self, journal: bytes, after: int, most: int) -> list[Batch]:
            pit.book.came("7", OTHER, Stand(0, bytes(32)))
            row = entry(after + 1, *BETTING)
            return [Batch("7", journal, after + 1, bytes(32), bytes(32), (row,))]

    pit.book._engine = Slow(lambda: pit.now)
    asyncio.run(pit.book.turn())
    for reader in (page, whole):
        [told] = next(reader)
        assert (told.name, told.phase) == ("7", None)


def test_when_a_table_was_heard_is_true_within_some_seconds_and_to_the_second_once_it_is_gone(pit: Pit) -> None:
    page = pit.page()
    next(page)
    pit.now += HEARD_WITHIN - 0.1
    pit.lives()
    assert next(page) == ()
    pit.now += 0.1
    pit.lives()
    assert [table.heard for table in next(page)] == [1000.0 + HEARD_WITHIN]
    pit.now += 5.0
    pit.lives()
    pit.now += 2.0
    pit.book.went("7")
    [table] = next(page)
    assert (table.connected, table.heard) == (False, 1005.0 + HEARD_WITHIN)


def test_what_looks_alike_differs_by_nothing_else() -> None:
    table = PitTable("7", True, 1000.0, 0, False, "dealing", None, None, 4, 990.0, (), (), ())
    later = replace(table, heard=1001.0)
    assert later.looks_like(table)
    for changed in (
        replace(later, lag=1),
        replace(later, phase="betting"),
        replace(later, connected=False),
        replace(later, round=5),
        replace(later, heard=None),
    ):
        assert not changed.looks_like(table), changed
    away = replace(table, connected=False)
    assert away.looks_like(away)
    assert not replace(away, heard=1001.0).looks_like(away)
