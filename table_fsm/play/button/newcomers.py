"""Players who sit down between button and small blind wait, where the book says so.

The Star 7.23; Onyx, Seating 3. They wait until the button has passed. In any other seat they are dealt in at once.
"""

from table_fsm.core.core import Core
from table_fsm.felt import clockwise
from table_fsm.play.button.button import expected_button


def may_wait(core: Core) -> bool:
    """Whether the book makes players wait who sit down there."""
    return core.book.seats.newcomers == "wait_between_button_and_small_blind"


def settle(core: Core) -> None:
    """End the wait of players whom the button has passed, between two rounds.

    The button must be where it is for the next round.
    """
    seats = core.standing.seats
    if not may_wait(core) or not any(record.waits for record in seats.values()):
        return
    between = _between(core)
    for number, record in seats.items():
        record.waits = record.waits and number in between


def _between(core: Core) -> set[int]:
    """The seats from the button up to the one that posts the small blind next."""
    seats = core.standing.seats
    button = expected_button(core)
    settled = [number for number, record in seats.items() if not record.waits and number != button]
    if button is None or not settled:
        return set()
    small_blind = clockwise(settled, button)[0]
    order = clockwise(list(seats), button)
    return set(order[: order.index(small_blind)])
