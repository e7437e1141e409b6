"""Money: what each place gets, a chop, and prizes."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Cents, EntryNumber, Event
from floor_fsm.core.output import Output

Percent = Annotated[Decimal, Field(ge=0, le=100, max_digits=9, decimal_places=6, strict=False)]


class PayoutsSet(Event):
    """What each place gets, as the conditions say it: percent of the pool for the first place, the second, …."""

    ev: ClassVar[str] = "payouts.set"
    percent: Annotated[tuple[Percent, ...], Field(min_length=1, max_length=5000, strict=False)]


class Chopped(Event):
    """All who are left agree on a division of the rest of the pool: cents for each."""

    ev: ClassVar[str] = "chop"
    cents: Annotated[
        tuple[Annotated[tuple[EntryNumber, Cents], Field(strict=False)], ...], Field(max_length=1000, strict=False)
    ]


class PrizePaid(Event):
    """The cage has paid an entry's prize."""

    ev: ClassVar[str] = "prize.paid"
    entry: EntryNumber
    cents: Cents


class PrizeTakenBack(Event):
    """A prize that was paid is back at the cage: the place it was paid for was wrong."""

    ev: ClassVar[str] = "prize.taken_back"
    entry: EntryNumber


@dataclass(frozen=True, slots=True)
class PoolIs(Output):
    """The prize pool in cents, and what each place gets of it; empty where nobody has said it yet."""

    kind: ClassVar[str] = "pool"
    cents: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Payout(Output):
    """An entry's prize in cents, for the cage."""

    kind: ClassVar[str] = "payout"
    entry: int
    cents: int
