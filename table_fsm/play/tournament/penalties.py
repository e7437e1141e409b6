"""Penalties: a player sits out hands or rounds.

The player is dealt in, posts, and is folded after the initial deal. The Star 7.39 counts hands, and orbits of as many
hands as there are players. Onyx, Warnings, Penalties: rounds of the button, until it is where the hand after the
offence would have had it.
"""

from table_fsm import outputs
from table_fsm.core.core import Core
from table_fsm.core.standing import SeatRecord
from table_fsm.core.tournament_state import PenaltyRecord
from table_fsm.errors import Refused
from table_fsm.events import Penalty
from table_fsm.felt import SEAT_COUNT
from table_fsm.play.button.button import expected_button
from table_fsm.play.tournament import clock, moves

MOST: int = 1000
"""Most hands or rounds in one penalty; a larger number is a typing error."""


def on_penalty(core: Core, event: Penalty) -> None:
    """Impose a penalty, which counts from the next hand on.

    A second penalty is added to the first (ours).
    """
    clock.needs_tournament(core, event.ev)
    rules = core.book.tournament
    if rules.penalties == "none":
        raise Refused(f"penalty: {core.standing.rulebook} knows none that a player sits out")
    record = core.standing.seats.get(event.seat)
    if record is None:
        raise Refused(f"seat {event.seat} has no player")
    if (event.hands is None) == (event.orbits is None):
        raise Refused("penalty: give either hands or orbits")
    if event.hands is not None and rules.penalties == "button_rounds":
        raise Refused(f"penalty: {core.standing.rulebook} counts rounds of the table: give orbits")
    number = event.hands if event.hands is not None else event.orbits
    assert number is not None
    if not 1 <= number <= MOST:
        raise Refused(f"penalty: {number}: 1 to {MOST}")
    if event.orbits is not None and rules.penalty_orbits is not None and number > rules.penalty_orbits:
        raise Refused(f"penalty: {number} orbits: {core.standing.rulebook} knows 1 to {rules.penalty_orbits}")
    if event.orbits is not None and rules.penalties == "hands_or_orbits":
        number *= sum(not seat.leaving for seat in core.standing.seats.values())
    change(core, event.seat, record, number)


def change(core: Core, seat: int, record: SeatRecord, number: int) -> None:
    """Add so many hands or rounds to the penalty of a seat; below 0: take them off. One of 0 is over."""
    if (number <= 0 and record.penalty is None) or not number:
        return
    if record.penalty is None:
        record.penalty = PenaltyRecord(left=0, from_round=core.standing.round_number + 1)
        if not core.in_round:
            _begin(core, record)
    record.penalty.left = max(0, record.penalty.left + number)
    core.emit(outputs.Penalty(seat, record.penalty.left))
    if not record.penalty.left:
        _over(core, record)


def _begin(core: Core, record: SeatRecord) -> None:
    """Begin a penalty: the player leaves the table."""
    penalty = record.penalty
    assert penalty is not None
    penalty.target = expected_button(core)
    penalty.away_before = record.away_since is not None
    if record.away_since is None:
        record.away_since, record.away_told = core.t, True  # the floor knows of the empty seat: no alarm
        core.standing.someone_away = True


def round_over(core: Core, button: int | None) -> None:
    """Count a round that counts for all penalties.

    `button`: where it was in that round; the standing one has moved on.
    """
    for number, record in core.standing.seats.items():
        penalty = record.penalty
        if penalty is None:
            continue
        if core.standing.round_number < penalty.from_round:  # the round of the offence
            _begin(core, record)
            continue
        if core.book.tournament.penalties == "button_rounds" and not _reached(button, core.standing.button, penalty):
            continue
        penalty.left -= 1
        core.emit(outputs.Penalty(number, penalty.left))
        if penalty.left == 0:
            _over(core, record)
    moves.say(core)


def _reached(before: int | None, now: int | None, penalty: PenaltyRecord) -> bool:
    """Whether the button, clockwise from where it was, has reached or passed the target."""
    if before is None or now is None or penalty.target is None:
        return False

    def way(seat: int) -> int:
        return (seat - before - 1) % SEAT_COUNT

    return way(penalty.target) <= way(now)


def _over(core: Core, record: SeatRecord) -> None:
    """End a penalty; the player plays again unless they had stepped away before."""
    assert record.penalty is not None
    if not record.penalty.away_before:
        record.away_since, record.away_told = None, False
    record.penalty = None
    core.standing.someone_away = any(seat.away_since is not None for seat in core.standing.seats.values())


def check_back(seat: int, record: SeatRecord) -> None:
    """Raise Refused while the player sits out a penalty."""
    if record.penalty is not None:
        left = record.penalty.left
        raise Refused(f"seat {seat} sits out a penalty, {left} left to count: the player is back when it is over")


def stepped_away(record: SeatRecord) -> None:
    """Note that a player with a penalty stepped away; they stay away when it is over."""
    if record.penalty is not None:
        record.penalty.away_before = True
