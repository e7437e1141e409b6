"""Snapshots of drills, proven: after each event that leaves a table between two rounds.

    python -m tests.snapshots [--every N]

Each drill is played by two tables. After each event that may be followed by a snapshot, one is taken and loaded: it
must give the state it was taken of, with what readers counted and without. The second table is then the loaded one, and
goes on beside the first: each of its answers must be the same.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from feltd.books.drill import find_drills, run_drill
from table_fsm.events import Event
from table_fsm.outputs import Output
from table_fsm.table import Table
from tests.table_fsm.streams import books

DRILLS: Final = Path(__file__).parent / "drills"


@dataclass(frozen=True, slots=True)
class Lost:
    """An event after which a restored table is not the one that went on."""

    drill: Path
    number: int
    """Of the event, from 1."""
    event: str
    what: str

    def __str__(self) -> str:
        return f"{self.drill.relative_to(DRILLS)}: event {self.number} ({self.event}): {self.what}"


class ProvenTable:
    """A table, and beside it the one that its last snapshot gave."""

    def __init__(self, rulebooks: Mapping[str, Any]) -> None:
        self.table = Table(rulebooks)
        self.beside = Table(rulebooks)
        self.events = 0
        self.snapshots = 0
        self.lost: list[tuple[int, str, str]] = []

    def apply(self, event: Event) -> list[Output]:
        """Have both take the event; return the answer of the table that is never restored."""
        self.events += 1
        outputs = self.table.apply(event)
        if self.beside.apply(event) != outputs:
            self._lose(event, "the restored table answers otherwise")
            self.beside = Table.restore(self.table.rulebooks, self._last) if self.snapshots else self.beside
        if self.table.at_round_boundary:
            self._prove(event)
        return outputs

    def _prove(self, event: Event) -> None:
        self.snapshots += 1
        for counts in (False, True):
            self._last = self.table.snapshot(counts=counts)
            self.beside = Table.restore(self.table.rulebooks, self._last)
            if self.beside.digest() != self.table.digest(counts=counts):
                self._lose(event, f"its snapshot {'with' if counts else 'without'} counts gives another state")

    def _lose(self, event: Event, what: str) -> None:
        self.lost.append((self.events, event.ev, what))


def prove(every: int = 1, first: int = 0) -> Iterator[tuple[int, list[Lost]]]:
    """Prove the snapshots of each `every`th drill; yield of each how many were taken, and what was lost."""
    for path in find_drills([DRILLS])[first::every]:
        yield prove_drill(path)


def prove_drill(path: Path) -> tuple[int, list[Lost]]:
    """Prove the snapshots of one drill; return how many were taken, and what was lost."""
    table = ProvenTable(books())
    run_drill(path, books(), lambda _: table)
    return table.snapshots, [Lost(path, *lost) for lost in table.lost]


def main() -> int:
    """Prove the snapshots of all drills; print what was lost. Return 1 if anything was."""
    parser = argparse.ArgumentParser(prog="python -m tests.snapshots", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth drill")
    drills = snapshots = losses = 0
    for taken, lost in prove(parser.parse_args().every):
        drills, snapshots, losses = drills + 1, snapshots + taken, losses + len(lost)
        for one in lost:
            print(one)
    print(f"{snapshots} snapshots in {drills} drills, {losses} lost something")
    return 1 if losses else 0


if __name__ == "__main__":
    sys.exit(main())
