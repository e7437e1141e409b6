"""What people may have done from the table's page by an event: a closed list, which the table holds, not its page.

An attacker who has the page's user can send each event. By one of a card, of the shoe or of a device they would speak
for the devices, and the rulings on a card that they name would tell which cards lie face down. By `hand.shown` they
would open a hand that lies face down at the showdown.
"""

from collections.abc import Mapping
from typing import Any, Final

from feltd.door import CommandRefused, OutOfBounds
from feltd.door.bounds import Bound, Each, Number, OneOf
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
from table_fsm.felt import SEAT_COUNT, SEATS, StaffRole

_SEAT: Final = {"seat": Number(1, SEAT_COUNT)}
_CHIP: Final = Number(1, 10**12)
_ODD: Final = Each(Number(0, 1000), SEAT_COUNT, OneOf(frozenset(map(str, SEATS))))

BY_HAND: Final[Mapping[type[Any], Mapping[str, Bound]]] = {
    ClockCalled: {**_SEAT, "by": OneOf(frozenset(role.value for role in StaffRole))},
    ClockStop: _SEAT,
    Penalty: {**_SEAT, "hands": Number(1, 100), "orbits": Number(1, 10)},
    RaceStart: {"chip": _CHIP, "new_chip": _CHIP, "odd": _ODD, "last": Each(Number(1, SEAT_COUNT), SEAT_COUNT)},
    SeatAway: _SEAT,
    SeatBack: _SEAT,
    SeatIn: _SEAT,
    SeatOut: _SEAT,
    Stack: {**_SEAT, "cents": Number(0, 10**12)},
    TestMode: {},
    TournamentClock: {"elapsed": Number(0, 10**7)},
    TournamentGo: {},
    TournamentHandForHand: {},
}
"""The bounds of each field of each event; its `t` is the table's own, and a truth needs none.

A decision (`supervisor`) is none of them: it has checks of its own (`decisions`)."""


def require_by_hand(event: Event) -> None:
    """Raises CommandRefused for an event that no person at the page makes, or one that says more than it may."""
    bounds = BY_HAND.get(type(event))
    if bounds is None:
        raise CommandRefused(f"nobody at the page makes a {event.ev}: it comes from the table's devices, or is decided")
    for name, bound in bounds.items():
        value = getattr(event, name)
        if value is not None and (why := bound.refusal(value)) is not None:
            raise OutOfBounds(f"{event.ev}.{name}: {why}")
