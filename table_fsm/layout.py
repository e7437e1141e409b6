"""The places on the felt, by the names that events use."""

from types import MappingProxyType
from typing import Final

SEAT_COUNT: Final = 10
SEATS: Final = tuple(range(1, SEAT_COUNT + 1))
BOARD: Final = tuple(f"board:{n}" for n in range(1, 6))
BOARD2: Final = tuple(f"board2:{n}" for n in range(1, 6))
RACES: Final = tuple(f"race:{n}" for n in SEATS)
SEAT_ZONE: Final = MappingProxyType({n: f"seat:{n}" for n in SEATS})
SEAT_OF: Final = MappingProxyType({f"seat:{n}": n for n in SEATS})
"""Seat number by zone name."""
BOARD_ZONES: Final = frozenset(BOARD + BOARD2)
ZONES: Final = frozenset((*SEAT_OF, *BOARD, *BOARD2, *RACES, "dealer", "burn", "muck", "shoe"))
"""Every zone there is."""


def clockwise(seats: list[int], after: int) -> list[int]:
    """The seats in dealing order: first the one clockwise from `after`, last `after` itself if it is among them."""
    ordered = sorted(seats)
    return [s for s in ordered if s > after] + [s for s in ordered if s <= after]
