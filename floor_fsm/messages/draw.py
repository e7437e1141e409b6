"""The draw of seats: its commitment, who is kept apart, and its secret."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Event
from floor_fsm.core.output import Output
from floor_fsm.messages.entries import Person

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class DrawCommitted(Event):
    """The SHA-256 of the first draw's secret is published, before anybody has entered."""

    ev: ClassVar[str] = "draw.committed"
    commitment: Digest


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


@dataclass(frozen=True, slots=True)
class Committed(Output):
    """What anybody can hold the draw against."""

    kind: ClassVar[str] = "draw_committed"
    commitment: str


@dataclass(frozen=True, slots=True)
class DrawTold(Output):
    """The draw's secret and seed: with the list of entries everybody can draw it again."""

    kind: ClassVar[str] = "draw"
    secret: str
    seed: str
    entries: int
