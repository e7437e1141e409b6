"""Entries: taken, handed on, withdrawn, given up, out; and the end of late entry."""

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator, Field

from floor_fsm.core.event import Cents, Chips, EntryNumber, Event, Name, Seat
from floor_fsm.core.output import Output
from floor_fsm.messages.opening import TableName

Person = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,40}$")]
"""A person's number at the house (of the loyalty card): the least that tells two people apart."""


def _told_apart(name: str) -> str:
    """The name. Raises ValueError where it is blank, or has what turns or breaks a line of text."""
    if not name.strip() or _NO_LETTER.search(name):
        raise ValueError("a name has letters, and nothing that breaks or turns the line")
    return name


_NO_LETTER: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
PersonName = Annotated[Name, AfterValidator(_told_apart)]
"""A person's name, as it is shown and printed."""


Level = Annotated[int, Field(ge=1, le=100)]
Few = Annotated[int, Field(ge=0, le=10**4)]


class EntryTaken(Event):
    """A person has entered, and paid.

    `another`: whoever took the entry has seen that this is another person than the one whose card or name is like.
    """

    ev: ClassVar[str] = "entry"
    entry: EntryNumber
    person: Person
    name: PersonName
    paid: Cents
    another: bool = False


class EntryHandedOn(Event):
    """An entry goes to another person. `another`: as `EntryTaken` has it."""

    ev: ClassVar[str] = "entry.handed_on"
    entry: EntryNumber
    person: Person
    name: PersonName
    another: bool = False


class EntryCorrected(Event):
    """The card number or the name of an entry was written down wrongly: who plays it stays the same."""

    ev: ClassVar[str] = "entry.corrected"
    entry: EntryNumber
    person: Person
    name: PersonName


class EntryWithdrawn(Event):
    """An entry that has not played is cancelled, or forfeited by who did not come.

    `refund`: the fee goes back. `mistaken`: nobody had entered, it was keyed by mistake; the fee goes back then too.
    """

    ev: ClassVar[str] = "entry.withdrawn"
    entry: EntryNumber
    refund: bool = False
    mistaken: bool = False


class EntryGivenUp(Event):
    """A player gives up the chips that are left, to enter again: they leave play."""

    ev: ClassVar[str] = "entry.given_up"
    entry: EntryNumber
    chips: Chips | None = None
    """As counted; None: `chips.taken` says it later."""


class EntryNoShow(Event):
    """Who has a seat did not come, and has forfeited it; the fee stays in the pool."""

    ev: ClassVar[str] = "entry.no_show"
    entry: EntryNumber


class EntrySubstituted(Event):
    """Another person plays this entry on. `another`: as `EntryTaken` has it."""

    ev: ClassVar[str] = "entry.substituted"
    entry: EntryNumber
    person: Person
    name: PersonName
    another: bool = False


class EntryBack(Event):
    """An entry that was told to be out, or not to have come, is in: a void round, a wrong report.

    `table` and `seat`: another place than the one it had.
    """

    ev: ClassVar[str] = "entry.back"
    entry: EntryNumber
    table: TableName | None = None
    seat: Seat | None = None


class EntryNeverCame(Event):
    """Who has not come by the book's level is provisionally eliminated: the rest of the stake leaves play.

    `chips`: that rest, as counted.
    """

    ev: ClassVar[str] = "entry.never_came"
    entry: EntryNumber
    chips: Chips


class EntryCame(Event):
    """Who was provisionally eliminated has come after all: the stake is back, less what would have been paid.

    `missed`: by level, the big blinds and the hands that were missed. `table` and `seat`: another place than the one
    it had.
    """

    ev: ClassVar[str] = "entry.came"
    entry: EntryNumber
    missed: Annotated[
        tuple[Annotated[tuple[Level, Few, Few], Field(strict=False)], ...], Field(max_length=100, strict=False)
    ] = ()
    table: TableName | None = None
    seat: Seat | None = None


class Rebuy(Event):
    """An entry buys chips. `stake`: the chips that it had; 0: who has just lost the last ones stays in."""

    ev: ClassVar[str] = "rebuy"
    entry: EntryNumber
    paid: Cents
    stake: Chips


class AddOn(Event):
    """An entry takes the add-on, or top-up."""

    ev: ClassVar[str] = "add_on"
    entry: EntryNumber
    paid: Cents


@dataclass(frozen=True, slots=True)
class Bought(Output):
    """An entry has bought chips: how often in all, and all chips that were issued to it."""

    kind: ClassVar[str] = "bought"
    entry: int
    rebuys: int
    add_ons: int
    chips: int


class LateClosed(Event):
    """No more entries are taken."""

    ev: ClassVar[str] = "late.closed"


class LevelBegan(Event):
    """A level began at all tables; late entry may end with it."""

    ev: ClassVar[str] = "level.began"
    needs_person: ClassVar[bool] = False
    level: Level


@dataclass(frozen=True, slots=True)
class StakeBack(Output):
    """How many chips come back into play for who has come after all."""

    kind: ClassVar[str] = "stake_back"
    entry: int
    chips: int


@dataclass(frozen=True, slots=True)
class Entered(Output):
    """An entry was taken. `again`: which time of this person it is, 1 for the first."""

    kind: ClassVar[str] = "entered"
    entry: int
    again: int


@dataclass(frozen=True, slots=True)
class LateEntryOver(Output):
    """From now on nobody enters. `entries`: how many there are that count for the pool."""

    kind: ClassVar[str] = "late_entry_over"
    entries: int


class EntryOut(Event):
    """An entry has no chips left, or is taken out of play. `cause` says by which hand, where a table told it."""

    ev: ClassVar[str] = "entry.out"
    needs_person: ClassVar[bool] = False
    entry: EntryNumber
