"""The denomination of amounts: points, or cents of which currency."""

from dataclasses import dataclass

from table_fsm.felt import AmountUnit
from table_fsm.rulebook.model import AmountRules
from table_fsm.structures.structure import Structure


@dataclass(frozen=True, slots=True)
class Denomination:
    """The unit of amounts. `currency`: its code in ISO 4217; with points, the one that prizes are paid in, if known."""

    unit: AmountUnit
    currency: str | None = None


def denomination_of(rules: AmountRules, *, tournament: bool, structure: Structure | None = None) -> Denomination:
    """Return the denomination of a table under a loaded book.

    `structure`: the blind structure in force, whose amounts are printed as points or in money; None: the table has
    amounts of its own, and the book says what they are.
    """
    if structure is not None:
        return Denomination(AmountUnit.POINTS if structure.points else AmountUnit.CENTS, rules.currency)
    unit = rules.tournament if tournament and rules.tournament is not None else rules.unit
    assert unit is not None, "the loader takes no book without a unit"
    return Denomination(unit, rules.currency)
