"""Moments that timers of one loop have in common, so that fewer of them wake a table at which nothing happens."""

import math
from typing import Final

from firmware_bridge.limits import PING_TOGETHER

_EARLY: Final = 0.01
"""Part of the time between two common moments by which a timer may come early: without it one would miss its own."""


def last_moment(now: float) -> float:
    """The last common moment by the loop's clock, a multiple of `PING_TOGETHER` seconds."""
    return math.floor(now / PING_TOGETHER + _EARLY) * PING_TOGETHER
