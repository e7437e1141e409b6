"""The draw of seats: from a seed to seats, the same for everybody who does it again.

1. A secret of 32 bytes is made, and its SHA-256 is published: the commitment.
2. The list: a line `entry TAB person` for each entry that is drawn, ascending by entry, each with a line feed, UTF-8.
3. The seed is the SHA-256 of the secret followed by the list. The secret is published with the draw.
4. Chance: the SHA-256 of the seed followed by a counter of eight bytes (big-endian, from 0) gives one number after the
   other; a number that would favour some outcomes is skipped (the largest multiple of `below` is the bound).
5. The entries are shuffled (Fisher–Yates, from the last place down), then dealt to the tables in their order, round
   after round, each to a table with a free seat; a table's free seats, ascending, are shuffled table by table after
   that, and given in the order of the shuffled list.
6. Associates: in the order of the shuffled list, an entry that has an associate at its table changes tables with the
   first later entry, else the first earlier one, at another table, so that neither then sits with an associate. Where
   there is none it stays.
7. Where there is one table, and the book keeps associates apart at it (The Star 7.6): in the order of the shuffled
   list, an entry that has an associate beside it changes seats with the first later entry, else the first earlier
   one, so that neither then sits beside an associate. Where there is none it stays. Beside an entry are the next taken
   seats on both sides, whatever seats are free between.

Further draws (who comes late, a broken table, a redraw) have a secret each. The secrets are a chain: each is the
SHA-256 of the one after it, so one commitment binds them all, and each that is told shows that it was committed to.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeVar

_ItemT = TypeVar("_ItemT")
_WHOLE: Final = 1 << 256


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A seat at a table."""

    table: str
    seat: int


def commitment_of(secret: bytes) -> str:
    """Return what is published before the draw."""
    return sha256(secret).hexdigest()


def secrets_of(root: bytes, draws: int) -> list[bytes]:
    """Return the secrets of so many draws, in their order: each is the SHA-256 of the next, and the last is `root`.

    What is committed to is `commitment_of` the first one.
    """
    secrets = [root]
    while len(secrets) < draws:
        secrets.append(sha256(secrets[-1]).digest())
    return secrets[::-1]


def list_of(persons: Mapping[int, str]) -> bytes:
    """Return the list of entries (number → person) that the seed is bound to."""
    return "".join(f"{entry}\t{persons[entry]}\n" for entry in sorted(persons)).encode()


def seed_of(secret: bytes, persons: Mapping[int, str]) -> bytes:
    """Return the seed of a draw of these entries."""
    return sha256(secret + list_of(persons)).digest()


class Chance:
    """Numbers that follow from a seed."""

    def __init__(self, seed: bytes) -> None:
        self._numbers: Final = self._stream(seed)

    @staticmethod
    def _stream(seed: bytes) -> Iterator[int]:
        counter = 0
        while True:
            yield int.from_bytes(sha256(seed + counter.to_bytes(8, "big")).digest(), "big")
            counter += 1

    def below(self, bound: int) -> int:
        """The next number from 0 up to `bound`, which is not reached; each as likely as the others."""
        fair = _WHOLE - _WHOLE % bound
        return next(number for number in self._numbers if number < fair) % bound

    def shuffled(self, items: Sequence[_ItemT]) -> list[_ItemT]:
        """The items in another order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


def drawn(
    seed: bytes,
    entries: Sequence[int],
    free: Mapping[str, Sequence[int]],
    associates: Mapping[int, frozenset[int]],
    *,
    not_beside: bool = False,
) -> dict[int, Place]:
    """Return each entry's place.

    `entries`: ascending. `free`: the free seats of each table, in the tables' order. `associates`: of an entry, those
    that shall sit elsewhere; `not_beside`: at one table, not beside it. Raises ValueError where there are more
    entries than seats.
    """
    if len(entries) > sum(len(seats) for seats in free.values()):
        raise ValueError(f"{len(entries)} entries, and {sum(map(len, free.values()))} seats")
    chance = Chance(seed)
    order = chance.shuffled(entries)
    tables = _apart(order, _dealt(order, free), associates)
    seats = {table: chance.shuffled(sorted(those)) for table, those in free.items()}
    places = {entry: Place(table, seats[table].pop(0)) for entry, table in zip(order, tables, strict=True)}
    return _not_beside(order, places, associates) if not_beside and len(free) == 1 else places


def _dealt(order: Sequence[int], free: Mapping[str, Sequence[int]]) -> list[str]:
    """The table of each entry of the order."""
    left = {table: len(seats) for table, seats in free.items()}
    tables: list[str] = []
    while len(tables) < len(order):
        for table in left:
            if left[table] and len(tables) < len(order):
                left[table] -= 1
                tables.append(table)
    return tables


def _apart(order: Sequence[int], tables: list[str], associates: Mapping[int, frozenset[int]]) -> list[str]:
    for index in range(len(order)):
        if not _meets(index, order, tables, associates):
            continue
        for other in (*range(index + 1, len(order)), *range(index)):
            if tables[other] == tables[index]:
                continue
            tables[index], tables[other] = tables[other], tables[index]
            if not _meets(index, order, tables, associates) and not _meets(other, order, tables, associates):
                break
            tables[index], tables[other] = tables[other], tables[index]
    return tables


def _meets(index: int, order: Sequence[int], tables: Sequence[str], associates: Mapping[int, frozenset[int]]) -> bool:
    """Whether an associate of an entry sits at its table."""
    others = associates.get(order[index])
    if not others:
        return False
    return any(order[other] in others and tables[other] == tables[index] for other in range(len(order)))


def _not_beside(
    order: Sequence[int], places: dict[int, Place], associates: Mapping[int, frozenset[int]]
) -> dict[int, Place]:
    """The places at one table with as few entries beside an associate as changing two at a time comes to."""
    ring = sorted(place.seat for place in places.values())
    for index, entry in enumerate(order):
        if not _touches(entry, places, ring, associates):
            continue
        for other in (*order[index + 1 :], *order[:index]):
            swapped = {**places, entry: places[other], other: places[entry]}
            if not any(_touches(one, swapped, ring, associates) for one in (entry, other)):
                places = swapped
                break
    return places


def _touches(
    entry: int, places: Mapping[int, Place], ring: Sequence[int], associates: Mapping[int, frozenset[int]]
) -> bool:
    """Whether an associate sits beside an entry, at the next taken seat of either side."""
    others = associates.get(entry)
    if not others:
        return False
    at = ring.index(places[entry].seat)
    beside = {ring[at - 1], ring[(at + 1) % len(ring)]}
    return any(other in places and places[other].seat in beside for other in others)
