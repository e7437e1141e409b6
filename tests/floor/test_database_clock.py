"""Whether floord's clock is the database's: where they differ, a person hears it, with the remedy."""

import asyncio
import logging

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.floor.database_clock import DatabaseClock
from feltd.text.catalogue import trouble
from feltd.text.language import Language, speaking

NOW = 1_800_000_000.0


class Database:
    """Tells the time, after so many seconds."""

    def __init__(self, clock: float = NOW) -> None:
        self.now = clock
        self.takes = 0.0
        self.steady = 0.0
        self.away = False

    async def clock(self) -> float:
        if self.away:
            raise FloorAwayError("away", "here", "Wait")
        self.steady += self.takes
        return self.now

    def own(self, differs: float) -> DatabaseClock:
        """A floord's, whose own clock differs by so much."""
        return DatabaseClock(self, lambda: NOW + differs, lambda: self.steady)


def test_an_answer_that_was_long_on_its_way_and_a_database_that_is_away_change_nothing() -> None:
    database = Database(NOW + 3)
    clock = database.own(0.0)
    database.takes = 0.6
    asyncio.run(clock.look())
    assert list(clock.trouble) == []
    database.takes, database.now = 0.4, NOW + 3.4
    asyncio.run(clock.look())
    [words] = clock.trouble
    assert "by +3 s" in words, "the answer is as old as half its way"
    database.away = True
    with pytest.raises(FloorAwayError):
        asyncio.run(clock.look())
    assert list(clock.trouble) == [words]


def test_clocks_that_differ_by_a_second_are_told_once_with_the_remedy(caplog: pytest.LogCaptureFixture) -> None:
    database = Database()
    near, far = database.own(-0.9), database.own(-3.0)
    asyncio.run(near.look())
    assert near.trouble == ()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            asyncio.run(far.look())
    [words] = far.trouble
    assert words == (
        "clock: the database's differs from this floord's by +3 s. See that chrony runs on the machines of both"
    )
    assert caplog.messages == [f"the floor's {words}"]
    with speaking(Language.GERMAN):
        assert trouble(words).startswith("Uhr: die der Datenbank weicht um +3 s")
    database.now = NOW - 3.0
    with caplog.at_level(logging.WARNING):
        asyncio.run(far.look())
    assert (far.trouble, caplog.messages[1:]) == ((), ["the floor's clock is well again"])
