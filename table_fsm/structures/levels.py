"""The level in force after a time of play, the next one, and chips to be raced off then.

A level counts from the next deal on; the book says when a deal begins (The Star 7.20: with the cut). So the table asks
for the level when a deal begins, by its book, and keeps the answer until the next one begins.

Time is play: breaks are not part of it (ACT 2001, 3.6 of each appendix: the timing "shall not include any breaks").
"""

from bisect import bisect_right
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

from table_fsm.errors import Refused
from table_fsm.structures.structure import Level, Structure

_MOST_DOUBLINGS: Final = 500
"""The most doublings, a week of them. Later levels keep counting with the same amounts, so that huge numbers do not
fill the memory."""


@dataclass(frozen=True, slots=True)
class LevelNow:
    """The level for a deal that begins now."""

    level: Level
    """The level; in a break the one after it, at which the next deal is played."""
    left_seconds: float
    """Seconds of play until the next level. 0 once a schedule without doubling has run out; its last level stays."""
    next: Level | None
    in_break: bool
    break_left_seconds: float | None
    """Seconds left of the break; None outside breaks, and in a break while the clock is paused."""
    elapsed_seconds: float
    """Of play."""


def level_at(structure: Structure, elapsed_seconds: float, *, running_for: float | None = None) -> LevelNow:
    """The level after `elapsed_seconds` of play: at 40 minutes, of 0-40 and 40-80, the second.

    The clock is paused there; where that is the end of a level with a scheduled break after it, it is the break.
    `running_for`: the clock was set there this many seconds ago and has run since. The breaks that it met since then
    have taken their time, which is no play, and a break due exactly where it was set is over. Raises Refused for a time
    below 0 or infinite.
    """
    for name, seconds in (("elapsed", elapsed_seconds), ("running_for", running_for or 0.0)):
        if not (isfinite(seconds) and seconds >= 0):
            raise Refused(f"{name}: {seconds} is no length of play; give seconds, 0 or more")
    if running_for is None:
        in_break = any(elapsed_seconds == end for end, _ in structure.breaks_at)
        return _now(structure, elapsed_seconds, in_break, None)
    elapsed, break_left = _run_on(structure, elapsed_seconds, running_for)
    return _now(structure, elapsed, break_left is not None, break_left)


def level_numbered(structure: Structure, number: int) -> Level:
    """The level with this number.

    After the schedule it is the last level, doubled once for each level beyond it: ACT 2001, 3.4 of each appendix:
    "Then doubling every 30 minutes thereafter". The ante of a level doubles with its blinds. Raises ValueError where
    the structure has no such level.
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
    """Values of the chips to be raced off before level `now` is dealt.

    `played`: the last level dealt. In the schedule's order; usually one or none, more where levels went by without a
    deal.
    """
    due = (level.race_off for level in structure.levels if played <= level.number < now)
    return tuple(chip for chip in due if chip is not None)


@dataclass(frozen=True, slots=True)
class BreakAhead:
    """The next break of the schedule."""

    after_level: int
    in_seconds: float
    """Seconds of play until it begins."""
    seconds: float
    """Length of the break in seconds."""


@dataclass(frozen=True, slots=True)
class LevelsBeside:
    """Seconds of play at which the levels before and after one begin; None where there is none."""

    before: float | None
    after: float | None


def levels_beside(structure: Structure, elapsed_seconds: float) -> LevelsBeside:
    """The levels before and after the one that is played after `elapsed_seconds` of play."""
    number, _ = _place(structure, elapsed_seconds)
    more = number < len(structure.levels) or structure.doubling_minutes is not None
    before = _begins(structure, number - 1) if number > 1 else None
    return LevelsBeside(before, _begins(structure, number + 1) if more else None)


def break_ahead(structure: Structure, elapsed_seconds: float) -> BreakAhead | None:
    """The next break after `elapsed_seconds` of play; None if no break is to come.

    A break that begins exactly then is not a next one any more.
    """
    for level, end in zip(structure.levels, structure.level_ends, strict=True):
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
    ends = structure.level_ends
    over = bisect_right(ends, elapsed)
    if over < len(ends):
        return over + 1, ends[over] - elapsed
    if structure.doubling_minutes is None:
        return len(ends), 0.0
    each = structure.doubling_minutes * 60.0
    doublings, into = divmod(elapsed - ends[-1], each)
    return len(ends) + 1 + int(doublings), each - into


def _run_on(structure: Structure, elapsed: float, seconds: float) -> tuple[float, float | None]:
    """Seconds of play after a running clock went on for `seconds`.

    With the seconds left of the break in progress, if there is one.
    """
    for end, pause in structure.breaks_at:
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


def _begins(structure: Structure, number: int) -> float:
    """Seconds of play at which the level with this number begins."""
    begins = [0.0, *structure.level_ends]
    beyond = max(0, number - len(begins))
    return begins[number - beyond - 1] + beyond * (structure.doubling_minutes or 0) * 60.0
