"""People's decisions against a nemesis, from seeds: each acts once at most, and a fault on either side is found out."""

from dataclasses import replace
from typing import Any

import pytest

from feltd.custody.messages import Result
from feltd.door.obeying import Obeyed
from feltd.floor.commanding import Desk
from feltd.floor.engine import Ordered
from feltd.table.keeper.obeying import Obeying
from tests.floor.commanded import Parts, play
from tests.floor.simulation import BrokenInvariantError

SEEDS = range(100)


@pytest.mark.parametrize("part", range(4))
def test_a_command_acts_once_at_most_and_its_answer_is_what_the_record_says(part: int) -> None:
    for seed in SEEDS[part::4]:
        play(seed)


def test_a_seed_says_the_same_each_time() -> None:
    assert play(7) == play(7) != play(8)


class ForgetsIds(Obeying):
    """A table that does not look into its record after a start."""

    def _found(self, number: str, until: float) -> Obeyed | None:
        return None


class TakesSilenceForNo(Desk):
    """A floor to which a table that has not answered has done nothing."""

    async def order(self, table: str, order: str) -> Ordered:
        done = await super().order(table, order)
        return replace(done, result=Result.REFUSED) if done.result is Result.NOT_KNOWN else done


class NeverLooks(Desk):
    """A floor that waits for answers alone."""

    async def look(self, table: str, journal: bytes, head: int, stand: int) -> None:
        return


class SaysDoneForANote(Desk):
    """A floor to which the note of a command is its event."""

    async def _settle(self, ordered: Ordered) -> None:
        if ordered.result is Result.REFUSED and ordered.entry:
            ordered = replace(ordered, result=Result.DONE)
        await super()._settle(ordered)


MUTANTS: dict[str, Any] = {
    "forgets ids": Parts(obeying=ForgetsIds),
    "takes silence for no": Parts(desk=TakesSilenceForNo),
    "never looks": Parts(desk=NeverLooks),
    "says done for a note": Parts(desk=SaysDoneForANote),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_dies(name: str) -> None:
    def played() -> None:
        for seed in SEEDS:
            play(seed, parts=MUTANTS[name])

    with pytest.raises(BrokenInvariantError):
        played()
