"""A blind structure: its levels, and the rules of entry to a tournament played on it."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import accumulate


class ReEntry(Enum):
    """The number of times that a player who is out may enter again."""

    NONE = "none"
    SINGLE = "single"
    UNLIMITED = "unlimited"


class Breaks(Enum):
    """The source of the breaks: the schedule, or the director as the tournament goes."""

    SCHEDULED = "scheduled"
    DIRECTOR = "director"


@dataclass(frozen=True, slots=True)
class Level:
    """One row of the schedule."""

    number: int
    """From 1 on. After the schedule doubling counts on: 14, 15, …"""
    blinds: tuple[int, ...]
    """From the buck or the small blind on; empty where the game is played on antes alone."""
    ante: int | None
    big_blind_ante: bool
    """True: the big blind posts `ante` for all. False: each player posts it."""
    seconds: float
    """Of play."""
    race_off: int | None
    """The chip, by its value, that is raced off after this level."""
    break_after: float | None
    """Seconds of the break after this level."""
    clause: str


@dataclass(frozen=True, slots=True)
class Rebuys:
    """Chips for cash while the tournament runs."""

    last_level: int
    """The period ends with this level."""
    stake_below: int
    """Only for a player whose table stake is less."""
    top_up: bool
    """Whether there is a last one at the end of the period."""
    clause: str


@dataclass(frozen=True, slots=True)
class SeatLimits:
    """Numbers of players of the tournament and of a table.

    None where the source leaves it to the director.
    """

    least_players: int
    most_players: int
    per_table: int | None
    clause: str


@dataclass(frozen=True, slots=True)
class ActionClock:
    """Time to act, in seconds, and the time banks that each player begins with."""

    seconds: int
    time_banks: int
    time_bank_seconds: int
    clause: str


@dataclass(frozen=True)  # without slots: what is computed once of its levels is kept beside its fields
class Structure:
    """A blind structure. The option `structure` of `table.open` names it by its id."""

    id: str
    title: str
    source: str
    levels: tuple[Level, ...]
    """Never empty, numbered from 1."""
    doubling_minutes: int | None
    """After the last level blinds and antes double every so many minutes; None: the last level stays."""
    breaks: Breaks
    starting_stack: int | None
    """None: as announced."""
    re_entry: ReEntry
    entry_closes_level: int | None
    """Entry closes at the start of this level. None: at the start of the tournament."""
    rebuys: Rebuys | None
    seats: SeatLimits
    action_clock: ActionClock | None
    points: bool = False
    """Whether the tournament counts points: amounts are then points, not cents."""

    @cached_property
    def level_ends(self) -> tuple[float, ...]:
        """Seconds of play at which each level ends. The clock asks for them in each round."""
        return tuple(accumulate([level.seconds for level in self.levels]))

    @cached_property
    def breaks_at(self) -> tuple[tuple[float, float], ...]:
        """Each break of the schedule: the seconds of play before it, and its own length in seconds."""
        pauses = zip(self.level_ends, [level.break_after for level in self.levels], strict=True)
        return tuple((end, pause) for end, pause in pauses if pause is not None)

    def entry_open(self, level: int) -> bool:
        """Whether somebody may still enter, or re-enter, while the level with this number is played."""
        return self.entry_closes_level is not None and level < self.entry_closes_level

    def rebuy_open(self, level: int, stake: int) -> bool:
        """Whether a player may rebuy with this table stake, in cents, during level `level`."""
        return self.rebuys is not None and level <= self.rebuys.last_level and stake < self.rebuys.stake_below
