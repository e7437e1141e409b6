"""A tournament's clock as the desk and the players' screen show it."""

from typing import Any

from floor_fsm.play.clock import Clock
from table_fsm.structures.structure import Level


def clock_as_json(clock: Clock | None, t: float) -> dict[str, Any] | None:
    """The clock at second `t`; None while there is no schedule. Seconds of play, amounts in chips."""
    if clock is None:
        return None
    now, told = clock.reading(t), clock.told(t)
    changes_at = clock.changes_at(t)
    return {
        "running": clock.running,
        "counts": told.running,
        "elapsed": now.elapsed_seconds,
        "level": _level(now.level),
        "left": now.left_seconds,
        "next": None if now.next is None else _level(now.next),
        "in_break": now.in_break,
        "break_left": now.break_left_seconds,
        "changes_in": None if changes_at is None else max(0.0, changes_at - t),
        "action_clock": clock.action_clock,
        "hand_for_hand": clock.hands is not None,
        "levels": [{**_level(one), "seconds": one.seconds, "break_after": one.break_after}
                   for one in clock.structure.levels],
    }  # fmt: skip


def _level(level: Level) -> dict[str, Any]:
    return {
        "level": level.number,
        "blinds": list(level.blinds),
        "ante": level.ante,
        "big_blind_ante": level.big_blind_ante,
        "race_off": level.race_off,
    }
