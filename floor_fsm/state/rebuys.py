"""The part of chips that are bought beside an entry's, and the one place where chips become amounts of a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from floor_fsm.core.parts import Parts
from floor_fsm.law.law import Law
from floor_fsm.law.matters import GameRow
from floor_fsm.messages.opening import TournamentOpen
from floor_fsm.state.opening import opened

_CENTS: Final = 100
"""Of a dollar."""


@dataclass(frozen=True, slots=True)
class Bought:
    """What an entry has bought. `chips`: all that were issued to it, its own stack too; `pool`, `house`: cents paid."""

    rebuys: int = 0
    add_ons: int = 0
    chips: int = 0
    pool: int = 0
    house: int = 0


@dataclass(frozen=True, slots=True)
class Rebuys:
    """The part of rebuys. `bought`: by entry, where that is anything. `just_out`: by entry that lost its last chips in
    the last hand that its table told of, that table. `unplayed`: by entry, the rebuys and add-ons since the last hand
    that its table told of.
    """

    bought: Mapping[int, Bought] = field(default_factory=dict)
    just_out: Mapping[int, str] = field(default_factory=dict)
    unplayed: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def pool(self) -> int:
        """Cents for the pool."""
        return sum(one.pool for one in self.bought.values())


def bought_by(parts: Parts, entry: int) -> Bought:
    """What an entry has bought, and all its chips."""
    return parts.of(Rebuys).bought.get(entry) or Bought(chips=opened(parts).stack)


def game_of(law: Law, terms: TournamentOpen) -> GameRow | None:
    """The book's row of the game that is played; None where it has none, or none was named."""
    return next((row for row in law.book.games if row.game == terms.game), None)


def table_amount(law: Law, chips: int) -> int:
    """Chips of a tournament as its tables count them: in hundredths of a dollar where the text counts dollars."""
    return chips * _CENTS if _in_dollars(law) else chips


def chips_of(law: Law, amount: int) -> int:
    """An amount of a table in chips of its tournament; a part of a dollar does not count."""
    return amount // _CENTS if _in_dollars(law) else amount


def _in_dollars(law: Law) -> bool:
    return law.book.chips is not None and law.book.chips.unit == "dollars"
