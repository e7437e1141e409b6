"""Entries: taken, handed on, withdrawn, given up, out; and the end of late entry."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Cents, EntryNumber, Event, Name
from floor_fsm.core.output import Output

Person = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,40}$")]
"""A person's number at the house (of the loyalty card): the least that tells two people apart."""


class EntryTaken(Event):
    """A person has entered, and paid."""

    ev: ClassVar[str] = "entry"
    entry: EntryNumber
    person: Person
    name: Name
    paid: Cents


class EntryHandedOn(Event):
    """An entry goes to another person."""

    ev: ClassVar[str] = "entry.handed_on"
    entry: EntryNumber
    person: Person
    name: Name


class EntryWithdrawn(Event):
    """An entry that has not played is cancelled, or forfeited by who did not come. `refund`: the fee goes back."""

    ev: ClassVar[str] = "entry.withdrawn"
    entry: EntryNumber
    refund: bool = False


class EntryGivenUp(Event):
    """A player gives up the chips that are left, to enter again: they leave play."""

    ev: ClassVar[str] = "entry.given_up"
    entry: EntryNumber


class LateClosed(Event):
    """No more entries are taken."""

    ev: ClassVar[str] = "late.closed"


class LevelBegan(Event):
    """A level began at all tables; late entry may end with it."""

    ev: ClassVar[str] = "level.began"
    needs_person: ClassVar[bool] = False
    level: Annotated[int, Field(ge=1, le=100)]


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
