"""The least opening bet by the book.

Amounts are integer cents; 0 where the amount was not given.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class LeastBets:
    """The least opening bet of a betting round, in cents. `last`: of the round's last street."""

    usual: int = 0
    last: int = 0

    def on(self, *, last_street: bool) -> int:
        """The least opening bet of this street in cents."""
        return self.last if last_street else self.usual


NO_LEAST: Final = LeastBets()
"""The book has no such rule, or the amount was not given."""


def least_bets(rule: str, betting: str, *, blind: int | None, ante: int | None, table_min: int | None) -> LeastBets:
    """The least opening bets of a round, from the book's `least_bet` and the option `betting`.

    `blind`: the last blind due, `ante`: each player's, both None in a game without; `table_min`: the announced minimum,
    or None. At structured limits a bet is the last blind, on the last street twice that (ACT 2001, I 3.2), in TAS C on
    antes the announced minimum (8.1); at Manila limits it is never below the blind (A 3.2).
    """
    if rule == "any":
        return NO_LEAST
    if rule == "ante":
        return LeastBets(ante or 0, ante or 0)
    least = blind or (ante if rule == "blind" else table_min) or 0
    if betting == "structured":
        return LeastBets(least, 2 * least)
    if betting != "manila":
        least = table_min or least
    return LeastBets(least, least)
