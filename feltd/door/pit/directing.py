"""A tournament over many tables, as a director's desk asks it of the floor: steps of people, and what came of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final

from feltd.door.bounds import Many
from feltd.door.commands import Person
from feltd.door.pit.sight import OfAccount
from feltd.door.wire.calls import Call
from feltd.door.wire.messages import MOST_TO_FLOOR, MOST_TO_TABLE

LINES_MOST: Final = 200
"""Events that are told of at once, the last ones."""
ENTRIES_MOST: Final = 5_000
"""Entries that are taken together: those of the largest sheet."""


class TournamentPhase(StrEnum):
    """How far a tournament is."""

    MADE = "made"
    """It has a book and a title, and no terms yet: `tournament.open` is the next step."""
    ENTRIES = "entries"
    """The seats are not drawn."""
    PLAYING = "playing"
    HAND_FOR_HAND = "hand_for_hand"
    SUSPENDED = "suspended"
    OVER = "over"
    """Nobody can enter, and one is left at most; or it was called off."""
    UNREAD = "unread"
    """This program cannot go on with it: `wrong` says why."""


@dataclass(frozen=True, slots=True)
class TournamentTile:
    """A tournament in a list.

    `entries`: that count for the pool; `playing`: entries with a seat; `tables`: in use; `seq`: its last event's
    number; `wrong`: why nobody can go on with it, in words. `payouts_due`: entries are over, and nobody has a prize
    before somebody sets what each place gets.
    """

    id: str
    title: str
    phase: TournamentPhase
    entries: int
    playing: int
    tables: int
    seq: int
    book: str = ""
    wrong: str | None = None
    payouts_due: bool = False


@dataclass(frozen=True, slots=True)
class TournamentAsk:
    """What has happened to a tournament behind event `since`; 0 for all. `account`: in whose name."""

    id: str
    since: int
    account: str = ""


@dataclass(frozen=True, slots=True)
class TournamentLine:
    """An event that was taken, and what the tournament said to it.

    `t`: seconds since the tournament was made; `who`, `why`, `role`: None where a table told it; `event`: as it is
    kept; `outputs`: each with its `kind`.
    """

    seq: int
    t: float
    ev: str
    who: str | None
    role: str | None
    why: str | None
    event: Mapping[str, Any]
    outputs: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """A table of a tournament as it says itself. `reached`: it is connected to this floord; `seats`: with a player.

    `wrong`: why it is not what the tournament says, and what it told that the tournament did not take, in words.
    """

    name: str
    reached: bool
    seats: tuple[int, ...]
    in_round: bool
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TournamentNews:
    """A tournament as it stands.

    `state`: each subject's part of it by name, as `floor_fsm.state` has them; None where nothing has happened since.
    `lines`: what has happened since, `LINES_MOST` at most, the last ones. `t`: the second of the tournament's clock
    now. `draws`: how many secrets the floor has left for draws; None where it keeps none, and the desk tells them.
    `law`: the book's TOML, which the tournament was made under; where all is asked for alone. `wall`: when its clock
    began, seconds since 1970; None from a floord that does not tell it.
    """

    id: str
    seq: int
    state: Mapping[str, Any] | None
    lines: tuple[TournamentLine, ...]
    t: float
    title: str = ""
    book: str = ""
    phase: TournamentPhase = TournamentPhase.MADE
    wrong: str | None = None
    draws: int | None = None
    tables: tuple[TournamentTable, ...] = ()
    law: str = ""
    wall: float | None = None


@dataclass(frozen=True, slots=True)
class DecidedBy:
    """Who takes a step, with their role and where they sat, and why."""

    person: Person
    why: str


@dataclass(frozen=True, slots=True)
class Opening:
    """A tournament is made, under a book. Its terms come with the step `tournament.open`, behind event 1."""

    id: str
    title: str
    book: str
    by: DecidedBy


@dataclass(frozen=True, slots=True)
class Step:
    """An event of a tournament, behind number `expected`.

    `event`: as `floor_fsm.lines` has it. `t` and `by` in it are replaced by the floor's clock and by `by`; it must have
    no `cause`, which is a table's.
    """

    tournament: str
    expected: int
    event: Mapping[str, Any]
    by: DecidedBy


@dataclass(frozen=True, slots=True)
class Entering:
    """Events `entry` of a tournament, behind number `expected`: all of them are taken, or none. See `Step`."""

    tournament: str
    expected: int
    entries: Annotated[tuple[Mapping[str, Any], ...], Many(ENTRIES_MOST)]
    by: DecidedBy


@dataclass(frozen=True, slots=True)
class Stepped:
    """The step was taken, and is on the disk. `seq`: its number; `outputs`: each with its `kind`."""

    seq: int
    outputs: tuple[Mapping[str, Any], ...]


TOURNAMENTS: Final[Call[OfAccount, tuple[TournamentTile, ...]]] = Call(
    "tournaments", OfAccount, tuple[TournamentTile, ...]
)
TOURNAMENT: Final[Call[TournamentAsk, TournamentNews]] = Call("tournament", TournamentAsk, TournamentNews)
OPEN: Final[Call[Opening, Stepped]] = Call("open", Opening, Stepped, MOST_TO_TABLE)
STEP: Final[Call[Step, Stepped]] = Call("step", Step, Stepped, MOST_TO_TABLE)
ENTER: Final[Call[Entering, Stepped]] = Call("enter", Entering, Stepped, MOST_TO_FLOOR)
