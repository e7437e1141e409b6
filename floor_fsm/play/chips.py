"""Every tournament chip: issued, moved, taken out of play, raced, counted and brought back.

The Star 6.9, 7.10, 7.11, 7.39 and 7.42; Onyx, Chip Races and Chips 3 to 5, Penalties 4; ACT 2001, 4.8 and 4.9.

A holder is a table, or a place between tables: a player who walks with chips, a bag over night. What is issued, less
what left play, is always what the holders have together.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import CountRules, RaceRules
from table_fsm.errors import Refused as TableRefused
from table_fsm.poker.tournament.races import RaceMethod, start_race


class Into(StrEnum):
    """Why chips come into play."""

    ENTRY = "entry"
    RE_ENTRY = "re_entry"
    REBUY = "rebuy"
    ADD_ON = "add_on"
    RESTORED = "restored"
    """What was taken from one who came late after all (The Star 7.12)."""
    RACED = "raced"
    """A race gave more than it took: rounded up, or a chip for who would have been raced out."""
    WON = "won"
    """Players won them from the house in a session (UTH)."""


class OutOf(StrEnum):
    """Why chips leave play."""

    DISQUALIFIED = "disqualified"
    REMOVED = "removed"
    """Their player was asked to leave, or is provisionally eliminated."""
    FORFEITED = "forfeited"
    """Given up to enter again (The Star 7.11)."""
    RACED = "raced"
    RETURNED = "returned"
    """Counted back at the end (The Star 7.10), or at the end of a session by who does not take them along."""
    LOST = "lost"
    """Players lost them to the house in a session (UTH)."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What came into play, what left it, and who has the rest. Chips are points of the tournament."""

    came: Mapping[Into, int] = field(default_factory=lambda: dict.fromkeys(Into, 0))
    left: Mapping[OutOf, int] = field(default_factory=lambda: dict.fromkeys(OutOf, 0))
    held: Mapping[str, int] = field(default_factory=dict)

    @property
    def in_play(self) -> int:
        """Chips issued, less those that left play."""
        return sum(self.came.values()) - sum(self.left.values())

    def issue(self, why: Into, holder: str, chips: int) -> "Ledger":
        """Chips come into play at a holder. Refuses less than one."""
        _some(chips)
        came = {**self.came, why: self.came[why] + chips}
        return replace(self, came=came, held=self._held({holder: chips}))

    def take_back(self, why: Into, holder: str, chips: int) -> "Ledger":
        """Chips that came into play by mistake did not. Refuses less than one, and more than came so."""
        _some(chips)
        self._has(holder, chips, None)
        if chips > self.came[why]:
            raise Refused(Reason.DOES_NOT_ADD_UP, f"{chips} chips taken back, and {self.came[why]} came as {why}")
        return replace(self, came={**self.came, why: self.came[why] - chips}, held=self._held({holder: -chips}))

    def remove(self, why: OutOf, holder: str, chips: int, clause: str | None = None) -> "Ledger":
        """Chips of a holder leave play. Refuses less than one, and more than the holder has."""
        _some(chips)
        self._has(holder, chips, clause)
        left = {**self.left, why: self.left[why] + chips}
        return replace(self, left=left, held=self._held({holder: -chips}))

    def move(self, source: str, target: str, chips: int, clause: str | None = None) -> "Ledger":
        """Chips go from one holder to another, in sight of everybody (Onyx, Chips 3 and 4).

        Refuses less than one, and more than the holder has.
        """
        _some(chips)
        self._has(source, chips, clause)
        if source == target:
            return self
        return replace(self, held=self._held({source: -chips, target: chips}))

    def _has(self, holder: str, chips: int, clause: str | None) -> None:
        known = self.held.get(holder, 0)
        if chips > known:
            raise Refused(
                Reason.DOES_NOT_ADD_UP,
                f"{holder} has {known} chips, and {chips} are to leave it: count the table",
                clause,
            )

    def _held(self, change: Mapping[str, int]) -> Mapping[str, int]:
        held = {**self.held, **{holder: self.held.get(holder, 0) + chips for holder, chips in change.items()}}
        return {holder: chips for holder, chips in sorted(held.items()) if chips}


def _some(chips: int) -> None:
    if chips < 1:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"{chips} chips: one or more")


@dataclass(frozen=True, slots=True)
class Returned:
    """A denomination as it was issued and as it came back, in numbers of chips, where they differ."""

    chip: int
    issued: int
    back: int


def differences(issued: Mapping[int, int], back: Mapping[int, int]) -> tuple[Returned, ...]:
    """The denominations of which another number came back than was issued (The Star 7.10: number and value)."""
    chips = sorted({*issued, *back})
    return tuple(
        Returned(chip, issued.get(chip, 0), back.get(chip, 0))
        for chip in chips
        if issued.get(chip, 0) != back.get(chip, 0)
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of all chips so far in one round, heat or final, by the stage's name."""

    made: Mapping[str, int] = field(default_factory=dict)

    def add(self, rules: CountRules, stage: str) -> "Counts":
        """One more count. Refuses one too many."""
        made = self.made.get(stage, 0)
        if made >= rules.most:
            raise Refused(
                Reason.TOO_MANY_COUNTS, f"{made} counts were made in {stage}: {rules.most} at most", rules.clause
            )
        return Counts({**self.made, stage: made + 1})


@dataclass(frozen=True, slots=True)
class TableRace:
    """What a table tells of its race.

    `odd`: odd chips by seat. `last`: seats that had nothing else. `chips`: new chips by seat. `kept_in`: seats that
    were given one so as not to be raced out. `out`: cents of small chips that left the table.
    """

    odd: Mapping[int, int]
    chips: Mapping[int, int]
    last: tuple[int, ...] = ()
    kept_in: tuple[int, ...] = ()
    out: int = 0


@dataclass(frozen=True, slots=True)
class RaceOrder:
    """A race that was ordered for all tables. `told`: by table, what its race changed of the chips in play."""

    rules: RaceRules
    chip: int
    new_chip: int
    tables: tuple[str, ...]
    told: Mapping[str, int] = field(default_factory=dict)

    @property
    def waits_for(self) -> tuple[str, ...]:
        """The tables that have not raced yet."""
        return tuple(table for table in self.tables if table not in self.told)

    def tell(self, table: str, race: TableRace) -> "RaceOrder":
        """A table tells its race: tallied there, held against the book's method here.

        Refuses a table that has none to tell, and a race that does not come out as the method has it.
        """
        if table not in self.tables:
            raise Refused(Reason.UNKNOWN_TABLE, f"table {table} has no race to tell", self.rules.clause)
        if table in self.told:
            raise Refused(Reason.NAMED_TWICE, f"table {table} has told its race", self.rules.clause)
        try:
            due = start_race(self.rules.method, self.chip, self.new_chip, race.odd, race.last)
        except TableRefused as error:
            raise Refused(Reason.DOES_NOT_ADD_UP, f"table {table}: {error}", self.rules.clause) from None
        tally = sum(race.odd.values()) * self.chip
        takes_all = self.rules.method is RaceMethod.TAKES_ALL
        won = sum(race.chips.values()) - len(race.kept_in)
        stays = tally - due.prize * self.new_chip if takes_all else 0
        if won != due.prize or race.out != tally - stays or not set(race.kept_in) <= set(race.last):
            raise Refused(
                Reason.DOES_NOT_ADD_UP,
                f"table {table} tells {won} new chips won and {race.out} in small chips taken off: of {tally} in odd "
                f"chips it is {due.prize} and {tally - stays}",
                self.rules.clause,
            )
        if not takes_all and any(count > 1 for count in race.chips.values()):
            raise Refused(Reason.NOT_ALLOWED, f"table {table}: a player wins one chip at most", self.rules.clause)
        change = sum(race.chips.values()) * self.new_chip - race.out
        return replace(self, told={**self.told, table: change})


def order_race(rules: RaceRules | None, chip: int, new_chip: int, tables: tuple[str, ...]) -> RaceOrder:
    """Order a race of `chip` for `new_chip` at all tables.

    Refuses a book without races, and a new chip that is worth no more.
    """
    if rules is None:
        raise Refused(Reason.NOT_IN_THE_BOOK, "this book has no chip races")
    if not 0 < chip < new_chip:
        raise Refused(
            Reason.DOES_NOT_ADD_UP, f"chips of {chip} for chips of {new_chip}: the new one is worth more", rules.clause
        )
    return RaceOrder(rules, chip, new_chip, tuple(sorted(tables)))


def raced(ledger: Ledger, table: str, change: int) -> Ledger:
    """The ledger after a table's race changed its chips by so many."""
    if change > 0:
        return ledger.issue(Into.RACED, table, change)
    return ledger.remove(OutOf.RACED, table, -change) if change else ledger
