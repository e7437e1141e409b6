"""A fault as it was found: what the law of precedence judges, before anything is ruled on."""

from collections.abc import Callable
from dataclasses import dataclass

from table_fsm.core.round import Round, RuledMatter
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A fault of the event in hand. `Core.find` says what the fields mean."""

    irregularity: Irregularity
    row: Row
    """The row of the book that answers it."""
    seat: int | None
    round: Round
    """The round in which it was found."""
    deck: str | None = None
    supersedes: int | None = None
    cards: tuple[str, ...] = ()
    beyond_round: bool = False
    once: RuledMatter | None = None
    then: Callable[[int, Row], None] | None = None
