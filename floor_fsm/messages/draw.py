"""The draw of seats: its commitment, who is kept apart, its secret, and a draw that two people annul."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Event
from floor_fsm.core.output import Output
from floor_fsm.messages.entries import Person
from floor_fsm.messages.opening import TableName

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Keeper(StrEnum):
    """Who keeps the secrets that were committed to, and knows them before their draws."""

    FLOOR = "floor"
    """The floor's server: no director has one before its draw."""
    DIRECTOR = "director"
    """Who committed to them: that person can reckon the seats of any list before it is closed."""


class DrawCommitted(Event):
    """The SHA-256 of the first draw's secret is published, before anybody has entered.

    `kept_by`: None where nobody has said it.
    """

    ev: ClassVar[str] = "draw.committed"
    commitment: Digest
    kept_by: Annotated[Keeper | None, Field(strict=False)] = None


class AssociatesNamed(Event):
    """These people belong together, and are seated apart where that can be."""

    ev: ClassVar[str] = "associates"
    persons: Annotated[tuple[Person, ...], Field(min_length=2, max_length=20, strict=False)]


class SeatsDrawn(Event):
    """The secret is told: everybody who waits has a seat by it.

    `short_tables`: the director lets tables begin with fewer players than the book asks for.
    """

    ev: ClassVar[str] = "seats.drawn"
    secret: Digest
    short_tables: bool = False


class DrawObjected(Event):
    """A person says why a draw should not stand, before a hand is dealt by it. Another one annuls it, or nobody does.

    `table`: the draw by which this table was broken; None: the last draw of all seats.
    """

    ev: ClassVar[str] = "draw.objected"
    table: TableName | None = None


class DrawAnnulled(Event):
    """A second person agrees: the draw does not count, nobody has a seat by it, and the next secret draws again."""

    ev: ClassVar[str] = "draw.annulled"
    table: TableName | None = None


@dataclass(frozen=True, slots=True)
class Committed(Output):
    """What anybody can hold the draw against."""

    kind: ClassVar[str] = "draw_committed"
    commitment: str
    kept_by: Keeper | None = None


@dataclass(frozen=True, slots=True)
class NotStanding(Output):
    """A draw was annulled, by these two. `secret`: that it was drawn by."""

    kind: ClassVar[str] = "draw_annulled"
    secret: str
    objected: str
    annulled: str


@dataclass(frozen=True, slots=True)
class DrawTold(Output):
    """The draw's secret and seed: with the list of entries everybody can draw it again."""

    kind: ClassVar[str] = "draw"
    secret: str
    seed: str
    entries: int
