"""What a table tells of its part in a tournament, value by value: who is out, whose entry, what it carries, races."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WentOutAt:
    """A player who is out.

    `put_in`: the whole stack, as it went into the pots by the table's bets. `stack`: as counted since the round before,
    else the same. None where the table does not know it.
    """

    seat: int
    stack: int | None = None
    put_in: int | None = None
    entry: int | None = None
    """Of the seat in that round, as the table was told; None where it was not."""


@dataclass(frozen=True, slots=True)
class EntryAt:
    """What a table was told of a seat's entry."""

    entry: int
    nth: int = 1
    cents: int | None = None
    rebuys: int = 0
    add_ons: int = 0


@dataclass(frozen=True, slots=True)
class ConductAt:
    """What a seat's player carries, as the table has it. `left`: of a penalty, in what its book counts.

    `order`, `imposed`: as the floor last told it. `banks`: None where the player has used none.
    """

    order: int = 0
    imposed: int = 0
    left: int = 0
    banks: int | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class PenaltyAt:
    """What was left of a penalty once a table had counted, or imposed it.

    `order`, `imposed`: as the floor had told it by then. `since`: when the hand began for which it was counted, by the
    table's clock; between two hands, when it was said.
    """

    entry: int
    since: float
    left: int
    order: int
    imposed: int


@dataclass(frozen=True, slots=True)
class PlaceAt:
    """The place of an entry as a table has it. `final`: as the floor told it."""

    entry: int
    first: int
    last: int
    final: bool


@dataclass(frozen=True, slots=True)
class RaceDone:
    """A chip race that a table has decided. `ended`: its entry in the record; `wall`: when, by the table's clock.

    `odd`: chips by seat, `last`: seats that had nothing else, `won`: new chips by seat; `removed`: cents that left.
    `out`: seats that had nothing else and won nothing, with the entry that the table was told of each; who had the
    fewest odd chips first.
    """

    ended: int
    wall: float
    chip: int
    new_chip: int
    odd: Mapping[str, int]
    last: tuple[int, ...]
    won: Mapping[str, int]
    removed: int
    out: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class HandEnded:
    """A round that ended. `began`, `ended`: its entries in the record; `wall`: of its end, by the table's clock.

    `big`, `small`: the seats of its blinds, None where the table does not know them. `again`: hand for hand, it was a
    misdeal or void, and its hand is dealt again.
    """

    began: int
    ended: int
    wall: float
    big: int | None = None
    small: int | None = None
    out: tuple[WentOutAt, ...] = ()
    again: bool = False
