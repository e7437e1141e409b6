"""The opening's part: the terms of the tournament."""

from dataclasses import dataclass

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.opening import TournamentOpen


@dataclass(frozen=True, slots=True)
class Opening:
    """The opening's part: None before it. `cancelled`: the tournament was called off."""

    tournament: TournamentOpen | None = None
    cancelled: bool = False


def opened(parts: Parts) -> TournamentOpen:
    """The opening of a tournament that is open."""
    tournament = parts.of(Opening).tournament
    assert tournament is not None  # Tournament.apply refuses what comes before it
    return tournament


def seats_of(parts: Parts, table: str) -> tuple[int, ...]:
    """The seats of a table. Raises Refused for a table that the tournament does not have."""
    for known in opened(parts).tables:
        if known.table == table:
            return known.seats
    names = ", ".join(known.table for known in opened(parts).tables)
    raise Refused(Reason.UNKNOWN_TABLE, f"this tournament has no table {table}; it has {names}")
