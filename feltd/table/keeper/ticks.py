"""When the table must be told that time passes: only while something can fall due, so that an idle one writes nothing.

Every tick is in the record, like every other event: a replay needs it.
"""

from typing import Any, Final

from table_fsm.events import TableOpen
from table_fsm.play.rounds.clocks import ESCALATE_SECONDS
from table_fsm.rulebook import OptionError, Rulebook, check_options
from table_fsm.table import Table

AWAY_EVERY: Final = 10.0
"""Seconds between ticks while a player is away: nobody needs to know to the second that it has been too long."""


def tick_is_due(table: Table, opening: TableOpen | None, t: float) -> bool:
    """Whether a tick now, at table seconds `t`, can make a difference. Ask each second."""
    view = table.view()
    if any(_escalates(alarm, t) for alarm in view["alarms"]):
        return True
    book = table.rulebook
    if book is None:
        return False
    if view["clock"] is not None or _level_over(view, t) or _decision_runs(view, book, opening):
        return True
    return _somebody_away(view, book) and t - table.last_t >= AWAY_EVERY


def _escalates(alarm: dict[str, Any], t: float) -> bool:
    return not alarm["acknowledged"] and t - alarm["last_heard"] >= ESCALATE_SECONDS


def _level_over(view: dict[str, Any], t: float) -> bool:
    """A level of the tournament has come to its end, and nothing has happened at the table since."""
    until = (view["tournament"] or {}).get("until")
    return until is not None and t >= until


def _decision_runs(view: dict[str, Any], book: Rulebook, opening: TableOpen | None) -> bool:
    """Players of a house-banked game are deciding, and have a time for it."""
    if book.banked != "house" or view["phase"] != "betting" or opening is None:
        return False
    try:
        return check_options(book, opening.options).get("decision_time") is not None
    except OptionError:
        return False


def _somebody_away(view: dict[str, Any], book: Rulebook) -> bool:
    if book.seats.away_seconds is None:
        return False
    told = {alarm["seat"] for alarm in view["alarms"] if alarm["kind"] == "seat_left" and not alarm["over"]}
    return any(seat["state"] == "away" and seat["seat"] not in told for seat in view["seats"])
