"""Wishes at the pit: what people wish of tables and say to it, and how each table stands to it."""

from dataclasses import dataclass
from typing import Final

from feltd.door.commands import Person
from feltd.door.pit.sight import OfAccount
from feltd.door.wire.calls import Call
from feltd.door.wire.messages import MOST_TO_TABLE
from feltd.door.wishing import BookPlay, TableSettings

HOLD_MOST: Final = 7 * 86400.0
"""Seconds for which a canary holds a wish at most."""


@dataclass(frozen=True, slots=True)
class NewWish:
    """Somebody wishes that tables play a book, have settings, or run a version of feltd: one of these.

    `tables`, and those of `groups`; `canary`: one of them, None for the first by name; `hold`: seconds for which it
    must hold the wish before the others take it.
    """

    person: Person
    play: BookPlay | None
    tables: tuple[str, ...]
    groups: tuple[str, ...]
    canary: str | None
    hold: float
    why: str
    version: str = ""
    settings: TableSettings | None = None


@dataclass(frozen=True, slots=True)
class SaidToWish:
    """A person approves a wish (`approve`), or stops it."""

    number: int
    approve: bool
    person: Person
    why: str


@dataclass(frozen=True, slots=True)
class WishBack:
    """A person wishes that the tables which took this wish play again what they played before."""

    number: int
    person: Person
    why: str


@dataclass(frozen=True, slots=True)
class WishMade:
    """A wish that is kept now. It waits for a second person."""

    number: int
    tables: tuple[str, ...]
    canary: str


@dataclass(frozen=True, slots=True)
class TableOfWish:
    """A table of a wish. `holds`: of `feltd.floor.wishes.Holds`; `plays`: what it plays now, None where not known.

    `wished`: what it shall play, None in a wish for something else; `runs`: the version that it runs, None where not
    known; `words`: why it refused; `wants`: the settings that it shall have, None in a wish for something else; `has`:
    the wished ones that hold there now, None where not known.
    """

    table: str
    holds: str
    wished: BookPlay | None
    plays: BookPlay | None
    words: str
    runs: str | None = None
    wants: TableSettings | None = None
    has: TableSettings | None = None


@dataclass(frozen=True, slots=True)
class WishShown:
    """A wish with all that was said to it. `stage`: of `feltd.floor.wishes.Stage`; `canary`: empty for none.

    `hold`: seconds; `left`: seconds that the canary must still hold it, None where it does not; `approved`, `stopped`:
    who, empty for nobody; `version`: of feltd, empty in a wish for something else.
    """

    number: int
    stage: str
    canary: str
    hold: float
    left: float | None
    back_of: int | None
    who: str
    why: str
    at: float
    approved: str
    approved_why: str
    stopped: str
    stopped_why: str
    tables: tuple[TableOfWish, ...]
    version: str = ""


WISHES: Final[Call[OfAccount, tuple[WishShown, ...]]] = Call("wishes", OfAccount, tuple[WishShown, ...])
WISH: Final[Call[NewWish, WishMade]] = Call("wish", NewWish, WishMade, MOST_TO_TABLE)
SAY_TO_WISH: Final[Call[SaidToWish, None]] = Call("say_to_wish", SaidToWish, None)
WISH_BACK: Final[Call[WishBack, WishMade]] = Call("wish_back", WishBack, WishMade)
