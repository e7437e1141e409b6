"""A raise that nobody has called goes back when the dealer mucks its player's unprotected hand (The Star 7.43)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from table_fsm.poker.betting.state import Betting


@dataclass(frozen=True, slots=True)
class BeforeRaise:
    """How the betting stood before the last raise of the street. Amounts in cents, as in `Betting` and `Player`."""

    seat: int
    level: int | None
    step: int
    raises: int
    aggressors: tuple[int | None, int | None]
    matched: frozenset[int]
    settled: frozenset[int]
    call_only: frozenset[int]
    paid: tuple[int | None, int | None]
    """By the raiser, on the street and in all."""


def before_raise(betting: "Betting", seat: int) -> BeforeRaise:
    """The betting as it stands, to be remembered as a seat raises."""
    player = betting.players[seat]
    return BeforeRaise(
        seat,
        betting.level,
        betting.step,
        betting.raises,
        (betting.aggressor, betting.street_aggressor),
        frozenset(betting.matched),
        frozenset(betting.settled),
        frozenset(betting.call_only),
        (player.street, player.total),
    )


def take_back(betting: "Betting", seat: int) -> bool:
    """Undo the seat's raise, if it is the last one and nobody has called it. Says whether it went back."""
    before = betting.before_raise
    if not betting.open or before is None or before.seat != seat or betting.settled != {seat}:
        return False
    player = betting.players[seat]
    paid = player.total
    player.street, player.total = before.paid
    betting.level, betting.step, betting.raises = before.level, before.step, before.raises
    betting.aggressor, betting.street_aggressor = before.aggressors
    betting.matched, betting.settled = set(before.matched), set(before.settled)
    betting.call_only = set(before.call_only)
    betting.before_raise = None
    cents = None if paid is None or player.total is None else paid - player.total
    betting.went_back = (seat, cents)
    return True
