"""Which level is in force after so much play, what comes next, and which chips are then to be raced off.

A level counts from the next deal on; when a deal begins is the book's to say (The Star 7.20: with the cut). So the
table asks for the level when a deal begins, by its book, and keeps the answer until the next one begins.

Time is play: breaks are not part of it (ACT 2001, 3.6 of each appendix: the timing "shall not include any breaks").
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from math import isfinite
from typing import Final

from table_fsm.errors import Refused
from table_fsm.structures.structure import Level, Structure

_MOST_DOUBLINGS: Final = 500
"""A week of them. Levels count on after that, amounts stay: numbers that no table plays must not fill the memory."""


@dataclass(frozen=True, slots=True)
class LevelNow:
    """What is in force for a deal that begins now."""

    level: Level
    """In a break: the level after it, which the next deal is played at."""
    left_seconds: float
    """Of play, until the next level. 0 once a schedule without doubling has run out; its last level stays."""
    next: Level | None
    in_break: bool
    break_left_seconds: float | None
    """None outside breaks, and in a break during which the clock stands."""
    elapsed_seconds: float
    """Of play."""


def level_at(structure: Structure, elapsed_seconds: float, *, running_for: float | None = None) -> LevelNow:
    """The level in force after `elapsed_seconds` of play: at 40 minutes, of 0-40 and 40-80, the second.

    The clock stands there; where that is the end of a level with a scheduled break after it, it is the break. Or it was
    set there, going, `running_for` seconds ago: then the breaks that it met since then have taken their time, which is
    no play, and a break due at the very place where it was set is over. Raises Refused: a time below 0 or without end.
    """
    for name, seconds in (("elapsed", elapsed_seconds), ("running_for", running_for or 0.0)):
        if not (isfinite(seconds) and seconds >= 0):
            raise Refused(f"{name}: {seconds} is no length of play; give seconds, 0 or more")
    if running_for is None:
        in_break = any(elapsed_seconds == end for end, _ in _scheduled_breaks(structure))
        return _now(structure, elapsed_seconds, in_break, None)
    elapsed, break_left = _run_on(structure, elapsed_seconds, running_for)
    return _now(structure, elapsed, break_left is not None, break_left)


def level_numbered(structure: Structure, number: int) -> Level:
    """The level with this number; after the schedule, the last one doubled as often as it is beyond it.

    ACT 2001, 3.4 of each appendix: "Then doubling every 30 minutes thereafter". The ante of a level doubles with its
    blinds. Raises ValueError where the structure has no such level.
    """
    beyond = number - len(structure.levels)
    if number < 1 or (beyond > 0 and structure.doubling_minutes is None):
        raise ValueError(f"{structure.id} has no level {number}; it has 1 to {len(structure.levels)}")
    if beyond <= 0 or structure.doubling_minutes is None:
        return structure.levels[number - 1]
    last, times = structure.levels[-1], min(beyond, _MOST_DOUBLINGS)
    return replace(
        last,
        number=number,
        blinds=tuple(blind << times for blind in last.blinds),
        ante=None if last.ante is None else last.ante << times,
        seconds=structure.doubling_minutes * 60.0,
        race_off=None,
        break_after=None,
    )


def race_offs_due(structure: Structure, played: int, now: int) -> tuple[int, ...]:
    """The chips to be raced off, by value, before level `now` is dealt, where `played` was the last level dealt.

    In the schedule's order; usually one or none, more where levels went by without a deal.
    """
    due = (level.race_off for level in structure.levels if played <= level.number < now)
    return tuple(chip for chip in due if chip is not None)


@dataclass(frozen=True, slots=True)
class BreakAhead:
    """The next break of the schedule."""

    after_level: int
    in_seconds: float
    """Of play, until it begins."""
    seconds: float
    """How long it is."""


def break_ahead(structure: Structure, elapsed_seconds: float) -> BreakAhead | None:
    """The next break after so much play; one that begins just there is not ahead any more. None: no more to come."""
    for level, end in zip(structure.levels, _ends(structure), strict=True):
        if level.break_after is not None and end > elapsed_seconds:
            return BreakAhead(level.number, end - elapsed_seconds, level.break_after)
    return None


def _now(structure: Structure, elapsed: float, in_break: bool, break_left: float | None) -> LevelNow:
    number, left = _place(structure, elapsed)
    more = number < len(structure.levels) or structure.doubling_minutes is not None
    following = level_numbered(structure, number + 1) if more else None
    return LevelNow(level_numbered(structure, number), left, following, in_break, break_left, elapsed)


def _place(structure: Structure, elapsed: float) -> tuple[int, float]:
    """The number of the level, and the seconds of play left of it."""
    ends = _ends(structure)
    for number, end in enumerate(ends, 1):
        if elapsed < end:
            return number, end - elapsed
    if structure.doubling_minutes is None:
        return len(ends), 0.0
    each = structure.doubling_minutes * 60.0
    doublings, into = divmod(elapsed - ends[-1], each)
    return len(ends) + 1 + int(doublings), each - into


def _run_on(structure: Structure, elapsed: float, seconds: float) -> tuple[float, float | None]:
    """Play after a running clock went on for so many seconds, and what is left of the break it is in, if it is."""
    for end, pause in _scheduled_breaks(structure):
        if end <= elapsed:
            continue
        if seconds < end - elapsed:
            break
        seconds -= end - elapsed
        elapsed = end
        if seconds < pause:
            return elapsed, pause - seconds
        seconds -= pause
    return elapsed + seconds, None


def _scheduled_breaks(structure: Structure) -> Iterator[tuple[float, float]]:
    """Each break: the seconds of play before it, and its own length."""
    for level, end in zip(structure.levels, _ends(structure), strict=True):
        if level.break_after is not None:
            yield end, level.break_after


def _ends(structure: Structure) -> list[float]:
    return list(accumulate(level.seconds for level in structure.levels))
