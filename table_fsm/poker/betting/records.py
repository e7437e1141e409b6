"""Records of a betting round: a player, an action out of turn, the state before a raise."""

from dataclasses import dataclass


@dataclass(slots=True)
class Player:
    """A player in the round. Amounts in cents; None where unknown."""

    folded: bool = False
    all_in: bool = False
    tapped: bool = False
    """Deemed to have tapped out: bets no more in this round, with chips left."""
    street: int | None = 0
    total: int | None = 0


@dataclass(slots=True)
class EarlyAction:
    """An action out of turn that waits for its turn.

    `level`: the bet to meet when it was made.
    """

    action: str
    cents: int | None
    level: int | None
    raised_since: bool = False
    before: tuple[int, ...] = ()
    """Seats that should have acted before it."""
    saw: tuple[int, ...] = ()
    """Seats that had acted out of turn before this action."""


@dataclass(frozen=True, slots=True)
class BeforeRaise:
    """State of the betting before the last raise of the street.

    Amounts in cents, as in `Betting` and `Player`.
    """

    seat: int
    level: int | None
    step: int
    raises: int
    aggressors: tuple[int | None, int | None]
    bettor: int | None
    matched: frozenset[int]
    settled: frozenset[int]
    call_only: frozenset[int]
    paid: tuple[int | None, int | None]
    """Amounts paid by the raiser, on the street and in all."""
