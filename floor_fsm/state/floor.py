"""The part of people, of chips and bags, and of the clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from floor_fsm.play.chips import Counts, Ledger, RaceOrder
from floor_fsm.play.clock import Clock
from floor_fsm.play.people import Conduct
from floor_fsm.play.sessions import Bag


@dataclass(frozen=True, slots=True)
class People:
    """The part of people.

    `conducts`: what each entry carries, where that is anything. `unpaid`: entries that get no prize. `refunded`: whose
    fee went back. `barred`: persons, from what follows.
    """

    conducts: Mapping[int, Conduct] = field(default_factory=dict)
    unpaid: tuple[int, ...] = ()
    refunded: tuple[int, ...] = ()
    barred: tuple[str, ...] = ()

    def of(self, entry: int) -> Conduct:
        """What an entry carries."""
        return self.conducts.get(entry, Conduct())


@dataclass(frozen=True, slots=True)
class Stacks:
    """The part of chips.

    `issued`: entries that have had their stack. `uncounted`: entries that were given up, and nobody has said with how
    many chips. `bags`: stacks that are sealed for the night. `night`: whether the tournament is suspended.
    """

    ledger: Ledger = field(default_factory=Ledger)
    issued: Mapping[int, bool] = field(default_factory=dict)
    uncounted: tuple[int, ...] = ()
    counts: Counts = field(default_factory=Counts)
    race: RaceOrder | None = None
    bags: Mapping[int, Bag] = field(default_factory=dict)
    night: bool = False


@dataclass(frozen=True, slots=True)
class Time:
    """The part of the clock: None before there is a schedule."""

    clock: Clock | None = None
