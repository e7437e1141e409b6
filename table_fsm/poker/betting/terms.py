"""The terms on which a round is bet: what the book and the table's options say of bets and raises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from table_fsm.poker.betting.least_bets import NO_LEAST, LeastBets

BetLimit: TypeAlias = Callable[[int, int, int | None, bool], int | None]
"""(owed, pot, blind, last street) → the most that may be put in with one action, all in cents; None: no limit known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of one round's betting; they hold until it is over. Amounts in cents."""

    raise_cap: int | None = None
    cap_lifted_heads_up: bool = True
    limit: BetLimit | None = None
    """The highest bet or raise, where the game has a limit."""
    structured: bool = False
    """Structured limits: a bet or raise has one size."""
    completes: bool = False
    """A raise may complete an under-raise to the structured level (TAS C 16.2)."""
    half_completes: bool = False
    """Half a raise or more is completed to a full one."""
    blind: int | None = None
    """The last blind, for limits that are counted in it."""
    least_bet: int | None = None
    """The table minimum, where it is known."""
    raise_as_call: bool = False
    """A raise must be at least the amount that its player had to add to call; else at least the raise before it."""
    all_in_reopens: bool = False
    """After an all-in that is less than a raise, those who have acted may raise again; else only call."""
    least: LeastBets = NO_LEAST
    """The least opening bet; 0: the book has no such rule, or the amount is not known."""


NO_TERMS: Final = Terms()
"""Bets without limit, cap and minimum."""
