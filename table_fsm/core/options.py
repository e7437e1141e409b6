"""The options of an open table, typed.

They are what a book's `[options]` names and what the rules ask for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self


@dataclass(frozen=True, slots=True)
class Options:
    """One value for each option of any book.

    None where the book does not take the option or it was not given. Amounts in cents, times in seconds.
    """

    ace: str | None = None
    actions_keyed: bool | None = None
    """Every action is keyed: a street on which none was is one on which nobody was asked."""
    ante: int | None = None
    betting: str | None = None
    blinds: tuple[int, ...] | None = None
    built: str | None = None
    """With what the table is built (`Built`); None where nobody said: with everything."""
    burn: int | None = None
    commission: str | None = None
    commission_handling: str | None = None
    decision_time: float | None = None
    deck: int | None = None
    faces: bool | None = None
    """False: no reader knows which side of a card is up. None where nobody said: they do."""
    final_table: bool | None = None
    freeze_out: bool | None = None
    joker: bool | None = None
    look_sensor: bool | None = None
    max_payout: int | None = None
    no_check_final: bool | None = None
    opener: str | None = None
    over_blind: bool | None = None
    """Whether a player who owes no blind may put one in beside them."""
    over_blind_times: int | None = None
    """How many times the last blind an over-blind is; None where that is not known."""
    rake_cap: int | None = None
    rake_percent: int | None = None
    seats_max: int | None = None
    shot_clock: float | None = None
    six_max: bool | None = None
    structure: str | None = None
    table_max: int | None = None
    table_min: int | None = None
    time_bank_seconds: float | None = None
    time_banks: int | None = None
    tournament: bool | None = None
    winner: str | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Build the options from a mapping that the rulebook has checked, as a snapshot keeps it.

        Options that the interpreter does not use are left out.
        """
        return cls(**{name: values[name] for name in OPTION_NAMES & values.keys()})


OPTION_NAMES: Final = frozenset(field.name for field in fields(Options))
