"""The shipped structures played out: a whole tournament from the first level to the last place, level by level.

`python -m tests.floor_fsm.scheduled --entries 72 --tables 9` plays each structure of The Star and of ACT 2001 once, and
says at which second each tournament ended. `--structure ID` plays one.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from feltd.books.shipped import structure_sources
from floor_fsm.core.output import Output
from floor_fsm.messages.clock import ClockRan, LevelRow, ScheduleSet
from floor_fsm.messages.entries import LevelBegan
from floor_fsm.messages.hands import WentOut
from floor_fsm.state.floor import Time
from floor_fsm.state.hands import left
from table_fsm.structures.loader import load_structures
from table_fsm.structures.structure import Structure
from tests.floor_fsm.simulation import Whole

STRUCTURES: Final = load_structures(structure_sources())
LAST: Final = 3
"""Players who play on, whatever happens, until the last level has begun."""


class Scheduled(Whole):
    """A whole tournament on a structure. Each hand takes its part of the schedule."""

    def __init__(self, structure: Structure, entries: int, tables: int, seed: int, every: int = 1) -> None:
        self.structure = structure
        law = "act-2001" if structure.id.startswith("act-2001") else "star-2025"
        whole = sum(row.seconds + (row.break_after or 0.0) for row in structure.levels)
        self.hand_takes = whole / entries
        self.played: list[int] = []
        """The levels that have begun, in their order."""
        super().__init__(law, entries, tables, seed, every)

    def draw(self) -> list[Output]:
        """Seats are drawn, and the clock runs."""
        told = super().draw()
        rows = tuple(
            LevelRow(
                seconds=row.seconds, blinds=row.blinds, ante=row.ante, big_blind_ante=row.big_blind_ante,
                race_off=row.race_off, break_after=row.break_after,
            )
            for row in self.structure.levels
        )  # fmt: skip
        self.say(ScheduleSet, levels=rows, doubling_minutes=self.structure.doubling_minutes)
        self.say(ClockRan)
        return told

    def _turn(self) -> None:
        self.t += self.hand_takes
        clock = self.tournament.parts.of(Time).clock
        assert clock is not None
        now = clock.reading(self.t).level
        begun = self.played[-1] if self.played else 0
        for number in range(begun + 1, now.number + 1):
            self.say(LevelBegan, by=None, level=number)
            self.played.append(number)
        if now.number <= len(self.structure.levels):
            row = self.structure.levels[now.number - 1]
            assert (now.blinds, now.ante, now.big_blind_ante) == (row.blinds, row.ante, row.big_blind_ante)
        super()._turn()

    def _outs(self, table: str) -> tuple[WentOut, ...]:
        is_last = bool(self.played) and self.played[-1] >= len(self.structure.levels)
        return super()._outs(table) if is_last or len(left(self.tournament.parts)) > LAST else ()

    def require_end(self) -> None:
        """Every level was played, and every place is final."""
        super().require_end()
        assert self.played[: len(self.structure.levels)] == [row.number for row in self.structure.levels]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play structures out."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor_fsm.scheduled", description=__doc__)
    parser.add_argument("--structure", choices=sorted(STRUCTURES))
    parser.add_argument("--entries", type=int, default=72)
    parser.add_argument("--tables", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    for name in sorted(STRUCTURES) if given.structure is None else [given.structure]:
        whole = Scheduled(STRUCTURES[name], given.entries, given.tables, given.seed, every=10)
        whole.play()
        sys.stdout.write(
            f"{name:34} {len(whole.played):3} levels, {len(whole.kept):5} events, {whole.t / 60:7.0f} min\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
