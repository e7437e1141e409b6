"""The database's clock: by it two floords whose own clocks differ pass decisions on, and a table obeys both."""

import asyncio
import logging

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import FROM_FLOOR, Answer, Command, Result, from_bytes
from feltd.floor.commanding import Desk, Reach
from feltd.floor.database_clock import DatabaseClock, clock_of
from feltd.floor.memory import MemoryEngine
from feltd.floor.signing import FloorKey
from feltd.text.catalogue import trouble
from feltd.text.language import Language, speaking

NOW = 1_800_000_000.0
JOURNAL = bytes(16)


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


@pytest.mark.parametrize(
    ("differs", "time"), [(0.0, NOW), (-6.0, NOW), (9.9, NOW), (10.0, NOW + 10), (-3600.0, NOW - 3600)]
)
def test_floords_go_by_the_databases_clock_as_long_as_a_table_would_obey_it(differs: float, time: float) -> None:
    clock = Database().own(differs)
    assert clock() == NOW + differs, "before it was asked"
    asyncio.run(clock.look())
    assert clock() == pytest.approx(time)


def test_an_answer_that_was_long_on_its_way_and_a_database_that_is_away_change_nothing() -> None:
    database = Database(NOW + 3)
    clock = database.own(0.0)
    database.takes = 0.6
    asyncio.run(clock.look())
    assert clock() == NOW
    database.takes = 0.4
    asyncio.run(clock.look())
    assert clock() == pytest.approx(NOW + 2.8), "the answer is as old as half its way"
    database.away = True
    with pytest.raises(FloorAwayError):
        asyncio.run(clock.look())
    assert clock() == pytest.approx(NOW + 2.8)
    assert abs(asyncio.run(clock_of(database))() - NOW) > 60, "this machine's, until it is asked"


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


@pytest.mark.parametrize("differs", [-8.0, -6.0, 6.0, 8.0])
@pytest.mark.parametrize("by_database", [True, False])
def test_a_decision_is_passed_on_between_floords_whose_clocks_differ(
    monkeypatch: pytest.MonkeyPatch, differs: float, by_database: bool
) -> None:
    monkeypatch.setattr("feltd.floor.commanding.PASSED_EVERY", 0.0)
    engine, database = MemoryEngine(lambda: NOW), Database()
    key = FloorKey(Ed25519PrivateKey.generate())
    made: list[Command] = []

    async def send(message: bytes) -> None:
        command = from_bytes(message, FROM_FLOOR)
        assert isinstance(command, Command)
        made.append(command)
        await here.answered("7", Answer(command.id, Result.DONE.value, 12, ""))

    own, other = database.own(0.0), database.own(differs)
    if by_database:
        asyncio.run(other.look())
    here = Desk(engine, own, key=key)
    there = Desk(engine, other, key=key)

    async def work() -> None:
        here.join("7", Reach(send, JOURNAL), obeys=True)
        asked = asyncio.create_task(there.pass_on("7", "{}", JOURNAL, 0))
        await asyncio.sleep(0)  # it is kept now, and looked at again and again
        assert await engine.passed.open()
        await here.take_passed()
        if not made and not by_database:
            asked.cancel()  # by their own clocks it is late already
            return
        assert (await asked).result is Result.DONE
        first = made[0].made
        here.join("7", Reach(send, JOURNAL), obeys=True)
        assert (await here.order("7", "{}")).result is Result.DONE
        # a table takes no number behind the latest that it has taken
        assert (made[1].made >= first) is (by_database or differs < 0)

    asyncio.run(work())
    assert bool(made) is (by_database or differs > 0)
