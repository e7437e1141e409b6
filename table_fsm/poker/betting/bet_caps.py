"""Bets capped by a ruling, for one betting round (ACT 2001, A 4.2 and 4.3). Amounts are integer cents.

A cap is on the bet that the others must meet: once that stands at the cap, nobody raises. Calls are always good.
"""

from enum import Enum


class BetCap(Enum):
    """Up to what a player may bring the bet."""

    LARGEST = "largest"
    """The largest bet already made, which is the one to meet; none yet: nobody bets."""
    MINIMUM = "minimum"
    """The table minimum."""


def highest(cap: BetCap, level: int | None, *, bet_made: bool, least: int | None) -> int | None:
    """Up to what the bet may be brought, in cents; None where that cannot be told.

    `level`: the bet to meet, None where it is not known; `least`: the table minimum.
    """
    if cap is BetCap.LARGEST:
        return level
    if least is None:
        return level if bet_made else None  # a bet that stands is no less than the minimum
    return least if level is None else max(level, least)
