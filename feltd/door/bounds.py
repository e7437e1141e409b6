"""How much a value that is asked of the table may say: the length of a text, the range of a number, how many of a list.

Each field of what may be asked has one, in its type (`Annotated`); `feltd.door.wire.codec` holds to it where somebody
asks. What the table tells is not held to any: an older table may have written more.
"""

import re
from collections.abc import Collection, Mapping, Sized
from dataclasses import dataclass
from typing import Annotated, Any, Final, Protocol, TypeAlias

LARGEST: Final = 2**53
"""The largest whole number that every JSON reader keeps."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""No keyboard writes these, and a terminal that shows the record would obey them."""


class Bound(Protocol):
    """What a value must be within."""

    def refusal(self, value: Any) -> str | None:
        """Return what the value must be, in words that do not repeat it; None where it is within the bound."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text of `least` to `most` characters, none of which is a control character but a line's end or a tab."""

    most: int
    least: int = 0

    def refusal(self, value: str) -> str | None:
        """See `Bound.refusal`."""
        if not self.least <= len(value) <= self.most:
            return f"must have {self.least} to {self.most} characters"
        return "must have no control characters" if _CONTROL.search(value) else None


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `least` to `most`."""

    least: float
    most: float

    def refusal(self, value: float) -> str | None:
        """See `Bound.refusal`."""
        return None if self.least <= value <= self.most else f"must be {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Many:
    """At most so many of a list or of an object. What each is, its own bound says."""

    most: int

    def refusal(self, value: Sized) -> str | None:
        """See `Bound.refusal`."""
        return None if len(value) <= self.most else f"must have {self.most} at most"


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a closed set of texts."""

    members: Collection[str]

    def refusal(self, value: str) -> str | None:
        """See `Bound.refusal`."""
        return None if value in self.members else f"must be one of {', '.join(sorted(self.members))}"


@dataclass(frozen=True, slots=True)
class Each:
    """At most so many of a list or of an object, and the bound of each. `name`: of each name of an object."""

    item: Bound
    most: int
    name: Bound | None = None

    def refusal(self, value: Collection[Any]) -> str | None:
        """See `Bound.refusal`."""
        if len(value) > self.most:
            return f"must have {self.most} at most"
        names = () if self.name is None else map(self.name.refusal, value)
        each = map(self.item.refusal, value.values() if isinstance(value, Mapping) else value)
        return next((f"each {why}" for why in (*names, *each) if why is not None), None)


@dataclass(frozen=True, slots=True)
class Fields:
    """A value of a room that knows no door: the bound of each field that limits something, by its name."""

    bounds: tuple[tuple[str, Bound], ...]

    def refusal(self, value: Any) -> str | None:
        """See `Bound.refusal`."""
        for name, bound in self.bounds:
            field = getattr(value, name)
            if field is not None and (why := bound.refusal(field)) is not None:
                return f"{name} {why}"
        return None


Name: TypeAlias = Annotated[str, Text(64)]
"""Of a person, a badge, an account, an address, a device, a kind."""
Words: TypeAlias = Annotated[str, Text(500)]
"""Of a person, for the record."""
Count: TypeAlias = Annotated[int, Number(0, LARGEST)]
"""Of an entry, a round, a signature, or how many there were."""
Moment: TypeAlias = Annotated[float, Number(0, 10**12)]
"""Seconds, of the table or since 1970."""
