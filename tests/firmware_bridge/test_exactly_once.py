"""10,000 events through cuts, losses, and restarts of both sides: each exactly once, in order."""

import asyncio
import random

import pytest

from firmware_bridge.facts import Jump, ResumePoint
from firmware_bridge.memory import memory_pair
from firmware_bridge.store import MemoryStore
from tests.firmware_bridge.support import Bench, Journal, byte_at_a_time, delayed, lossy, run, until

EVENTS = 10_000


async def soak(bench: Bench, events: int, chance: random.Random, harm: float) -> None:
    """Emit, sync now and then, and do harm between; then let it settle."""
    bench.start()
    n = 0
    while n < events:
        for _ in range(min(chance.randrange(1, 40), events - n)):
            if bench.peer.full:
                break
            n += 1
            bench.emit(n)
        await asyncio.sleep(chance.random() * 0.05)
        if chance.random() < 0.7:
            bench.journal.sync()
        if chance.random() < harm:
            what = chance.randrange(4)
            if what == 0:
                bench.cut()
            elif what == 1:
                bench.kill_link()
            elif what == 2:
                bench.restart_device()
            else:
                bench.kill_link()
                bench.restart_device()
    bench.journal.syncing = True
    bench.journal.sync()

    def settled() -> bool:
        bench.journal.sync()
        return len(bench.journal.events) == events and bench.peer.pending == 0

    await until(settled, seconds=3600)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_ten_thousand_events_through_cuts_and_restarts_of_both_sides(seed: int) -> None:
    async def scene() -> None:
        journal = Journal(syncing=False)
        bench = Bench(store=MemoryStore(256, persistent=True), journal=journal)
        await soak(bench, EVENTS, random.Random(seed), harm=0.5)
        assert journal.bodies == list(range(1, EVENTS + 1))
        assert len({boot_id for boot_id, _, _ in journal.events}) > 50
        assert "events_missing" not in journal.codes
        assert "out_of_order" not in journal.codes
        assert journal.ups[-1][1]["last"] <= EVENTS
        await bench.finish()

    run(scene())


@pytest.mark.slow
@pytest.mark.parametrize("wire", ["byte at a time", "lossy", "delayed"])
def test_the_same_over_worse_wires(wire: str) -> None:
    async def scene() -> None:
        wires = {"byte at a time": byte_at_a_time, "lossy": lossy(3), "delayed": delayed}
        journal = Journal(syncing=False)
        bench = Bench(wire=wires[wire], store=MemoryStore(256, persistent=True), journal=journal)
        # Harm must be rarer than a session takes to come up, which is 0.6 s on the delayed wire.
        await soak(bench, 1000, random.Random(5), harm=0.03 if wire == "delayed" else 0.1)
        assert journal.bodies == list(range(1, 1001))
        assert "events_missing" not in journal.codes
        assert "out_of_order" not in journal.codes
        await bench.finish()

    run(scene())


def test_a_gap_behind_a_journal_put_back_is_told_in_version_1_and_goes_on() -> None:
    async def scene() -> None:
        bench = Bench(wire=memory_pair, store=MemoryStore(), versions=(1, 1))
        bench.start()
        await bench.up()
        for n in range(1, 6):
            bench.emit(n)
        await asyncio.sleep(0.1)
        del bench.journal.events[2:]
        bench.journal.synced = 2
        bench.emit(6)
        bench.kill_link()
        await until(lambda: len(bench.journal.events) == 3)
        assert bench.journal.bodies == [1, 2, 6]
        assert "events_missing" in bench.journal.codes
        [text] = [fault.text for fault in bench.journal.downs if fault.code.value == "events_missing"]
        assert f"events 3 to 5 of boot {bench.peer.boot_id.hex()} are missing" in text
        boot = bench.peer.boot_id
        assert bench.journal.jumps == [Jump(ResumePoint(boot, 2), ResumePoint(boot, 6), None)]
        await bench.finish()

    run(scene())
