"""Waiting lists of cash games, as the pit's pages ask them of the floor."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from feltd.door.pit.directing import Opening, Step, Stepped
from feltd.door.pit.sight import OfAccount
from feltd.door.wire.calls import Call
from feltd.door.wire.messages import MOST_TO_TABLE

LINES_MOST: Final = 60
"""Events that are told of, the last ones."""


class SeatsKnown(StrEnum):
    """How much a table's record says of its free seats now."""

    NOW = "now"
    BEHIND = "behind"
    """The table has told of more than the floor has, or of something else."""
    AWAY = "away"
    """It is not connected: its seats are those of when it was heard last."""
    CLOSED = "closed"
    TOURNAMENT = "tournament"
    NEVER = "never"
    """The floor has no record of it."""


@dataclass(frozen=True, slots=True)
class TableFree:
    """A table of a game, with the seats that are free there and held for nobody.

    `heard`: when the table last said something, seconds since 1970.
    """

    game: str
    table: str
    free: tuple[int, ...]
    known: SeatsKnown
    heard: float | None = None


@dataclass(frozen=True, slots=True)
class RoomTile:
    """The lists of one card room. `waiting`, `called`: how many people; `wrong`: why nobody can go on, in words.

    `free`: seats that are free now at tables of its games.
    """

    id: str
    title: str
    book: str
    seq: int
    games: int
    waiting: int
    called: int
    closed: bool = False
    wrong: str | None = None
    free: int = 0


@dataclass(frozen=True, slots=True)
class RoomAsk:
    """How the lists of a room stand. `account`: in whose name."""

    id: str
    account: str = ""


@dataclass(frozen=True, slots=True)
class RoomLine:
    """An event that was taken. `number`: of whom it is about; `name`: of them, a token where it was erased."""

    seq: int
    t: float
    ev: str
    who: str
    role: str | None
    why: str
    number: int | None = None
    name: str | None = None
    game: str | None = None
    table: str | None = None
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class RoomRule:
    """A matter that the book rules on."""

    matter: str
    clause: str
    text: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class RoomNews:
    """The lists of a room as they stand. `t`: the second of their clock now; `wall`: when that began, since 1970.

    `lists`: `floor_fsm.waiting.state.Lists` as JSON has it.
    """

    id: str
    title: str
    book: str
    seq: int
    t: float
    wall: float
    lists: Mapping[str, Any]
    rules: tuple[RoomRule, ...] = ()
    lines: tuple[RoomLine, ...] = ()
    wrong: str | None = None
    free: tuple[TableFree, ...] = ()


WAITING_ROOMS: Final[Call[OfAccount, tuple[RoomTile, ...]]] = Call("waiting_rooms", OfAccount, tuple[RoomTile, ...])
WAITING_ROOM: Final[Call[RoomAsk, RoomNews]] = Call("waiting_room", RoomAsk, RoomNews)
OPEN_ROOM: Final[Call[Opening, Stepped]] = Call("open_room", Opening, Stepped, MOST_TO_TABLE)
ROOM_STEP: Final[Call[Step, Stepped]] = Call("room_step", Step, Stepped, MOST_TO_TABLE)
