"""The part of people, of chips and bags, and of the clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from floor_fsm.errors import Reason, Refused
from floor_fsm.play.chips import Counts, Ledger, RaceOrder
from floor_fsm.play.clock import Clock
from floor_fsm.play.people import Conduct
from floor_fsm.play.sessions import Bag


@dataclass(frozen=True, slots=True)
class People:
    """The part of people.

    `conducts`: what each entry carries, where that is anything. `unpaid`: entries that get no prize. `refunded`: whose
    fee went back. `barred`: persons, from what follows; `barred_for`: the entries with which they were.
    """

    conducts: Mapping[int, Conduct] = field(default_factory=dict)
    unpaid: tuple[int, ...] = ()
    refunded: tuple[int, ...] = ()
    barred: tuple[str, ...] = ()
    barred_for: tuple[int, ...] = ()

    def of(self, entry: int) -> Conduct:
        """What an entry carries."""
        return self.conducts.get(entry, Conduct())


@dataclass(frozen=True, slots=True)
class Departed:
    """The chips that left play with an entry. `never_came`: it is out provisionally, and may still come."""

    chips: int
    never_came: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """A stack as somebody counted it at second `at`."""

    chips: int
    at: float


@dataclass(frozen=True, slots=True)
class BeforeEnd:
    """The chips before a session's end, which may be taken back. `after`: the ledger that it made."""

    ledger: Ledger
    issued: Mapping[int, bool]
    bags: Mapping[int, Bag]
    carried: Mapping[int, int]
    after: Ledger


@dataclass(frozen=True, slots=True)
class Stacks:
    """The part of chips.

    `issued`: entries that have had their stack. `uncounted`: entries that were given up, and nobody has said with how
    many chips. `bags`: stacks that are sealed for the night, or at a session's end. `night`: whether the tournament is
    suspended. `carried`: chips of who goes on to the next session, in their bags. `ended`: between two sessions, what
    was before the end of the last. `departed`: of entries that are out, what left play with each. `counted`: stacks as
    they were counted last; one of an entry that is out says nothing. `unplayed`: entries that have had their stack
    since the last draw of all seats, until a hand. `brought`: chips of who plays this session from an earlier one.
    `nights`: how often it was suspended.
    """

    ledger: Ledger = field(default_factory=Ledger)
    issued: Mapping[int, bool] = field(default_factory=dict)
    uncounted: tuple[int, ...] = ()
    counts: Counts = field(default_factory=Counts)
    race: RaceOrder | None = None
    bags: Mapping[int, Bag] = field(default_factory=dict)
    night: bool = False
    carried: Mapping[int, int] = field(default_factory=dict)
    ended: BeforeEnd | None = None
    departed: Mapping[int, Departed] = field(default_factory=dict)
    counted: Mapping[int, Counted] = field(default_factory=dict)
    unplayed: tuple[int, ...] = ()
    brought: Mapping[int, int] = field(default_factory=dict)
    nights: int = 0

    def without_departed(self, entry: int) -> "Stacks":
        """The same, where nothing has left play with an entry."""
        return replace(self, departed={one: had for one, had in self.departed.items() if one != entry})

    @property
    def on_tables(self) -> int:
        """The chips in play but those that are carried to the next session."""
        return self.ledger.in_play - sum(self.carried.values())

    def require_settled(self, clause: str | None) -> None:
        """Refuse while a race is on, or while nobody has said how many chips somebody gave up."""
        if self.race is not None:
            waits = ", ".join(self.race.waits_for)
            raise Refused(Reason.WRONG_STATE, f"a race is on: tables {waits} have not told theirs", clause)
        if self.uncounted:
            names = ", ".join(map(str, self.uncounted))
            raise Refused(Reason.WRONG_STATE, f"say first how many chips entries {names} gave up", clause)


@dataclass(frozen=True, slots=True)
class Time:
    """The part of the clock: None before there is a schedule."""

    clock: Clock | None = None
