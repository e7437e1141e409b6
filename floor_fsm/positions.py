"""Positions at a table: who has the big blind next, and which free seat is the worst. Seats are 1 to 11, clockwise."""

from collections.abc import Iterable
from typing import Final

_ROUND: Final = 12
"""More than the seats of any table: distances are counted on a ring of so many."""


def clockwise(seats: Iterable[int], start: int) -> list[int]:
    """The seats in the order in which the big blind reaches them once it has been at `start`, which comes last."""
    return sorted(seats, key=lambda seat: (seat - start - 1) % _ROUND)


def hands_to_big_blind(seat: int, players: Iterable[int], big_blind: int) -> int:
    """Hands until a seat has the big blind, which was at `big_blind` last; 0: the next hand. `players`: their seats."""
    return clockwise({*players, seat}, big_blind).index(seat)


def is_between(seat: int, players: Iterable[int], small_blind: int | None, big_blind: int) -> bool:
    """Whether a seat lies between the button and the small blind in the next hand.

    `small_blind`, `big_blind`: of the last hand, where the button and the small blind are next; None: not known. Of two
    players the one has both the button and a blind: a third is never between.
    """
    if small_blind is None or clockwise(players, big_blind)[0] == small_blind:
        return False
    return 0 < (seat - small_blind) % _ROUND < (big_blind - small_blind) % _ROUND
