"""What a player carries from table to table, as the floor tells it: the rest of a penalty, time banks, absence.

The table counts by itself from there. Each order has a number, so none counts twice, and what the floor adds to a
penalty is told as the sum of all that it ever added: a hand that ends meanwhile is counted all the same.
"""

from table_fsm.core.core import Core
from table_fsm.core.standing import SeatRecord
from table_fsm.core.tournament_state import EntryRecord
from table_fsm.errors import Refused
from table_fsm.events import SeatAway, SeatBack, SeatConduct
from table_fsm.play.floor import seating
from table_fsm.play.tournament import clock, moves, penalties

IMPOSED_MOST: int = 10**6
"""Below 0 where the floor took off what a table had imposed."""
BANKS_MOST: int = 1000
"""Most time banks of one player; a larger number is a typing error."""


def on_conduct(core: Core, event: SeatConduct) -> None:
    """Take what the entry of a seat carries. An order that came before changes nothing. Raises Refused."""
    clock.needs_tournament(core, event.ev)
    record = core.standing.seats.get(event.seat)
    entry = None if record is None else record.entry
    if record is None or entry is None or entry.number != event.entry:
        raise Refused(f"seat.conduct: seat {event.seat} is not entry {event.entry}'s: tell who sits there first")
    if event.order < 1 or not 0 <= event.left <= penalties.MOST or abs(event.imposed) > IMPOSED_MOST:
        raise Refused(f"seat.conduct: order {event.order}, a penalty of {event.left}: 0 to {penalties.MOST}")
    if event.banks is not None and not 0 <= event.banks <= BANKS_MOST:
        raise Refused(f"seat.conduct: {event.banks} time banks: 0 to {BANKS_MOST}")
    if event.order <= entry.order:
        return
    more = _more(record, entry, event)
    if more and core.book.tournament.penalties == "none":
        raise Refused(f"seat.conduct: {core.standing.rulebook} knows no penalty that a player sits out")
    entry.order, entry.imposed = event.order, event.imposed
    penalties.change(core, event.seat, record, more)
    if event.banks is not None:
        core.standing.time_banks[event.seat] = event.banks
    if event.absent is not None:
        _absent(core, event.seat, record, absent=event.absent)
    moves.say(core)


def _absent(core: Core, seat: int, record: SeatRecord, *, absent: bool) -> None:
    """The floor knows whether a player is away; who sits out a penalty is away until it is over."""
    if record.penalty is not None:
        record.penalty.away_before = absent
    elif absent:
        seating.on_seat_away(core, SeatAway(t=core.t, seat=seat))
        record.away_told = True  # the floor knows of the empty seat: no alarm
    elif record.away_since is not None:
        seating.on_seat_back(core, SeatBack(t=core.t, seat=seat))


def _more(record: SeatRecord, entry: EntryRecord, event: SeatConduct) -> int:
    """By how much the seat's penalty grows. The first order says what is left of it; one of this table's own stays."""
    if entry.order == 0 and record.penalty is None:
        return event.left
    return event.imposed - entry.imposed
