"""What anybody may see of the tournament: level, time, breaks, races, hand for hand. No card is in it."""

from typing import Any

from table_fsm import hand_for_hand, stakes, tournament
from table_fsm.core import Core
from table_fsm.structures.structure import Level


def tournament_view(core: Core) -> dict[str, Any]:
    """The tournament as JSON-ready data. Amounts in cents; times in seconds as of the last event.

    `level`: of the deal in hand, or of the next; `next_deal`: the level that the clock has come to. `until`: the table
    second at which it is over, None while the clock stands. `break_left`: None outside breaks, and while one stands.
    """
    record = core.standing.tournament
    now = tournament.reading(core)
    in_force = stakes.of_deal(core)
    race = record.race
    return {
        "level": _level(in_force),
        "next_deal": _level(now.level) if now is not None else None,
        "left": round(now.left_seconds, 3) if now is not None else None,
        "until": record.changes_at,
        "running": record.running,
        "next": _level(now.next) if now is not None else None,
        "in_break": now is not None and now.in_break,
        "break_left": now.break_left_seconds if now is not None else None,
        "race_offs": list(tournament.race_offs(core)),
        "race": {"chip": race.chip, "new_chip": race.new_chip, "due": race.due} if race is not None else None,
        "hand_for_hand": record.hand_for_hand,
        "waits_for_go": hand_for_hand.showdown_held(core) if core.in_round else hand_for_hand.hand_held(core),
    }


def _level(level: Level | None) -> dict[str, Any] | None:
    """A level's figures; its number is None where the table has amounts of its own."""
    if level is None:
        return None
    return {"level": level.number or None, "blinds": list(level.blinds), "ante": level.ante}
