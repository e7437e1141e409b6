"""`Tournament.apply` for each event of a whole tournament, by its size: what an event costs among more entries."""

from collections.abc import Sequence
from itertools import chain
from math import ceil
from typing import Final

from tests.bench.report import Row, Spread, micro
from tests.floor_fsm.simulation import Whole

LAW: Final = "onyx"
"""The book with the most to look at after each hand: who moves, and which table waits."""
SEATS: Final = 10
GOAL: Final = 1000.0
"""Microseconds of a processor, an event on average: five hundred tables tell of some ten a second."""
_RARELY: Final = 4000
"""Events between two looks at the invariants: they are no part of what is measured."""


def measure(entries: Sequence[int]) -> list[Row]:
    """A line for each size: all its events, and those that tables tell oftenest."""
    return [_row(number) for number in entries]


def _row(entries: int) -> Row:
    tables = max(2, ceil(entries / SEATS))
    whole = Whole(LAW, entries, tables, seed=1, every=_RARELY, seats=SEATS)
    whole.play()
    taken = whole.costs.by_event
    every = Spread.of([cost / 1000 for cost in chain.from_iterable(taken.values())])
    hands = Spread.of([cost / 1000 for cost in taken["hand.over"]])
    return Row(
        f"Tournament.apply, {entries} entries at {tables} tables, {every.count} events",
        f"mean {micro(every.mean)}, p99 {micro(every.p99)}; of hand.over p50 {micro(hands.p50)}",
        ratio=every.mean / GOAL,
        goal=f"mean {micro(GOAL)}",
        reached=every.mean < GOAL,
    )
