"""What people may have done from the table's page by an event: a closed list, which the table holds, not its page.

An attacker who has the page's user can send each event. By one of a card, of the shoe or of a device they would speak
for the devices, and the rulings on a card that they name would tell which cards lie face down.
"""

from typing import Final

from feltd.door import CommandRefused
from table_fsm.events import (
    ClockCalled,
    ClockStop,
    Event,
    Penalty,
    RaceStart,
    SeatAway,
    SeatBack,
    SeatIn,
    SeatOut,
    Stack,
    TestMode,
    TournamentClock,
    TournamentGo,
    TournamentHandForHand,
)

BY_HAND: Final = frozenset(
    {
        ClockCalled,
        ClockStop,
        Penalty,
        RaceStart,
        SeatAway,
        SeatBack,
        SeatIn,
        SeatOut,
        Stack,
        TestMode,
        TournamentClock,
        TournamentGo,
        TournamentHandForHand,
    }
)
"""A decision (`supervisor`) is none of them: it has checks of its own (`decisions`)."""


def require_by_hand(event: Event) -> None:
    """Raises CommandRefused for an event that no person at the page makes."""
    if type(event) not in BY_HAND:
        raise CommandRefused(f"nobody at the page makes a {event.ev}: it comes from the table's devices, or is decided")
