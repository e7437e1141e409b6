"""How many cells of the matrix a program of an earlier revision answers otherwise.

    python -m tests.moments.before REV                        all books
    python -m tests.moments.before REV tas-2018-holdem        one book
    python -m tests.moments.before REV --only pairs --show    the pairs alone; each cell that differs
    python -m tests.moments.before REV --every 20             a twentieth of the cells, by chance

Each cell is played by today's program; the events that its table was told are given to the earlier one as well. Both
answers are the clauses and outcomes of all rulings, and what was refused, from the fault to the end of the stream.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from feltd.books.moments import pairs
from feltd.books.moments.cell import Cell, Stage
from feltd.books.moments.fault import Fault
from feltd.books.moments.matrix import Choose, matrix
from feltd.books.moments.moment import AnyMoment
from feltd.books.moments.stream import STEP, Stream
from tests.identity.trees import REPOSITORY, tree_of_revision
from tests.moments import earlier
from tests.table_fsm.streams import books

KINDS: Final = ("faults", "pairs")
Answers = list[tuple[int, str | None, tuple[str, ...]]]
"""Of each ruling the number of its event, its clause and its outcomes; of a refusal the number, None and none."""


class Unlike(StrEnum):
    """How the earlier program's answer to a cell differs from today's."""

    UNKNOWN = "does not know an event of it: not compared"
    NOT_THERE = "ruled otherwise on the way to the moment already: not compared"
    ALIKE = "alike"
    NO_RULING = "no ruling either, and another refusal"
    REFUSED = "refused the event where a ruling is due"
    SILENT = "was silent where a ruling is due"
    FALSE_ALARM = "ruled where nothing is to be ruled"
    OTHER_OUTCOME = "ruled with another outcome"
    OTHER_CLAUSE = "cited another clause for the same outcomes"
    LATER = "ruled alike on the fault and otherwise as play went on"


WRONG: Final = frozenset(Unlike) - {Unlike.UNKNOWN, Unlike.NOT_THERE, Unlike.ALIKE, Unlike.NO_RULING}
"""Another ruling than today's, or none, on the same events."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The program of an earlier revision, at work in a process."""

    process: "subprocess.Popen[str]"

    def answers(self, events: Sequence[dict[str, Any]]) -> Answers | None:
        """What it tells of a stream; None where it does not know an event."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(events) + "\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        return None if told is None else [(number, rule, tuple(outcomes)) for number, rule, outcomes in told]


@contextmanager
def program_at(tree: Path) -> Iterator[Earlier]:
    """The program of a tree with `table_fsm` and `config`, until the block ends."""
    command = [sys.executable, "-P", str(earlier.__file__), str(tree)]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Earlier(process)
        finally:
            process.kill()


def events_of(stream: Stream) -> list[dict[str, Any]]:
    """What the table of a stream was told, with its times."""
    t, events = 0.0, []
    for deed in stream.deeds:
        t += float(deed.get("after", STEP))
        events.append({"t": t, **{name: value for name, value in deed.items() if name != "after"}})
    return events


def answers_of(stream: Stream) -> Answers:
    """What today's table has told of a stream."""
    return [
        (told.at, ruling.rule, (ruling.outcome, *ruling.also)) if (ruling := told.ruling) else (told.at, None, ())
        for told in stream.told
    ]


def compared(was: Answers | None, is_now: Answers, begun: int) -> Unlike:
    """How two answers to one stream differ whose fault begins with the event of that number."""
    if was is None:
        return Unlike.UNKNOWN
    if was == is_now:
        return Unlike.ALIKE
    first = next(at for at in range(len(was) + 1) if was[at : at + 1] != is_now[at : at + 1])
    number = min(told[0] for told in (*was[first : first + 1], *is_now[first : first + 1]))
    if number < begun:
        return Unlike.NOT_THERE
    if any(begun <= told[0] < number for told in is_now):
        return Unlike.LATER
    return _at_once([told for told in was if told[0] == number], [told for told in is_now if told[0] == number])


def _at_once(was: Answers, is_now: Answers) -> Unlike:
    """How two answers to one event differ."""
    rulings, rulings_now = ([told for told in answers if told[1] is not None] for answers in (was, is_now))
    if not rulings_now:
        return Unlike.FALSE_ALARM if rulings else Unlike.NO_RULING
    if not rulings:
        return Unlike.REFUSED if was else Unlike.SILENT
    same = sorted(told[2] for told in rulings) == sorted(told[2] for told in rulings_now)
    return Unlike.OTHER_CLAUSE if same else Unlike.OTHER_OUTCOME


@dataclass(slots=True)
class Count:
    """The cells of a book that can happen, and the classes that they are of, by how they differ."""

    program: Earlier
    show: bool = False
    cells: Counter[Unlike] = field(default_factory=Counter)
    classes: dict[tuple[str, str, str], set[Unlike]] = field(default_factory=dict)

    def note(self, cell: Cell, stage: Stage) -> None:
        """Ask the earlier program about a cell that has been played."""
        if cell.cannot is not None or stage.stream is None:
            return
        events = events_of(stage.stream)
        was, is_now = self.program.answers(events), answers_of(stage.stream)
        unlike = compared(was, is_now, stage.begun)
        self.cells[unlike] += 1
        self.classes.setdefault((cell.irregularity, cell.when.value, cell.shown), set()).add(unlike)
        if self.show and unlike in WRONG:
            since = [told for told in was or () if told[0] >= stage.begun]
            print(f"{cell.fault} @ {cell.moment}: {unlike}\n    was: {since}\n    is:  {cell.shown}")

    def lines(self) -> Iterator[str]:
        """The figures in words."""
        wrong = sum(self.cells[unlike] for unlike in WRONG)
        touched = sum(not kinds.isdisjoint(WRONG) for kinds in self.classes.values())
        whole = self.cells.total()
        yield f"{whole:,} cells in {len(self.classes):,} classes; {wrong:,} in {touched:,} classes answered otherwise"
        for unlike in Unlike:
            yield f"  {self.cells[unlike]:,} {unlike.value}"


def drawn(every: int, book: str) -> Choose:
    """A choice of one cell of so many, the same each time."""

    def chosen(fault: Fault, moment: AnyMoment) -> bool:
        name = f"{book} {fault.key} {moment.name}"
        return int.from_bytes(sha256(name.encode()).digest()[:8], "big") % every == 0

    return chosen


def count(book: str, kind: str, program: Earlier, every: int = 1, *, show: bool = False) -> Count:
    """Play the cells of a book, or one of so many, and compare."""
    counted, rules, chosen = Count(program, show), books()[book], drawn(every, book)
    if kind == KINDS[0]:
        matrix(rules, books(), watch=counted.note, chosen_cells=chosen)
        return counted
    matrix(rules, books(), tuple(pairs.on_one_card()), pairs.among, counted.note, chosen)
    matrix(rules, books(), tuple(pairs.in_a_row()), pairs.among_few, counted.note, chosen)
    return counted


def main() -> int:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("revision")
    parser.add_argument("book", nargs="*", default=sorted(books()))
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--every", type=int, default=1, help="one cell of so many, drawn by the cell's name")
    parser.add_argument("--show", action="store_true", help="each cell that differs")
    asked = parser.parse_args()
    with TemporaryDirectory() as place:
        tree = tree_of_revision(asked.revision, Path(place) / "tree", REPOSITORY)
        for kind in [asked.only] if asked.only else KINDS:
            for book in asked.book:
                with program_at(tree) as program:
                    found = count(book, kind, program, asked.every, show=asked.show)
                print(f"{kind} {book}: " + "\n".join(found.lines()), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
