"""What is left out where more waits for a receiver than it is told: each table has a share, and loses its own oldest.

A table that tells without end therefore pushes out its own things, and no other table's.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final, Protocol

from feltd.floor.facts import FactKind, Told

_PAGE: Final = 1000


class Read(Protocol):
    """What waits."""

    async def news(self, after: int, most: int) -> list[Told]:
        """Those behind number `after`, in order."""


async def waiting_behind(facts: Read, after: int, to: int, kinds: Collection[FactKind]) -> Counter[str]:
    """How many things of these kinds each table has behind number `after`, up to `to`."""
    counts: Counter[str] = Counter()
    while found := [told for told in await facts.news(after, _PAGE) if told.number <= to]:
        counts.update(told.table for told in found if told.fact.kind in kinds)
        after = found[-1].number
    return counts


def left_out(counts: Mapping[str, int], most: int) -> Counter[str]:
    """How many of its oldest things each table loses, so that `most` are left.

    Nobody loses one whose share has room.
    """
    lost: Counter[str] = Counter()
    room = most
    for place, (table, count) in enumerate(sorted(counts.items(), key=lambda one: one[1])):
        kept = min(count, room // (len(counts) - place))
        room -= kept
        if count > kept:
            lost[table] = count - kept
    return lost
