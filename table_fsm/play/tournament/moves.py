"""Who comes to this table and who leaves it, as the floor tells it: the dealer's display says so."""

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import TournamentMoves
from table_fsm.outputs import Display
from table_fsm.play.tournament import clock


def on_moves(core: Core, event: TournamentMoves) -> None:
    """Say who comes and goes; a ruling that waits stays on the display until it is settled. Raises Refused."""
    clock.needs_tournament(core, event.ev)
    most = core.options.seats_max or core.book.seats.most
    for seat in (*event.comes, *event.goes, *(() if event.waits is None else (event.waits,))):
        if not 1 <= seat <= most:
            raise Refused(f"tournament.moves: there is no seat {seat}: 1 to {most}")
    for seat in event.goes:
        if seat not in core.standing.seats:
            raise Refused(f"tournament.moves: seat {seat} has no player who could leave")
    notice = _notice(event)
    record = core.standing.tournament
    if notice == record.notice:
        return
    record.notice = notice
    if not core.standing.pending:
        core.emit(Display(notice))


def _notice(event: TournamentMoves) -> str:
    told = [f"Seat {seat} leaves after this round." for seat in sorted(set(event.goes))]
    told += [f"A player comes to seat {seat}." for seat in sorted(set(event.comes))]
    if event.waits is not None:
        told.append(f"Begin no hand before seat {event.waits} has a player.")
    return " ".join(told)
