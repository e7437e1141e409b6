"""How much there was at all tables that a person sees, by table and by part of a time."""

from dataclasses import dataclass
from typing import Final

from feltd.door.wire.calls import Call

PARTS_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class PitTrend:
    """What is asked in a person's name: `parts` times of `seconds` each, one after the other from `since` (1970) on."""

    account: str
    since: float
    seconds: float
    parts: int


@dataclass(frozen=True, slots=True)
class PitAmount:
    """How much there was at a table in all, or within one part at all of them.

    `table`: None for a part; `part`: its number from 0, None for a table. `rounds`: that ended; `devices`: alarms about
    a device.
    """

    table: str | None
    part: int | None
    rounds: int
    misdeals: int
    rulings: int
    alarms: int
    devices: int


@dataclass(frozen=True, slots=True)
class PitAmounts:
    """Tables and parts with something; what is not there had nothing."""

    amounts: tuple[PitAmount, ...]


TRENDS: Final[Call[PitTrend, PitAmounts]] = Call("trends", PitTrend, PitAmounts)
