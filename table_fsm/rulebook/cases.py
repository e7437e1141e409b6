"""Every case of an irregularity, and the row that answers it.

A case is the tuple of an irregularity's facts, in the order in which the vocabulary names them. The loader uses the
cases to drop overridden rows, the checker to find gaps and dead rows, the book to rule, the printer to say when a row
holds.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import TypeAlias

from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Row

Case: TypeAlias = tuple[str, ...]


@cache
def cases_of(irregularity: Irregularity) -> tuple[Case, ...]:
    """All combinations of an irregularity's facts; the one empty case where it has none."""
    return tuple(product(*irregularity.facts.values()))


def takes(row: Row, irregularity: Irregularity, facts: Mapping[str, str]) -> bool:
    """Whether a row answers the irregularity with these facts.

    A fact that is not given meets no condition.
    """
    if row.irregularity not in (irregularity, ANY_IRREGULARITY):
        return False
    return all(facts.get(fact) in values for fact, values in row.when.items())


def first_rows(rows: Sequence[Row]) -> dict[Irregularity, dict[Case, int]]:
    """The position of the first row that takes each case, by irregularity.

    Rows that name the irregularity come first, at any position; the row `*` takes the remaining cases. A case without a
    row is left out.
    """
    named: dict[str, list[int]] = {}
    for position, row in enumerate(rows):
        named.setdefault(row.irregularity, []).append(position)
    wild = named.get(ANY_IRREGULARITY, [])
    return {
        irregularity: _takers(rows, irregularity, named.get(irregularity, []) + wild) for irregularity in Irregularity
    }


def _takers(rows: Sequence[Row], irregularity: Irregularity, candidates: Sequence[int]) -> dict[Case, int]:
    place = {fact: at for at, fact in enumerate(irregularity.facts)}
    conditions = [
        (position, [(place[fact], values) for fact, values in rows[position].when.items()])
        for position in candidates
        if rows[position].when.keys() <= place.keys()  # a condition on a fact that is never given is never met
    ]
    takers: dict[Case, int] = {}
    for case in cases_of(irregularity):
        for position, when in conditions:
            if not when or all(case[at] in values for at, values in when):
                takers[case] = position
                break
    return takers


def reached(rows: Sequence[Row]) -> set[int]:
    """The positions of the rows that take at least one case."""
    return {position for takers in first_rows(rows).values() for position in takers.values()}


def without_overridden(layers: Iterable[tuple[str, Sequence[Row]]]) -> list[tuple[str, int, Row]]:
    """The rows of a book and of its bases, nearest first, without overridden rows.

    Each is (book's id, position in its own file, row). A row of a base that the rows above it fully cover is overridden
    and left out; the first layer's own rows all stay, so that a dead one is found. The rows `*` come last, for the
    remaining cases.
    """
    everything = [(book, at, row, depth) for depth, (book, rows) in enumerate(layers) for at, row in enumerate(rows)]
    everything.sort(key=lambda entry: entry[2].irregularity == ANY_IRREGULARITY)  # stable
    live = reached([row for _, _, row, _ in everything])
    return [
        (book, at, row) for position, (book, at, row, depth) in enumerate(everything) if depth == 0 or position in live
    ]
