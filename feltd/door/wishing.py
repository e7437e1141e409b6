"""What the floor wishes of a table: a rulebook by its digest, settings, or a version of feltd."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from feltd.door.commands import CommandRefused, Person

OF_THE_TABLE: Final = frozenset({"built", "faces", "look_sensor", "actions_keyed"})
"""Options that say what a table is made of. The table's own file has them, and no wish: a table that is told to have
readers where it has none would leave cards in the record that nobody saw."""
COUNTED_FROM: Final = 1_767_225_600.0
"""The first moment of 2026, seconds since 1970: from here the numbers of wishes count."""
COUNTED_EVERY: Final = 60.0
"""Seconds in which a number passes, whether somebody wishes or not."""
AHEAD_MOST: Final = 366 * 24 * 60
"""Numbers by which a wish may be ahead of the time: one beyond would come before all others for years."""
HEADROOM: Final = 30 * 24 * 60
"""Numbers that a table's record leaves to new wishes below the farthest: a table could else name the farthest one, and
no wish would have a number any more."""


def number_at(now: float) -> int:
    """The number that passes at a moment, seconds since 1970."""
    return int((now - COUNTED_FROM) // COUNTED_EVERY)


def farthest(now: float) -> int:
    """The highest number that a wish may have at a moment, seconds since 1970."""
    return max(0, number_at(now)) + AHEAD_MOST


def is_too_far(number: int, now: float) -> bool:
    """Whether a wish's number is of another year: the clock of who made it was wrong."""
    return number > farthest(now)


def too_far(number: int) -> CommandRefused:
    """The refusal of such a wish."""
    return CommandRefused(
        f"wish {number} has a number of another year: the clock of the floor's database was wrong as it was made, or "
        "that of this machine is now. Set it right, and wish it anew"
    )


@dataclass(frozen=True, slots=True)
class BookPlay:
    """What a table plays. `digest`: SHA-256 of the book's content, hexadecimal, as `feltd rules` prints its beginning.

    No text of a book is in it: the table plays the book that it has itself, if that has this digest.
    """

    rulebook: str
    digest: str
    options: Mapping[str, Any]

    def is_as(self, other: "BookPlay") -> bool:
        """Whether both are the same game. What the tables are made of is no part of it."""
        return (self.rulebook, self.digest, _wished(self.options)) == (
            other.rulebook, other.digest, _wished(other.options),
        )  # fmt: skip


def _wished(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in OF_THE_TABLE}


class Setting(StrEnum):
    """A setting of a table's own file that the floor may wish otherwise, by its key there."""

    LANGUAGE = "language"
    """Of the display. The page keeps its own file's."""
    SHORT_LOSS = "short_loss_seconds"
    GATHER = "gather_seconds"


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What holds at a table in place of what its own file says, by setting. What is not named is as the file says."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WishedBook:
    """A wish for one table. `number`: of the wish at the floor."""

    number: int
    play: BookPlay


@dataclass(frozen=True, slots=True)
class WishedVersion:
    """A wish for one table. `number`: of the wish at the floor; `version`: of feltd, as 0.9.0.

    Nothing is brought to the table. A board made from an image asks its own server by night, and installs what is
    signed for it, if it is this version (`feltd update install --together`).
    """

    number: int
    version: str


@dataclass(frozen=True, slots=True)
class WishedSettings:
    """A wish for one table. `number`: of the wish at the floor; `settings`: all that shall hold there by a wish."""

    number: int
    settings: TableSettings


AnyWish: TypeAlias = WishedBook | WishedSettings | WishedVersion


@dataclass(frozen=True, slots=True)
class WishCommand:
    """A wish as it comes to the table, signed by the floor. `id`, `until`, `made`: as of a `FloorCommand`.

    `person`: who wished it; `why`: with who approved it.
    """

    id: str
    person: Person
    why: str
    wish: AnyWish
    until: float
    made: int = 0
