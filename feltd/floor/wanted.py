"""What a tournament wants of a table, beside what the table says of itself: the next thing to have it do. Pure."""

from collections.abc import Iterator
from typing import Any, Final

from feltd.floor.table_facts import TableFacts
from floor_fsm.core.parts import Parts
from floor_fsm.play.hand_for_hand import At
from floor_fsm.state.floor import Stacks, Time
from floor_fsm.state.hands import Hands, field_of, left
from floor_fsm.state.seating import Seating
from floor_fsm.state.tables import Tables

CLOCK_APART: Final = 3.0
"""Seconds by which a table's clock may differ: it counts on by itself, and the machines' clocks are not one."""


def wanted(parts: Parts, table: str, facts: TableFacts, t: float, wall: float) -> Iterator[tuple[dict[str, Any], str]]:
    """The events that would make a table what the tournament says, in their order, each with why.

    `t`: the second of the tournament; `wall`: now. Who comes and goes waits for the end of a round: whoever is taken
    out of one would fold. During the night nobody is taken away.
    """
    if parts.of(Stacks).night:
        return
    there = parts.of(Seating).at(table)
    if not facts.in_round:
        for seat in facts.seats:
            if seat not in there:
                yield {"ev": "seat.out", "seat": seat}, "no player of the tournament sits here now"
        for seat, entry in there.items():
            if seat not in facts.seats:
                yield {"ev": "seat.in", "seat": seat}, f"entry {entry} sits down here"
    if not there:
        moves = _moves(parts, table, facts)
        if moves is not None:
            yield moves, "who comes and goes"
        return
    entrants, remaining = field_of(parts), len(left(parts))
    if tuple(there) == facts.seats and (facts.told.entrants, facts.told.remaining) != (entrants, remaining):
        yield {"ev": "tournament.field", "entrants": entrants, "remaining": remaining}, "the field over all tables"
    yield from _hand_for_hand(parts, table, facts)
    clock = _clock(parts, facts, t, wall)
    if clock is not None:
        yield clock, "the clock of all tables"
    moves = _moves(parts, table, facts)
    if moves is not None:
        yield moves, "who comes and goes"


def _moves(parts: Parts, table: str, facts: TableFacts) -> dict[str, Any] | None:
    """Who comes and goes, where the display does not say it: in a round that is still to come."""
    there, waits = parts.of(Seating).at(table), parts.of(Tables).waits.get(table)
    comes = tuple(seat for seat in there if seat not in facts.seats) if facts.in_round else ()
    goes = tuple(seat for seat in facts.seats if seat not in there) if facts.in_round else ()
    if (comes, goes, waits) == (facts.told.comes, facts.told.goes, facts.told.waits):
        return None
    return {"ev": "tournament.moves", "comes": list(comes), "goes": list(goes), "waits": waits}


def _hand_for_hand(parts: Parts, table: str, facts: TableFacts) -> Iterator[tuple[dict[str, Any], str]]:
    play = parts.of(Hands).play
    stand = None if play is None else play.tables.get(table)
    if facts.told.hand_for_hand is not (stand is not None):
        on = stand is not None
        yield {"ev": "tournament.hand_for_hand", "on": on}, f"hand for hand {'begins' if on else 'is over'}"
        return
    if stand is None:
        return
    if stand.at is At.PLAYS and not facts.in_round and not facts.told.released:
        yield {"ev": "tournament.go"}, f"hand {stand.hand} is released to all tables"
    if stand.at is At.TURNS and facts.held:
        yield {"ev": "tournament.go"}, f"the cards of all-ins in hand {stand.hand} are turned"


def _clock(parts: Parts, facts: TableFacts, t: float, wall: float) -> dict[str, Any] | None:
    """The clock, where the table's differs. In hand for hand both charge hands themselves: nothing is told then."""
    clock = parts.of(Time).clock
    if clock is None or facts.told.hand_for_hand:
        return None
    now, told = clock.told(t), facts.told
    shown = told.elapsed + (max(0.0, wall - told.wall) if told.running else 0.0)
    if told.running is now.running and abs(shown - now.elapsed) <= CLOCK_APART:
        return None
    return {"ev": "tournament.clock", "running": now.running, "elapsed": round(now.elapsed, 1)}
