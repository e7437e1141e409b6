"""The part of money, and the pool as it stands."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Refused
from floor_fsm.law.law import Law
from floor_fsm.law.matters import PoolRules
from floor_fsm.messages.opening import TournamentOpen
from floor_fsm.play.prizes import Chop, Fees, divided, pool, shares
from floor_fsm.state.entries import Entries
from floor_fsm.state.floor import People
from floor_fsm.state.opening import Opening, opened
from floor_fsm.state.rebuys import Rebuys


@dataclass(frozen=True, slots=True)
class Money:
    """The part of money.

    `pool`: in cents, as it was last told; None before. `percent`: of each place, where the conditions say it. `told`:
    the prize in cents of each entry as it was last told. `paid`: what the cage has paid of it, in cents.
    """

    pool: int | None = None
    percent: tuple[Decimal, ...] | None = None
    chop: Chop | None = None
    told: Mapping[int, int] = field(default_factory=dict)
    paid: Mapping[int, int] = field(default_factory=dict)


_SILENT = PoolRules(
    clause="ours", text="The text has no word on the prize pool: fees and what is added.", house="beside_the_fee"
)


def pool_rules(law: Law) -> PoolRules:
    """The book's row of the pool; where it is silent, fees and what is added, and payouts as the conditions say."""
    return law.book.pool or _SILENT


def fees_of(law: Law, terms: TournamentOpen, entries: int) -> Fees:
    """What so many entries have brought. What goes to the house is a part of the fee only where the book has it so."""
    if pool_rules(law).house == "of_the_fee":
        return Fees(terms.fee + terms.house, entries, kept=terms.house * entries, added=terms.added)
    return Fees(terms.fee, entries, added=terms.added)


def pool_of(parts: Parts) -> int:
    """The prize pool in cents as it stands: without fees that went back."""
    counted = parts.of(Entries).counted - len(parts.of(People).refunded)
    fees = replace(fees_of(parts.law, opened(parts), counted), rebuys=parts.of(Rebuys).pool)
    return pool(pool_rules(parts.law), fees)


def amounts_of(parts: Parts) -> tuple[int, ...]:
    """Cents for the first place, the second, …

    Empty where nobody has said yet what each gets, and while more places are to be paid than there are entries: play
    goes on, and more may enter.
    """
    try:
        percent = shares(pool_rules(parts.law), parts.of(Entries).counted, parts.of(Money).percent)
    except Refused:
        return ()  # what a person sets is refused to them as they set it; `payouts_due` tells the rest
    return divided(pool_of(parts), percent)


def payouts_due(parts: Parts) -> bool:
    """Whether entries are over, and somebody must set what each place gets before anybody has a prize."""
    over = parts.of(Entries).closed and not parts.of(Opening).cancelled
    return over and pool_of(parts) > 0 and not amounts_of(parts)
