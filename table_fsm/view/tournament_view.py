"""The public view of the tournament: level, time, breaks, races, penalties, places; no card."""

from typing import Literal

from table_fsm.core.core import Core
from table_fsm.play.betting import stakes
from table_fsm.play.tournament import clock, hand_for_hand
from table_fsm.structures.levels import BreakAhead, break_ahead, levels_beside
from table_fsm.structures.structure import Level
from table_fsm.view.shapes import BreakView, LevelView, PenaltyView, TournamentView


def tournament_view(core: Core) -> TournamentView:
    """Return the tournament as of the last event."""
    record, rules = core.standing.tournament, core.book.tournament
    now, structure = clock.reading(core), clock.structure_of(core)
    in_force = stakes.of_deal(core)
    race = record.race
    elapsed = clock.elapsed(core)
    beside = levels_beside(structure, elapsed) if structure is not None else None
    ahead = break_ahead(structure, elapsed) if structure is not None else None
    break_left = now.break_left_seconds if now is not None else None
    return {
        "at": core.t,
        "level": _level(in_force),
        "next_deal": _level(now.level) if now is not None else None,
        "left": round(now.left_seconds, 3) if now is not None else None,
        "until": record.changes_at,
        "running": record.running,
        "elapsed": round(elapsed, 3),
        "next": _level(now.next) if now is not None else None,
        "level_before": beside.before if beside is not None else None,
        "level_after": beside.after if beside is not None else None,
        "in_break": now is not None and now.in_break,
        "break_left": break_left,
        "break_until": core.t + break_left if break_left is not None and record.changes_at is not None else None,
        "next_break": _break(ahead),
        "race_offs": list(clock.race_offs(core)),
        "race_off_after": now.level.race_off if now is not None else None,
        "race": {"chip": race.chip, "new_chip": race.new_chip, "due": race.due} if race is not None else None,
        "race_ordered": (
            {"chip": record.ordered.chip, "new_chip": record.ordered.new_chip} if record.ordered is not None else None
        ),
        "entries": [
            {
                "seat": seat,
                "entry": player.entry.number,
                "nth": player.entry.nth,
                "cents": player.entry.cents,
                "rebuys": player.entry.rebuys,
                "add_ons": player.entry.add_ons,
            }
            for seat, player in sorted(core.standing.seats.items())
            if player.entry is not None
        ],
        "hand_for_hand": record.hand_for_hand,
        "waits_for_go": hand_for_hand.showdown_held(core) if core.in_round else hand_for_hand.hand_held(core),
        "big_blind_ante": in_force is not None and in_force.big_blind_ante,
        "points": structure is not None and structure.points,
        "structure": structure.title if structure is not None else None,
        "penalties": _penalties(core),
        "places": [
            {
                "seat": place.seat,
                "first": place.first,
                "last": place.last,
                "round": place.round_number,
                "entry": place.entry,
                "final": place.final,
            }
            for place in record.places
        ],
        "takes": {
            "hand_for_hand": rules.hand_for_hand != "none",
            "race": rules.race is not None,
            "penalties": rules.penalties,
            "payouts": rules.payouts is not None,
        },
    }


def _break(ahead: BreakAhead | None) -> BreakView | None:
    if ahead is None:
        return None
    return {"after_level": ahead.after_level, "in_seconds": ahead.in_seconds, "seconds": ahead.seconds}


def _penalties(core: Core) -> list[PenaltyView]:
    counted: Literal["hands", "rounds"] = "rounds" if core.book.tournament.penalties == "button_rounds" else "hands"
    return [
        {"seat": seat, "left": record.penalty.left, "of": counted}
        for seat, record in sorted(core.standing.seats.items())
        if record.penalty is not None
    ]


def _level(level: Level | None) -> LevelView | None:
    """A level's figures; its number is None where the table has amounts of its own."""
    if level is None:
        return None
    return {"level": level.number or None, "blinds": list(level.blinds), "ante": level.ante}
