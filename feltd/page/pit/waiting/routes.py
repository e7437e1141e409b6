"""Waiting lists of cash games by the API: looked at, opened, and changed by steps with who and why."""

from http import HTTPStatus
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field

from feltd.books.shipped import waiting_sources
from feltd.door import CommandRefused
from feltd.door.commands import NoDatabaseError, StepNotKnownError
from feltd.door.pit.directing import Opening, Step, Stepped
from feltd.door.pit.waiting import RoomAsk, RoomNews, RoomTile
from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem
from feltd.page.pit.desks import REFUSALS, Why, event_of, problem_of, who_looks
from feltd.page.pit.tournaments.asking import decided_by
from feltd.page.pit.tournaments.screens import Names
from feltd.page.pit.waiting.told import ListsNotShownError, desk_as_json, screen_as_json
from feltd.text.catalogue import refusal, trouble
from floor_fsm.waiting.book import load_waiting_books
from floor_fsm.waiting.room import KINDS

Id = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="the short name of the lists")]


class HasWaitingLists(Protocol):
    """Who is asked. Each call raises TableAwayError where the floor does not answer."""

    async def waiting_rooms(self, account: str) -> tuple[RoomTile, ...]:
        """Every card room's waiting lists."""

    async def waiting_room(self, asked: RoomAsk) -> RoomNews:
        """How the lists of a room stand. Raises CommandRefused where there are none of this id."""

    async def open_room(self, opening: Opening) -> Stepped:
        """Make the lists of a room. Raises CommandRefused, StepNotKnownError."""

    async def room_step(self, step: Step) -> Stepped:
        """Take a desk's step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AskedRoom(_Body):
    """New lists of a card room."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    title: Annotated[str, Field(min_length=1, max_length=80)]
    book: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$", description="the book's id")]
    why: Why


class AskedRoomStep(_Body):
    """A step of a person at the desk."""

    expected: Annotated[int, Field(ge=0, le=2**53, description="the number of the last event that the desk has seen")]
    event: dict[str, Any] = Field(description="an event with its `ev`; `t` and `by` are the floor's")
    why: Why


class RoomTileView(BaseModel):
    """The lists of one card room among all."""

    id: str
    title: str
    book: str
    seq: int
    games: int
    waiting: int = Field(description="people who wait and are not called")
    called: int = Field(description="people for whom a seat is held")
    closed: bool
    free: int = Field(description="seats that are free now at the tables of the games, by the tables' records")
    wrong: str | None = Field(description="why nobody can go on with them")


class RoomsView(BaseModel):
    """The lists of every card room, and the books under which others can be opened."""

    rooms: list[RoomTileView]
    books: dict[str, str] = Field(description="title by id")


class RoomStepView(BaseModel):
    """A step that was taken."""

    seq: int
    outputs: list[dict[str, Any]] = Field(description="what is said, in order; `kind` says what each is")


def waiting_router(guard: Guard, floor: HasWaitingLists, screens: Names | None) -> APIRouter:
    """`/waiting` and what is below it.

    `screens`: how players are named for who is not signed in; None: no screen is shown to them.
    """
    router = APIRouter(tags=["waiting lists"], responses=REFUSALS)
    sees = Depends(guard.need(Right.SEE))
    seats = Depends(guard.need(Right.SEAT))
    looking = Depends(who_looks(guard, open_to_all=screens is not None))
    books = {book.id: book.title for book in load_waiting_books(waiting_sources()).values()}

    @router.get("/waiting")
    async def every(caller: Caller = sees) -> RoomsView:
        """The waiting lists of every card room, and the books for others."""
        tiles = await floor.waiting_rooms(caller.account_name)
        rooms = [RoomTileView.model_validate(tile, from_attributes=True) for tile in tiles]
        for room in rooms:
            room.wrong = None if room.wrong is None else trouble(room.wrong)
        return RoomsView(rooms=rooms, books=books)

    @router.post("/waiting")
    async def open_new(asked: AskedRoom, caller: Caller = seats) -> RoomStepView:
        """Open the lists of a card room."""
        by = decided_by(caller.person(), asked.why)
        try:
            done = await floor.open_room(Opening(asked.id, asked.title, asked.book, by))
        except (CommandRefused, StepNotKnownError) as refused:
            raise problem_of(refused) from None
        return RoomStepView(seq=done.seq, outputs=[])

    @router.get("/waiting/{room}")
    async def desk(room: Id, caller: Caller = seats) -> dict[str, Any]:
        """The lists as their desk has them, with the clauses of their book and the last steps."""
        return _shown(desk_as_json, await news_of(floor, room, caller.account_name))

    @router.get("/waiting/{room}/screen")
    async def screen(room: Id, account: str = looking) -> dict[str, Any]:
        """Who is called and who waits, for players: names as the operator chooses, and nothing else of a player."""
        names = screens or Names.NUMBER
        return _shown(lambda news: screen_as_json(news, names), await news_of(floor, room, account))

    @router.post("/waiting/{room}/steps")
    async def step(room: Id, asked: AskedRoomStep, caller: Caller = seats) -> RoomStepView:
        """Take a step, at most once. Refused: nothing has changed."""
        event_of(asked.event, asked.why, KINDS)
        try:
            done = await floor.room_step(
                Step(room, asked.expected, asked.event, decided_by(caller.person(), asked.why))
            )
        except (CommandRefused, StepNotKnownError) as refused:
            raise problem_of(refused) from None
        return RoomStepView(seq=done.seq, outputs=[dict(output) for output in done.outputs])

    return router


async def news_of(floor: HasWaitingLists, room: str, account: str) -> RoomNews:
    """How the lists of a room stand, in the name of an account.

    Raises ApiProblem: 404 where there are none that they see, 409 while the floor has no database.
    """
    try:
        return await floor.waiting_room(RoomAsk(room, account))
    except NoDatabaseError as refused:
        raise ApiProblem(HTTPStatus.CONFLICT, refusal(str(refused))) from None
    except CommandRefused as refused:
        raise ApiProblem(HTTPStatus.NOT_FOUND, refusal(str(refused))) from None


def _shown(make: Any, news: RoomNews) -> dict[str, Any]:
    try:
        told: dict[str, Any] = make(news)
    except ListsNotShownError as fault:
        raise ApiProblem(HTTPStatus.CONFLICT, refusal(str(fault))) from None
    return told
