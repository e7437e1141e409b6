"""Custody against a nemesis, from seeds; and that a floor or an uplink with a fault in it is found out."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from feltd.custody.messages import Rows, Stand
from feltd.floor.custody import Session
from feltd.floor.engine import Alarm, Appended, Batch, Verdict
from feltd.floor.memory import MemoryEngine
from feltd.uplink.sending import Sender
from tests.floor.simulation import BrokenInvariantError, Parts, play

SEEDS = range(200)
TABLES = 8
STEPS = 400
MANY_TABLES = 1000


@pytest.mark.parametrize("part", range(4))
def test_nothing_is_lost_doubled_or_mixed_and_no_fork_is_missed_or_invented(part: int) -> None:
    for seed in SEEDS[part::4]:
        play(seed, tables=TABLES, steps=STEPS)


def test_many_tables_at_once() -> None:
    play(1, tables=MANY_TABLES, steps=20_000)


def test_a_seed_says_the_same_each_time() -> None:
    assert play(7, tables=TABLES, steps=STEPS) == play(7, tables=TABLES, steps=STEPS)
    assert play(7, tables=TABLES, steps=STEPS) != play(8, tables=TABLES, steps=STEPS)


class AddsAnywhere(MemoryEngine):
    """A floor that takes a gap or an overlap for what comes next."""

    async def append_many(self, batches: Sequence[Batch]) -> list[Appended]:
        stands = [self.journals[batch.journal].stand for batch in batches]
        moved = [
            replace(batch, first=stand.seq + 1, before=stand.chain)
            for batch, stand in zip(batches, stands, strict=True)
        ]
        return await super().append_many(moved)


class ComparesNothing(Session):
    """A floor that skips an overlap without a look at it."""

    async def _is_ours(self, batch: Batch, chain: bytes, seq: int, stand: Stand) -> bool:
        return True


class BearsAnOldImage(Session):
    """A floor to which a journal that ends too early is nothing new."""

    @staticmethod
    def _was_put_back(message: Rows) -> bool:
        return False


class ForgetsForks(MemoryEngine):
    """A floor that alarms, and goes on."""

    async def keep_fork(self, batch: Batch, alarm: Alarm) -> Stand:
        await super().keep_fork(batch, alarm)
        kept = self.journals[batch.journal]
        kept.stand = replace(kept.stand, forked=False)
        return kept.stand


class LosesWhatItAcknowledged(MemoryEngine):
    """A floor that says a batch is kept before it is: each tenth is not."""

    told = 0

    async def append_many(self, batches: Sequence[Batch]) -> list[Appended]:
        type(self).told += 1
        if self.told % 10:
            return await super().append_many(batches)
        return [Appended(Verdict.ADDED, Stand(batch.last, batch.chain)) for batch in batches]


class BelievesItself(Sender):
    """An uplink that knows better than the floor where that stands."""

    def heard(self, stand: Stand) -> None:
        if self.stand is None or stand.seq >= self.stand.seq:
            super().heard(stand)


class HealsInSilence(Session):
    """A floor that was put back, and does not say so."""

    async def _look_for_gap(self, journal: bytes, heard: int, stand: Stand) -> None:
        return


MUTANTS = {
    "heals in silence": Parts(session=HealsInSilence),
    "adds anywhere": Parts(engine=AddsAnywhere),
    "compares nothing": Parts(session=ComparesNothing),
    "bears an old image": Parts(session=BearsAnOldImage),
    "forgets forks": Parts(engine=ForgetsForks),
    "believes itself": Parts(sender=BelievesItself),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_dies(name: str) -> None:
    def played() -> None:
        for seed in SEEDS:
            play(seed, tables=TABLES, steps=STEPS, parts=MUTANTS[name])

    with pytest.raises(BrokenInvariantError):
        played()


def test_the_bench_of_seeds_says_what_broke_and_which_mutant_lives(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.floor.seeds import broken_in, main

    assert broken_in(range(3)) is None
    found = broken_in(SEEDS, "forgets forks")
    assert found is not None
    assert main(["--seeds", "1", "--jobs", "1"]) == 1  # one seed finds not every mutant
    told = capsys.readouterr().out
    assert "FAILED mutant lives" in told
    assert "1 seeds of 8 tables and 400 steps each" in told


def test_a_floor_that_loses_what_it_acknowledged_is_healed_by_its_tables() -> None:
    """Every answer is the floor's head, so the next one shows what is missing, and the table sends it again."""
    for seed in SEEDS[:20]:
        play(seed, tables=TABLES, steps=STEPS, parts=Parts(engine=LosesWhatItAcknowledged))
