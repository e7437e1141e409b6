"""The seats that are dealt in, and the order of the deal."""

from table_fsm.core.core import Core
from table_fsm.play.button import button as button_button
from table_fsm.poker.dealing import Deal
from table_fsm.rulebook.model import Street


def make_deal(core: Core, first_seat: int) -> Deal:
    """Make the initial deal: its seats in order and its passes.

    `first_seat`: the seat of the first card, which shows the button dealt by.
    """
    passes = passes_of(core.street)
    standing = core.standing
    seated = [number for number, seat in standing.seats.items() if not seat.leaving and not seat.waits]
    optional = {n for n in seated if standing.seats[n].newcomer}
    if core.book.seats.absent == "may_be_dealt_in":
        optional |= {n for n in seated if standing.seats[n].away_since is not None}
    button = button_button.button_dealt_by(core, first_seat, [seat for seat in seated if seat not in optional])
    ring = button_button.dealing_order(core, seated, button) if button is not None else sorted(seated)
    return Deal(ring, sum(passes), optional, passes=passes)


def passes_of(street: Street) -> tuple[int, ...]:
    """Number of cards that each seat gets together, pass by pass, on a street."""
    passes: list[int] = []
    for step in street.deal:
        if step.to == "seats":
            whole, rest = divmod(step.cards, step.at_a_time)
            passes += [step.at_a_time] * whole + [rest] * bool(rest)
    return tuple(passes)
