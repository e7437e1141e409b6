"""kill -9 across a table, its page, its uplink, the floor and the floor's database, while a dealer deals.

Whatever is killed, nothing that a device was told is recorded is lost, nothing comes twice, the table stands where a
run never killed stands, and at the end the floor's copy is the table's record, entry by entry. When a kill comes is
chosen by what the record shows, never by seconds. Processes begin warm (`tests.warm`), else their modules would take
most of the test. `FELTD_KILLS` sets how many kills there are (10), `FELTD_KILL_SEED` what is dealt and when they come.
"""

import asyncio
import os
import random
from collections import Counter
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final

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
from tests.feltd.kill_support import DaemonProcess, GrowingRecord, JournalFeed, dealing, last_events
from tests.feltd.never_killed import NeverKilled, assert_each_once
from tests.feltd.seal_support import PUBLIC
from tests.floor.beside_table import Other, assert_one_record, floor_has, prepared, settings
from tests.floor.postgres_support import WHY_NOT, Server, binaries, server
from tests.floor.test_release_before import chains
from tests.ports import free_port
from tests.running import eventually
from tests.soak.page_reader import PageReader
from tests.warm import WarmStart

KILLS: Final = int(os.environ.get("FELTD_KILLS", "10"))
SEED: Final = int(os.environ.get("FELTD_KILL_SEED", "20"))
BOOK: Final = "tas-2018-holdem"
LONGEST_LIFE: Final = 12
"""Events of the table from one kill to the next, at most."""
OTHERS: Final = ("page", "uplink", "floord")
VICTIMS: Final = ("table", *OTHERS, "database")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(binaries() is None, reason=WHY_NOT),
    pytest.mark.timeout(1800 + 60 * KILLS),
]


class House:
    """A table, its page and its uplink, a floor and its database: what is killed."""

    def __init__(self, database: Server, daemon: DaemonProcess, others: dict[str, Other], port: int) -> None:
        self.database = database
        self.daemon = daemon
        self.others = others
        self._page_port = port

    async def start(self) -> None:
        await self.daemon.start()
        for other in self.others.values():
            other.start()
        await self.daemon.ready()

    async def kill(self, victim: str) -> None:
        """Kill it, and start it again."""
        if victim == "table":
            await self.daemon.kill()
            await self.daemon.start()
            await self.daemon.ready()
        elif victim == "database":
            await asyncio.to_thread(self.database.stop)
            await asyncio.to_thread(self.database.start)
        else:
            self.others[victim].kill()
            self.others[victim].start()

    async def floor_has(self, entries: int) -> None:
        """Wait until the floor has so many entries of the table, and the first key of its signed heads."""
        await floor_has(self.database, entries, self.others.values())

    async def page_answers(self) -> None:
        """Wait until somebody reads at the page."""
        reader = PageReader(self._page_port)
        reading = asyncio.create_task(reader.run())
        try:
            await reader.came.wait()
        finally:
            reading.cancel()


def test_whatever_is_killed_the_table_and_the_floor_keep_one_whole_record(tmp_path: Path) -> None:
    with server() as database, ExitStack() as stack:
        asyncio.run(_killed_everywhere(tmp_path, database, stack))


async def _killed_everywhere(folder: Path, database: Server, stack: ExitStack) -> None:
    await prepared(database)
    options, files, port = options_for(books()[BOOK]), settings(folder, database, folder / "door"), free_port()
    game = game_for(books()[BOOK], SEATS, options, seed=SEED, mistake_rate=0.3)
    equipment = lay_out(folder, game)
    config = write_config(equipment, game, options, "127.0.0.1", port)
    with config.open("a", encoding="utf-8") as more:
        more.write(f'[record]\nsealed_to = "{PUBLIC}"\n')
    door = ("--door", str(folder / "door"))
    warm = {command: stack.enter_context(WarmStart(command)) for command in ("table", "page", "uplink", "floor")}
    page = Other(folder, "page", *door, str(config), warm=warm["page"])
    others = dict(zip(OTHERS, (page, *files.others(folder, warm)), strict=True))
    for other in others.values():
        stack.callback(other.end)
    journal, key = folder / "table.journal", read_key(folder / "journal.key")
    daemon, record = DaemonProcess(config, folder, "table", *door, warm=warm["table"]), GrowingRecord(journal)
    house, feed = House(database, daemon, others, port), JournalFeed(journal, daemon, len(equipment.devices))
    never_killed, chance = NeverKilled(journal, key), random.Random(SEED)
    killed: Counter[str] = Counter()
    async with AsyncExitStack() as ending:
        ending.push_async_callback(daemon.close)
        ending.callback(record.close)
        ending.callback(feed.close)
        async with together(equipment):
            await house.start()
            async with dealing(game, equipment, feed, takes_over=feed.tell_again) as dealer:
                while killed.total() < KILLS:
                    wanted = record.look().events + chance.randint(1, LONGEST_LIFE)
                    await eventually(lambda wanted=wanted: dealer.done() or record.look().events >= wanted)
                    assert not dealer.done(), dealer.exception()
                    victim = VICTIMS[killed.total() % len(VICTIMS)]
                    await house.kill(victim)
                    killed[victim] += 1
                    never_killed.compare_starts()
            said = await last_events(equipment)
            await house.page_answers()
            with JournalReader.open(journal, key) as reader:
                await house.floor_has(reader.head().seq)
            assert await daemon.stop() == 0, daemon.log()
    never_killed.compare_starts()
    assert_each_once(never_killed.events, said)
    with JournalReader.open(journal, key) as reader:
        verdict = verify(reader)
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True
    assert never_killed.compared == killed["table"] + 1
    assert_one_record(folder, journal, files.floord)
    print(f"{dict(killed)} killed, {len(never_killed.events)} events, {len(chains(journal))} entries")
