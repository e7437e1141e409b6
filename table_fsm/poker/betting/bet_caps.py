"""Caps on bets by a ruling, for one betting round (ACT 2001, A 4.2 and 4.3).

Amounts are integer cents. A cap is on the bet that the others must meet: once that bet is at the cap, nobody may raise.
Calls are always valid.
"""

from enum import Enum


class BetCap(Enum):
    """The cap on a bet."""

    LARGEST = "largest"
    """The largest bet already made, which is the one to meet; before the first bet nobody may bet."""
    MINIMUM = "minimum"
    """The table minimum."""


def highest(cap: BetCap, level: int | None, *, bet_made: bool, least: int | None) -> int | None:
    """The highest bet allowed, in cents; None where it is not known.

    `level`: the bet to meet, None where it is not known; `least`: the table minimum.
    """
    if cap is BetCap.LARGEST:
        return level
    if least is None:
        return level if bet_made else None  # a bet already made is no less than the minimum
    return least if level is None else max(level, least)
