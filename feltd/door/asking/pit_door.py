"""The floor in another process, asked over floord's socket."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeVar

from feltd.door.access import AccessFact
from feltd.door.asking.socket_line import SocketLine
from feltd.door.commands import TableAwayError
from feltd.door.pit.directing import (
    ENTER,
    OPEN,
    STEP,
    TOURNAMENT,
    TOURNAMENTS,
    Entering,
    Opening,
    Step,
    Stepped,
    TournamentAsk,
    TournamentNews,
    TournamentTile,
)
from feltd.door.pit.orders import ORDER, Order, Ordered
from feltd.door.pit.searching import REPORT, SEARCH, PitFound, PitReport, PitSearch
from feltd.door.pit.sight import SIGHT, OfAccount, PitSight
from feltd.door.pit.standing import ANSWER_ALARM, AlarmAnswered
from feltd.door.pit.state import NEWS, PIT_ACCESS, PitAccess, PitNews, PitSince
from feltd.door.pit.trending import TRENDS, PitAmounts, PitTrend
from feltd.door.pit.waiting import (
    OPEN_ROOM,
    ROOM_STEP,
    WAITING_ROOM,
    WAITING_ROOMS,
    RoomAsk,
    RoomNews,
    RoomTile,
)
from feltd.door.pit.wishes import (
    SAY_TO_WISH,
    WISH,
    WISH_BACK,
    WISHES,
    NewWish,
    SaidToWish,
    WishBack,
    WishMade,
    WishShown,
)
from feltd.door.wire.messages import Purpose

_T = TypeVar("_T")


MANY_WITHIN: Final = 120.0
"""Seconds for the entries of a sheet: of thousands the database keeps each name and each event."""


class PitDoor(SocketLine):
    """The floor, as the pit page has it. Belongs to one loop, in which `run` must run."""

    def __init__(self, place: Path) -> None:
        """`place`: floord's socket."""
        super().__init__(place, Purpose.PIT)

    async def sight(self, account: str) -> PitSight:
        """What the person of this account sees. Raises TableAwayError."""
        return await self._ask(SIGHT, OfAccount(account))

    async def news(self, since: PitSince) -> PitNews:
        """The tables that have changed since."""
        return await self._ask(NEWS, since)

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Put what happened at the page on record. Raises NotOnDiskError, TableAwayError."""
        await self._ask(PIT_ACCESS, PitAccess(page, facts))

    async def order(self, order: Order) -> Ordered:
        """Have a table take a decision. Raises CommandRefused where nothing was sent, TableAwayError."""
        return await self._ask(ORDER, order)

    async def answer_alarm(self, asked: AlarmAnswered) -> None:
        """Keep a person's answer to an alarm of custody. Raises CommandRefused, TableAwayError."""
        await self._ask(ANSWER_ALARM, asked)

    async def search(self, search: PitSearch) -> PitFound:
        """Rounds, rulings and counts of the tables that a person sees. Raises CommandRefused, TableAwayError."""
        return await self._ask(SEARCH, search)

    async def report(self, asked: PitReport) -> PitFound:
        """The same to be handed out, once that is on record. Raises CommandRefused, TableAwayError."""
        return await self._ask(REPORT, asked)

    async def trends(self, asked: PitTrend) -> PitAmounts:
        """How much there was at the tables that a person sees. Raises CommandRefused, TableAwayError."""
        return await self._ask(TRENDS, asked)

    # -- wishes; each call raises CommandRefused, TableAwayError

    async def wishes(self, account: str) -> tuple[WishShown, ...]:
        """The last wishes of whose tables a person sees all, latest first."""
        return await self._ask(WISHES, OfAccount(account))

    async def wish(self, asked: NewWish) -> WishMade:
        """Keep a wish, which waits for a second person."""
        return await self._ask(WISH, asked)

    async def say_to_wish(self, asked: SaidToWish) -> None:
        """Approve a wish, or stop it."""
        await self._ask(SAY_TO_WISH, asked)

    async def wish_back(self, asked: WishBack) -> WishMade:
        """Keep the wish that tables play again what they played before another one."""
        return await self._ask(WISH_BACK, asked)

    # -- tournaments; each call raises TableAwayError too

    async def tournaments(self, account: str) -> tuple[TournamentTile, ...]:
        """Every tournament of whose tables a person sees all, in the order in which they were made."""
        return await self._ask(TOURNAMENTS, OfAccount(account))

    async def tournament(self, asked: TournamentAsk) -> TournamentNews:
        """What has happened to a tournament. Raises CommandRefused where there is none of this id."""
        return await self._ask(TOURNAMENT, asked)

    async def open(self, opening: Opening) -> Stepped:
        """Make a tournament. Raises CommandRefused, StepNotKnownError."""
        return await self._ask(OPEN, opening)

    async def step(self, step: Step) -> Stepped:
        """Take a director's step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""
        return await self._ask(STEP, step)

    async def enter(self, entering: Entering) -> Stepped:
        """Take many entries, or none. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""
        return await self._ask(ENTER, entering, MANY_WITHIN)

    # -- waiting lists of cash games; each call raises TableAwayError too

    async def waiting_rooms(self, account: str) -> tuple[RoomTile, ...]:
        """Every card room's waiting lists, in the order in which they were made."""
        return await self._ask(WAITING_ROOMS, OfAccount(account))

    async def waiting_room(self, asked: RoomAsk) -> RoomNews:
        """How the lists of a room stand. Raises CommandRefused where there are none of this id."""
        return await self._ask(WAITING_ROOM, asked)

    async def open_room(self, opening: Opening) -> Stepped:
        """Make the lists of a room. Raises CommandRefused, StepNotKnownError."""
        return await self._ask(OPEN_ROOM, opening)

    async def room_step(self, step: Step) -> Stepped:
        """Take a desk's step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""
        return await self._ask(ROOM_STEP, step)


async def ordered_once(place: Path, order: Order) -> Ordered:
    """Connect, have a table take a decision, and go. Raises CommandRefused, TableAwayError."""
    return await asked_once(place, lambda door: door.order(order))


async def asked_once(place: Path, ask: Callable[[PitDoor], Awaitable[_T]]) -> _T:
    """Connect, ask something, and go. Raises TableAwayError, and what `ask` raises."""
    door = PitDoor(place)
    running = asyncio.get_running_loop().create_task(door.run(), name="pit door")
    try:
        if not await door.reached():
            assert door.away is not None
            raise TableAwayError(door.away.words)
        return await ask(door)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
