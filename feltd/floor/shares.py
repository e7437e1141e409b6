"""What is left out where more waits for a receiver than it is told: each table has a share, and loses its own oldest.

A table that tells without end therefore pushes out its own things, and no other table's. Of its own things each sort
has a part of the share: by alarms it pushes out none of its decisions, as far as they have room in their part.
Custody's alarms come before all others of their table.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeVar

from feltd.floor.facts import FactKind, Told

_PAGE: Final = 1000
_Name = TypeVar("_Name")


class Sort(StrEnum):
    """What of a table counts together, in words."""

    RULINGS = "rulings and alarms"
    DECISIONS = "decisions"
    REFUSALS = "refusals"
    CUSTODY = "custody's alarms"


SORTS: Final[Mapping[FactKind, Sort]] = {
    FactKind.RULING: Sort.RULINGS,
    FactKind.ALARM: Sort.RULINGS,
    FactKind.DECISION: Sort.DECISIONS,
    FactKind.REFUSED: Sort.REFUSALS,
    FactKind.CUSTODY: Sort.CUSTODY,
}
"""The sort of each kind that is told outside. The table alone says all but custody's."""
Whose = tuple[str, Sort]
"""A table, and a sort of its things."""


class Read(Protocol):
    """What waits."""

    async def news(self, after: int, most: int) -> list[Told]:
        """Those behind number `after`, in order."""


@dataclass(slots=True)
class Ahead:
    """How many things of one sort of one table wait, and when its newest was, as the table says."""

    count: int = 0
    newest: float = 0.0


async def ahead_of(facts: Read, after: int, to: int) -> dict[Whose, Ahead]:
    """What each table has of each sort behind number `after`, up to `to`."""
    found: dict[Whose, Ahead] = {}
    while page := [told for told in await facts.news(after, _PAGE) if told.number <= to]:
        for told in page:
            if told.fact.kind in SORTS:
                ahead = found.setdefault((told.table, SORTS[told.fact.kind]), Ahead())
                ahead.count, ahead.newest = ahead.count + 1, told.fact.wall
        after = page[-1].number
    return found


def left_out(counts: Mapping[Whose, int], most: int) -> Counter[Whose]:
    """How many of its oldest things of each sort each table loses, so that `most` are left.

    No table loses one whose share has room, and no sort one whose part of it has. Custody's are lost once none of its
    table's others is left.
    """
    tables: dict[str, Counter[Sort]] = {}
    for (table, sort), count in counts.items():
        tables.setdefault(table, Counter())[sort] += count
    shares = _kept({table: sorts.total() for table, sorts in tables.items()}, most)
    lost: Counter[Whose] = Counter()
    for table, sorts in tables.items():
        custody = min(sorts[Sort.CUSTODY], shares[table])
        others = {sort: count for sort, count in sorts.items() if sort is not Sort.CUSTODY}
        kept = _kept(others, shares[table] - custody) | {Sort.CUSTODY: custody}
        lost.update({(table, sort): count - kept[sort] for sort, count in sorts.items() if count > kept[sort]})
    return lost


def _kept(counts: Mapping[_Name, int], most: int) -> dict[_Name, int]:
    """How many of each are kept: as many of each, but none more than there are."""
    kept: dict[_Name, int] = {}
    for place, (name, count) in enumerate(sorted(counts.items(), key=lambda one: one[1])):
        kept[name] = min(count, most // (len(counts) - place))
        most -= kept[name]
    return kept
