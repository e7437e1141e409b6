"""Limits of a bet or raise, by the kind of betting.

Amounts are integer cents.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from table_fsm.poker.betting.terms import BetLimit


def pot_limit(owed: int, pot: int, blind: int | None, last_street: bool) -> int | None:
    """A call, and a raise as high as the pot with the call in it (ACT 2001, 4.3(h))."""
    return owed + pot + owed


def half_pot_limit(owed: int, pot: int, blind: int | None, last_street: bool) -> int | None:
    """A call, and a raise of half the pot with the call in it (ACT 2001, 4.3(h))."""
    return owed + (pot + owed) // 2


def structured_limit(owed: int, pot: int, blind: int | None, last_street: bool) -> int | None:
    """A raise of the greater blind, in the last betting round of twice that (ACT 2001, I 3.2)."""
    if blind is None:
        return None
    return owed + blind * (2 if last_street else 1)


def manila_limit(owed: int, pot: int, blind: int | None, last_street: bool) -> int | None:
    """A raise of up to twice the blind, in the last betting round four times (ACT 2001, A 3.2)."""
    if blind is None:
        return None
    return owed + blind * (4 if last_street else 2)


LIMITS: Final[Mapping[str, BetLimit]] = MappingProxyType(
    {"pot": pot_limit, "half_pot": half_pot_limit, "structured": structured_limit, "manila": manila_limit}
)
"""Limits by the value of the option `betting`. Betting without limit, or with a limit that only the sign states, is
not here."""


def limit_for(betting: str, table_max: int | None) -> BetLimit | None:
    """The limit of a game, never more than the table's maximum above a call; None for no limit."""
    own = LIMITS.get(betting)
    if table_max is None:
        return own

    def both(owed: int, pot: int, blind: int | None, last_street: bool) -> int | None:
        most = own(owed, pot, blind, last_street) if own is not None else None
        return owed + table_max if most is None else min(most, owed + table_max)

    return both
