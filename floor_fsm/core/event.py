"""The base of the events: when, by whom and why, and the fact of a table that caused it."""

from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

Words = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Cents = Annotated[int, Field(ge=0, le=10**15)]
"""Money in cents of the tournament's currency."""
CHIPS_MOST: Final = 10**15
Chips = Annotated[int, Field(ge=0, le=CHIPS_MOST)]
"""Tournament chips; they have no worth in money."""
Seat = Annotated[int, Field(ge=1, le=11)]
EntryNumber = Annotated[int, Field(ge=1, le=10**6)]
"""Of one entry: a person who enters again has another."""
Journal = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]

FROZEN: Final = ConfigDict(extra="forbid", frozen=True, strict=True)


class By(BaseModel):
    """A person who decided, and why. `role`: of their account; `place`: where they sat; None where nobody knows it."""

    model_config = FROZEN
    who: Name
    why: Words
    role: Name | None = None
    place: Name | None = None


class Cause(BaseModel):
    """A table's entry that the event follows from. It causes one event and no second one."""

    model_config = FROZEN
    journal: Journal
    seq: Annotated[int, Field(ge=1)]


class Event(BaseModel):
    """Something that happened to a tournament.

    `t`: seconds of the floor's clock since the tournament was made; it never runs back. `by`: None where no person
    decided it. `cause`: None where no table told it.
    """

    model_config = FROZEN
    ev: ClassVar[str]
    needs_person: ClassVar[bool] = True
    """Whether only a person decides it: it is refused without `by`."""
    t: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    by: By | None = None
    cause: Cause | None = None
