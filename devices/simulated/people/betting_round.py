"""One betting round as the simulated players see it, and the limits of the game.

Amounts in cents.
"""

from dataclasses import dataclass, field
from typing import Final

from devices.simulated.people.game import Limit, Wagering

RAISES_MAX: Final = 3
"""Raises in a betting round: the most that every limit game allows."""
_POT_PARTS: Final = {Limit.POT: 1, Limit.HALF_POT: 2}
_BLINDS: Final = {Limit.STRUCTURED: (1, 2), Limit.MANILA: (2, 4)}
"""The blinds by which a raise may go, before the last betting round and in it."""


def most_in(wagering: Wagering, *, owes: int, pot: int, unit: int, last_street: bool) -> int | None:
    """The most that a player may put in with one action; None without a limit."""
    if wagering.limit in _POT_PARTS:
        return owes + (pot + owes) // _POT_PARTS[wagering.limit]
    if wagering.limit in _BLINDS:
        return owes + unit * _BLINDS[wagering.limit][last_street]
    return None


def least_bet(wagering: Wagering, *, unit: int, last_street: bool) -> int:
    """The least opening bet.

    `unit`: the last blind or the ante; structured limits double it on the last street.
    """
    return unit * 2 if wagering.limit is Limit.STRUCTURED and last_street else unit


@dataclass(slots=True)
class BettingRound:
    """The bets of one betting round, in cents, as the players see them."""

    smallest: int
    """The smallest bet, which is also the smallest first raise."""
    raise_is_call: bool = False
    """A raise must be at least what its player had to add to call."""
    bets: dict[int, int] = field(default_factory=dict)
    level: int = 0
    last_raise: int = 0
    raises: int = 0
    acted: set[int] = field(default_factory=set)
    """Seats that have acted since the last full bet or raise: they may not raise a short all-in."""

    def post(self, seat: int, cents: int) -> None:
        """Post a blind."""
        self.bets[seat] = self.bets.get(seat, 0) + cents
        self.level = max(self.level, self.bets[seat])
        self.last_raise = max(self.last_raise, cents)

    def put(self, seat: int, cents: int) -> None:
        """Put chips in."""
        least = self.least_raise(max(0, self.level - self.bets.get(seat, 0)))
        self.bets[seat] = self.bets.get(seat, 0) + cents
        raised_by = self.bets[seat] - self.level
        if raised_by > 0:
            self.level = self.bets[seat]
        if raised_by >= least:
            self.raises += self.last_raise > 0
            self.last_raise = raised_by
            self.acted.clear()

    def least_raise(self, owes: int) -> int:
        """The least by which a player who owes `owes` must raise; the least bet if nothing is bet."""
        if self.raise_is_call and owes:
            return max(self.smallest, owes)
        return max(self.smallest, self.last_raise)

    def may_raise(self, seat: int) -> bool:
        """Whether this player may raise under the rules of every limit."""
        return self.raises < RAISES_MAX and seat not in self.acted
