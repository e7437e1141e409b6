"""The house's commission on a pot: the published scales, as functions of the pot.

Every pot pays on its own: TAS 2018 B 11.3(d) says so for stud; for hold'em (C 17.2) it is our reading of the same
house's rules.

All scales are by the letter of the source at their edges: "up to $50" holds the $50.00, "over $50" begins at $50.01.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType

_DOLLAR = 100
_STEP = 50 * _DOLLAR
_SMALL_POT = 20 * _DOLLAR
_CAP = 15 * _DOLLAR


class Scale(StrEnum):
    """The scales, by the names that the option `commission` uses."""

    NONE = "none"
    NORMAL = "normal"
    CAPPED = "capped"
    ONE = "one"
    TWO = "two"


def commission_due(scale: str, pot_cents: int) -> int:
    """The commission in cents on one pot, under the scale of that name.

    `scale`: a `Scale` or its text. The commission is never more than the pot itself, since it is extracted from the pot
    (B 15, C 17.1): ours, for pots too small for the smallest charge. An empty pot owes nothing.

    Raises ValueError for a scale that does not exist and for a pot below zero.
    """
    if pot_cents < 0:
        raise ValueError(f"a pot of {pot_cents} cents: a pot is zero or more")
    charge = _CHARGES.get(scale)
    if charge is None:
        raise ValueError(f"commission scale {scale!r}: choose one of {', '.join(Scale)}")
    return min(pot_cents, charge(pot_cents))


def _nothing(_: int) -> int:
    return 0


def _normal(pot: int) -> int:
    """B 15.1: $2 up to $50, $4 over $50 up to $100 and so on by the same steps without end."""
    return _steps(pot) * 2 * _DOLLAR


def _capped(pot: int) -> int:
    """B 15.2: nothing up to $50, then as the normal scale up to $350, and $15 above that."""
    if pot <= _STEP:
        return 0
    return min(_normal(pot), _CAP)  # the normal scale stands at $14 up to $350 and passes $15 with the next step


def _one(pot: int) -> int:
    """C 17.2(a): 10 % of the pot rounded down to the nearest $1, at most $15.

    A pot of $20 or less pays nothing.
    """
    if pot <= _SMALL_POT:
        return 0
    return min(pot // (10 * _DOLLAR) * _DOLLAR, _CAP)


def _two(pot: int) -> int:
    """C 17.2(b): $2.50 for every $50 or part thereof; pots that total $20 or less pay only $1."""
    if pot <= _SMALL_POT:
        return _DOLLAR
    return _steps(pot) * (5 * _DOLLAR // 2)


def _steps(pot: int) -> int:
    """Number of steps of $50, or part thereof, in a pot."""
    return -(-pot // _STEP)


_CHARGES: Mapping[str, Callable[[int], int]] = MappingProxyType(
    {Scale.NONE: _nothing, Scale.NORMAL: _normal, Scale.CAPPED: _capped, Scale.ONE: _one, Scale.TWO: _two}
)


def rake_due(pot_cents: int, percent: int, cap: int | None = None, taken: int = 0) -> int:
    """The rake due on a pot, in cents.

    `cap`: for the whole hand; `taken`: cents taken from the hand's other pots. Raises ValueError for a pot below zero.
    """
    if pot_cents < 0:
        raise ValueError(f"a pot of {pot_cents} cents: a pot is zero or more")
    due = pot_cents * percent // 100
    return due if cap is None else min(due, max(0, cap - taken))
