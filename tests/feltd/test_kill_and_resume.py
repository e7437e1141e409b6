"""kill -9 at random moments while the simulated table plays: nothing is lost, nothing comes twice, the state is the
one of a run never killed.

When a kill comes is chosen by what the record shows, never by seconds, so a slow machine is hit at the same moments as
a quick one. `FELTD_KILLS` sets how many kills there are at least (8); they are shared between the two games, and there
are more of them until half of that many have hit the middle of a round. The table runs without its page, as its service
does: a page for each life costs as much of a processor as the table, and has no part in the record. It begins warm
(`tests.warm`): loading its modules took most of a life.
"""

import asyncio
import os
import random
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

import pytest

from devices.simulated.things.equipment import lay_out
from feltd.record import JournalReader
from feltd.record.verify import verify
from feltd.simulated.games import game_for, options_for
from feltd.simulated.plan import SEATS
from feltd.simulated.setting_up import write_config
from feltd.table.config.key_files import read_key
from tests.devices.direct_play import books
from tests.devices.together import together
from tests.feltd.kill_support import (
    DaemonProcess,
    GrowingRecord,
    JournalFeed,
    assert_shut,
    dealing,
    last_events,
)
from tests.feltd.never_killed import NeverKilled, assert_each_once
from tests.feltd.seal_support import PUBLIC
from tests.ports import free_port
from tests.warm import WarmStart

KILLS = int(os.environ.get("FELTD_KILLS", "8"))
SEED = int(os.environ.get("FELTD_KILL_SEED", "20"))
LONGEST_LIFE = 30  # events from ready to the kill
BEFORE_READY = 0.15  # share of the kills that hit a start


class Start(Enum):
    """How far a start has come when it is killed."""

    SPAWNED = auto()
    HOLDS_THE_JOURNAL = auto()
    IS_NOTED = auto()


class TableUnderTest:
    """A table and the dealer at work on it. Whatever is waited for, the dealer deals meanwhile."""

    def __init__(self, daemon: DaemonProcess, record: GrowingRecord, dealer: "asyncio.Task[None]") -> None:
        self.daemon = daemon
        self.record = record
        self._dealer = dealer
        self._starts = 0

    async def start_again(self) -> None:
        """Kill the daemon and start it."""
        await self.daemon.kill()
        self._starts = self.record.look().starts
        await self.daemon.start()

    async def starting(self, how_far: Start) -> None:
        """Wait until the start that is under way has come so far."""
        if how_far is Start.HOLDS_THE_JOURNAL:
            await self._until(lambda: self.record.is_held_by(self.daemon.pid))
        elif how_far is Start.IS_NOTED:
            await self._until(lambda: self.record.look().starts > self._starts)

    async def dealt(self, count: int) -> None:
        """Wait until the record has so many events."""
        await self._until(lambda: self.record.look().events >= count)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert not self._dealer.done(), self._dealer.exception()
            await asyncio.sleep(0.005)


@pytest.mark.slow
@pytest.mark.timeout(1200 + 60 * KILLS)
@pytest.mark.parametrize("book", ["tas-2018-holdem", "act-2019-uth"])
def test_killed_at_any_moment_the_table_stands_where_a_run_never_killed_stands(book: str, tmp_path: Path) -> None:
    with WarmStart("table") as warm:
        asyncio.run(_kill_and_resume(book, tmp_path, -(-KILLS // 2), warm))


async def _kill_and_resume(book: str, folder: Path, kills: int, warm: WarmStart) -> None:
    options = options_for(books()[book])
    game = game_for(books()[book], SEATS, options, seed=SEED, mistake_rate=0.3)
    equipment = lay_out(folder, game)
    config = write_config(equipment, game, options, "127.0.0.1", free_port())
    with config.open("a", encoding="utf-8") as more:
        more.write(f'[record]\nsealed_to = "{PUBLIC}"\n')
    journal, key = folder / "table.journal", read_key(folder / "journal.key")
    chance = random.Random(f"{SEED} {book}")
    daemon, record = DaemonProcess(config, folder, "table", warm=warm), GrowingRecord(journal)
    feed, never_killed = JournalFeed(journal, daemon, len(equipment.devices)), NeverKilled(journal, key)
    done = 0
    try:
        async with together(equipment):
            await daemon.start()
            await daemon.ready()
            async with dealing(game, equipment, feed, takes_over=feed.tell_again) as dealer:
                table = TableUnderTest(daemon, record, dealer)
                while done < kills or never_killed.mid_round < -(-kills // 2):
                    if done and chance.random() < BEFORE_READY:
                        await table.starting(chance.choice(list(Start)))
                    else:
                        await daemon.ready()
                        await table.dealt(record.look().events + chance.randint(0, LONGEST_LIFE))
                    await table.start_again()
                    done += 1
                    never_killed.compare_starts()
                await daemon.ready()
                await table.dealt(max(record.look().events + LONGEST_LIFE, 12 * kills))
            said = await last_events(equipment)
            assert await daemon.stop() == 0, daemon.log()
            await assert_shut(equipment)
    finally:
        feed.close()
        record.close()
        await daemon.close()
    never_killed.compare_starts()
    assert_each_once(never_killed.events, said)
    assert sum(last for _, last in said.values()) > 10 * kills
    with JournalReader.open(journal, key) as reader:
        verdict = verify(reader)
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True
    assert 1 < never_killed.compared <= done + 1
    print(
        f"{book}: {done} kills, {never_killed.compared} starts compared, {never_killed.mid_round} in a round, "
        f"{len(never_killed.events)} events"
    )
