"""What happens to waiting lists, and what is said to it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from floor_fsm.core.event import Event, Name, Seat
from floor_fsm.core.output import Output
from floor_fsm.messages.opening import TableSeats

GameId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
Number = Annotated[int, Field(ge=1, le=10**9)]
"""Of one wait: somebody who waits for two games has two."""


class GameListed(Event):
    """A list for a game is opened. `hold_minutes`: how long its seats are held; None: as the book says."""

    ev: ClassVar[str] = "game.listed"
    game: GameId
    name: Name
    hold_minutes: Annotated[int, Field(ge=1, le=60)] | None = None


class TablesNamed(Event):
    """The tables that a game is spread at, with their seats: of these the list's desk knows which seats are free."""

    ev: ClassVar[str] = "game.tables"
    game: GameId
    tables: Annotated[tuple[TableSeats, ...], Field(max_length=60, strict=False)]


class GameClosed(Event):
    """A game's list is closed. Nobody waits on it."""

    ev: ClassVar[str] = "game.closed"
    game: GameId


class Joined(Event):
    """Somebody waits for a game. `from_table`, `from_seat`: where they sit, if they want to change tables."""

    ev: ClassVar[str] = "waiting.joined"
    number: Number
    person: Name
    name: Name
    game: GameId
    from_table: Name | None = None
    from_seat: Seat | None = None


class Corrected(Event):
    """A card or a name was typed wrongly."""

    ev: ClassVar[str] = "waiting.corrected"
    number: Number
    person: Name
    name: Name


class TransferApproved(Event):
    """A supervisor approves that somebody changes tables, for the game of this list."""

    ev: ClassVar[str] = "transfer.approved"
    number: Number


class Called(Event):
    """Somebody is called for a seat, which is held for them from now on."""

    ev: ClassVar[str] = "waiting.called"
    number: Number
    table: Name
    seat: Seat


class CallTakenBack(Event):
    """A call was wrong: who was called waits at the same place as before, and the seat is not held."""

    ev: ClassVar[str] = "call.taken_back"
    number: Number


class SatDown(Event):
    """Who was called has taken the seat."""

    ev: ClassVar[str] = "waiting.sat_down"
    number: Number


class PassedOver(Event):
    """Who was called did not come in time. `declined`: they said themselves that they do not want the seat."""

    ev: ClassVar[str] = "waiting.passed_over"
    number: Number
    declined: bool = False


class TakenOff(Event):
    """Somebody waits no longer."""

    ev: ClassVar[str] = "waiting.taken_off"
    number: Number


class WaitMoved(Event):
    """Somebody goes to the end of another game's list."""

    ev: ClassVar[str] = "waiting.moved"
    number: Number
    game: GameId


class RoomClosed(Event):
    """The lists are closed for good. Nobody waits."""

    ev: ClassVar[str] = "room.closed"


class End(StrEnum):
    """How a wait has ended."""

    SAT_DOWN = "sat_down"
    PASSED_OVER = "passed_over"
    TAKEN_OFF = "taken_off"


@dataclass(frozen=True, slots=True)
class Waits(Output):
    """Somebody is on a game's list. `place`: from 1, among all who wait there."""

    kind: ClassVar[str] = "waits"
    number: int
    game: str
    place: int


@dataclass(frozen=True, slots=True)
class SeatHeld(Output):
    """A seat is held for somebody, until second `until`."""

    kind: ClassVar[str] = "seat.held"
    number: int
    table: str
    seat: int
    until: float


@dataclass(frozen=True, slots=True)
class SeatFree(Output):
    """A seat is not held any more."""

    kind: ClassVar[str] = "seat.free"
    table: str
    seat: int


@dataclass(frozen=True, slots=True)
class WaitOver(Output):
    """Somebody waits no longer."""

    kind: ClassVar[str] = "wait.over"
    number: int
    how: End
