"""Players who are out of the tournament after a round, and their places.

ACT 2001, 15.2; TAS 2018, C 20.16; The Star 7.18; Onyx, Hand for Hand 4.
"""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.tournament_state import PlaceRecord
from table_fsm.errors import Refused
from table_fsm.events import TournamentField, TournamentPlaced
from table_fsm.outputs import Placing
from table_fsm.play.tournament import clock
from table_fsm.poker.pots import PotResult, uncalled
from table_fsm.poker.tournament.placings import placings


def say(core: Core, results: list[PotResult]) -> None:
    """Announce the places of players who were all in, won nothing and got nothing back, folded or not.

    Nothing is announced where an amount that this needs is missing.
    """
    betting = core.round.betting
    assert betting is not None
    all_in = [seat for seat, player in betting.players.items() if player.all_in]
    if not all_in:
        return
    totals = {seat: player.total for seat, player in betting.players.items() if player.total is not None}
    if not betting.trusted or len(totals) < len(betting.players):
        return
    won = {seat for result in results for seat in result.winners}
    back = uncalled(totals, betting.live)
    if back is not None:
        won.add(back.seat)
    out = [seat for seat in all_in if seat not in won]
    amounts = {seat: _measure(core, seat, totals[seat]) for seat in out}
    elsewhere = core.standing.tournament.elsewhere
    for placing in placings(amounts, len(core.standing.seats) - len(out) + elsewhere):
        core.emit(Placing(placing.seat, placing.first, placing.last, provisional=elsewhere > 0))
        whole = _put_in(core, placing.seat, totals[placing.seat])
        player = core.standing.seats.get(placing.seat)
        entry = None if player is None or player.entry is None else player.entry.number
        record = PlaceRecord(placing.seat, placing.first, placing.last, core.standing.round_number, whole, entry)
        core.standing.tournament.places.append(record)


def on_field(core: Core, event: TournamentField) -> None:
    """Take what the floor tells of all tables. Raises Refused for numbers that cannot be, which change nothing."""
    clock.needs_tournament(core, event.ev)
    here = len(core.standing.seats)
    if not here <= event.remaining <= event.entrants:
        raise Refused(
            f"tournament.field: {event.remaining} left of {event.entrants}, and {here} sit here: "
            "at least those, at most the entrants"
        )
    core.standing.tournament.elsewhere = event.remaining - here


def on_placed(core: Core, event: TournamentPlaced) -> None:
    """Take the place of an entry over all tables, or that it has none any more. Raises Refused, which changes nothing.

    It is the entry's, whoever sits at its seat now.
    """
    clock.needs_tournament(core, event.ev)
    if (event.first is None) is not (event.last is None):
        raise Refused("tournament.placed: first and last belong together: name both, or neither")
    if event.first is None or event.last is None:
        forget(core, event.entry)
        return
    if not 1 <= event.first <= event.last:
        raise Refused(f"tournament.placed: place {event.first} to {event.last}: from 1, the better one first")
    record = next((one for one in core.standing.tournament.places if one.entry == event.entry), None)
    if record is None:
        record = PlaceRecord(_seat_of(core, event.entry), 0, 0, core.standing.round_number, entry=event.entry)
        core.standing.tournament.places.append(record)
    if (record.first, record.last, record.final) == (event.first, event.last, True):
        return
    record.first, record.last, record.final = event.first, event.last, True
    core.emit(Placing(record.seat, event.first, event.last))


def _seat_of(core: Core, entry: int) -> int:
    for seat, player in core.standing.seats.items():
        if player.entry is not None and player.entry.number == entry:
            return seat
    raise Refused(f"tournament.placed: entry {entry} neither went out here nor sits here")


def forget(core: Core, entry: int) -> None:
    """Drop the place of an entry, which plays again or was never out."""
    record = core.standing.tournament
    record.places = [place for place in record.places if place.entry != entry]


def round_void(core: Core) -> None:
    """Take back the places of a round that does not count."""
    record, number = core.standing.tournament, core.standing.round_number
    record.places = [place for place in record.places if place.round_number != number]


def _measure(core: Core, seat: int, put_in: int) -> int:
    """The amount in cents by which the book ranks a player who is out.

    Such a player's whole stack is in the pots, the big blind's ante included.
    """
    whole = _put_in(core, seat, put_in)
    if core.book.tournament.placings == "contribution":
        return whole
    counted = questions.counted_stack(core, seat)
    return counted if counted is not None else whole


def _put_in(core: Core, seat: int, total: int) -> int:
    return total + core.round.forced.big_blind_antes.get(seat, 0)
