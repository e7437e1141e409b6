"""Wishes at the pit: what tables shall play, have set or run, how each stands to it, and the way back."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, replace
from http import HTTPStatus
from typing import Annotated, Any, Final, Protocol

from fastapi import APIRouter, Depends, FastAPI
from pydantic import BaseModel, Field, StrictBool, StrictFloat, StrictInt, StrictStr
from starlette.requests import Request
from starlette.responses import Response

from feltd.books.own import library_as_asked
from feltd.door import CommandRefused
from feltd.door.pit.wishes import HOLD_MOST, NewWish, SaidToWish, WishBack, WishMade, WishShown
from feltd.door.wishing import BookPlay, Setting, TableSettings
from feltd.page.access.roles import Right
from feltd.page.api.account_routes import own, prove
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.proofs import Proven
from feltd.page.views import ShowPage, to_the_door
from feltd.record.entries import LARGEST_INTEGER
from feltd.text.catalogue import refusal
from table_fsm.rulebook import Rulebook

HOLD: Final = 30
"""Minutes for which the first table holds a wish, where nobody says otherwise."""
_REASON_MOST: Final = 300
_TABLES_MOST: Final = 1000

OptionValue = StrictBool | StrictInt | StrictFloat | StrictStr | list[StrictInt] | list[StrictStr]
Reason = Annotated[str, Field(min_length=3, max_length=_REASON_MOST, description="why, for the tables' records")]
Number = Annotated[int, Field(ge=1, le=LARGEST_INTEGER, description="of the wish")]
TableName = Annotated[str, Field(min_length=1, max_length=64)]


class TakesWishes(Protocol):
    """Who keeps them. Each call raises CommandRefused, TableAwayError."""

    async def wishes(self, account: str) -> tuple[WishShown, ...]:
        """The last wishes of whose tables a person sees all, latest first."""

    async def wish(self, asked: NewWish) -> WishMade:
        """Keep a wish, which waits for a second person."""

    async def say_to_wish(self, asked: SaidToWish) -> None:
        """Approve a wish, or stop it."""

    async def wish_back(self, asked: WishBack) -> WishMade:
        """Keep the wish that tables play again what they played before another one."""


class OfTables(BaseModel):
    """Of which tables something is wished, which takes it first, and why. It waits for a second person."""

    tables: Annotated[list[TableName], Field(min_length=1, max_length=_TABLES_MOST, description="by name")]
    first: TableName | None = Field(default=None, description="takes it first; left out, the first by name")
    hold_minutes: Annotated[
        float, Field(ge=0, le=HOLD_MOST / 60, description="for which that one must hold it without a new alarm")
    ] = HOLD
    reason: Reason


class BookWish(OfTables):
    """A book that tables shall play."""

    rulebook: Annotated[str, Field(min_length=1, max_length=64, description="its id; the text is that of this page")]
    options: dict[Annotated[str, Field(max_length=64)], OptionValue] = Field(
        default={}, max_length=32, description="of the book: these and no others"
    )


class SettingsWish(OfTables):
    """Settings that tables shall have."""

    settings: dict[Setting, StrictInt | StrictFloat | Annotated[StrictStr, Field(max_length=64)]] = Field(
        description="these, in place of what the tables' own files say; all others are as those say"
    )


class VersionWish(OfTables):
    """A version of feltd that tables shall run."""

    version: Annotated[str, Field(max_length=20, pattern=r"^\d{1,6}\.\d{1,6}\.\d{1,6}$", description="as 0.9.0")]


class WordToWish(BaseModel):
    """What a person says to a wish."""

    number: Number
    reason: Reason


class WishApproved(Proven):
    """What a second person says to a wish, with their password once more."""

    number: Number
    reason: Reason


class WishKept(BaseModel):
    """A wish that is kept now."""

    number: int
    tables: list[str]
    first: str = Field(description="empty where all take it at once")


class PlayView(BaseModel):
    """What a table plays."""

    rulebook: str
    digest: str
    options: dict[str, Any]


class SettingsView(BaseModel):
    """Settings that hold by a wish."""

    values: dict[str, Any] = Field(description="by setting; all others are as the table's own file says")


class WishedTable(BaseModel):
    """How a table stands to a wish."""

    table: str
    holds: str = Field(description="held, wished, taken, left, waits, refused, away, replaced or stopped")
    wished: PlayView | None = Field(description="null in a wish for something else")
    plays: PlayView | None = Field(description="by its record; null where that is not known")
    words: str = Field(description="why it refused")
    runs: str | None = Field(description="the version of feltd that it runs; null where that is not known")
    wants: SettingsView | None = Field(description="null in a wish for something else")
    has: SettingsView | None = Field(description="null where that is not known")


class WishView(BaseModel):
    """A wish, and all that was said to it."""

    number: int
    stage: str = Field(description="proposed, canary, rolling or stopped")
    canary: str = Field(description="the table that takes it first; empty where all take it at once")
    hold: float = Field(description="seconds for which that one must hold it")
    left: float | None = Field(description="seconds that it must still hold it; null while it does not")
    back_of: int | None
    who: str
    why: str
    at: float
    approved: str
    approved_why: str
    stopped: str
    stopped_why: str
    tables: list[WishedTable]
    version: str = Field(description="of feltd; empty in a wish for something else")
    mine: bool = Field(description="the caller wished it, so another person approves it")


class Books:
    """The books of this page's own package: the ids at once, a book's digest when it is asked for."""

    def __init__(self) -> None:
        self._library: Mapping[str, Rulebook] | None = None

    @property
    def _books(self) -> Mapping[str, Rulebook]:
        self._library = library_as_asked(None) if self._library is None else self._library
        return self._library

    def ids(self) -> list[str]:
        """Their ids. Blocks."""
        return sorted(self._books)

    def digest(self, rulebook: str) -> str | None:
        """The digest of a book; None where there is none of this id. Blocks."""
        book = self._books.get(rulebook)
        return None if book is None else book.digest


def wish_router(guard: Guard, door: TakesWishes, books: Books) -> APIRouter:
    """`/wishes`."""
    router = APIRouter(tags=["wishes"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    refuses = documented(HTTPStatus.CONFLICT)
    sees = Depends(guard.need(Right.SEE))
    wishes = Depends(guard.need(Right.WISH))

    @router.get("/wishes", responses=refuses)
    async def shown(caller: Caller = sees) -> list[WishView]:
        """The last wishes of whose tables the caller sees all, latest first."""
        found: tuple[WishShown, ...] = await _answered(door.wishes(caller.account_name))
        return [_view(one, caller) for one in found]

    @router.post("/wishes", status_code=HTTPStatus.CREATED, responses=refuses)
    async def wish(asked: BookWish, caller: Caller = wishes) -> WishKept:
        """Wish that tables play a book. Refused: 409, with the reason."""
        own(caller)
        digest = await asyncio.to_thread(books.digest, asked.rulebook)
        if digest is None:
            raise ApiProblem(HTTPStatus.CONFLICT, refusal(f"this page knows no rulebook {asked.rulebook}"))
        play = BookPlay(asked.rulebook, digest, asked.options)
        return _kept(await _answered(door.wish(replace(_new(asked, caller), play=play))))

    @router.post("/wishes/settings", status_code=HTTPStatus.CREATED, responses=refuses)
    async def set_(asked: SettingsWish, caller: Caller = wishes) -> WishKept:
        """Wish that tables have settings. Refused: 409, with the reason."""
        own(caller)
        settings = TableSettings({setting.value: value for setting, value in asked.settings.items()})
        return _kept(await _answered(door.wish(replace(_new(asked, caller), settings=settings))))

    @router.post("/wishes/version", status_code=HTTPStatus.CREATED, responses=refuses)
    async def version(asked: VersionWish, caller: Caller = wishes) -> WishKept:
        """Wish that tables run a version of feltd. Refused: 409, with the reason."""
        own(caller)
        return _kept(await _answered(door.wish(replace(_new(asked, caller), version=asked.version))))

    @router.post(
        "/wishes/approve",
        status_code=HTTPStatus.NO_CONTENT,
        responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS),
    )
    async def approve(asked: WishApproved, caller: Caller = wishes) -> None:
        """Approve another person's wish, by the password once more, and a second factor where there is one."""
        await prove(guard, caller, asked.password, asked.proof())
        await _answered(door.say_to_wish(SaidToWish(asked.number, True, caller.person(), asked.reason)))

    @router.post("/wishes/stop", status_code=HTTPStatus.NO_CONTENT, responses=refuses)
    async def stop(asked: WordToWish, caller: Caller = wishes) -> None:
        """Stop a wish: no further table takes it, and who took it keeps it."""
        own(caller)
        await _answered(door.say_to_wish(SaidToWish(asked.number, False, caller.person(), asked.reason)))

    @router.post("/wishes/back", status_code=HTTPStatus.CREATED, responses=refuses)
    async def back(asked: WordToWish, caller: Caller = wishes) -> WishKept:
        """Wish that each table which took a wish has again what it had before. A second person approves it."""
        own(caller)
        return _kept(await _answered(door.wish_back(WishBack(asked.number, caller.person(), asked.reason))))

    return router


def add_wish_pages(app: FastAPI, guard: Guard, page: ShowPage, books: Books, name: str) -> None:
    """Serve the page of wishes. `name`: the pit's."""
    frame: dict[str, Any] = {"pit": True, "state": {"name": name}, "here": "wishes"}

    @app.get("/wishes")
    async def look(request: Request) -> Response:
        caller = guard.caller(request)
        if caller is None or not caller.may(Right.SEE):
            return to_the_door(request)
        ids = await asyncio.to_thread(books.ids)
        offered: dict[str, Any] = {"books": ids, "settings": list(Setting), "hold": HOLD, "most": _REASON_MOST}
        return page("wishes.html", caller=caller, **offered, **frame)


async def _answered(asked: Any) -> Any:
    try:
        return await asked
    except CommandRefused as refused:
        raise ApiProblem(HTTPStatus.CONFLICT, refusal(str(refused))) from None


def _new(asked: OfTables, caller: Caller) -> NewWish:
    """Without what is wished."""
    tables, hold = tuple(asked.tables), asked.hold_minutes * 60.0
    return NewWish(caller.person(), None, tables, (), asked.first, hold, asked.reason)


def _kept(made: WishMade) -> WishKept:
    return WishKept(number=made.number, tables=list(made.tables), first=made.canary)


def _view(one: WishShown, caller: Caller) -> WishView:
    told = asdict(one)
    tables = [{**table, "words": refusal(table["words"]) if table["words"] else ""} for table in told["tables"]]
    mine = f"({caller.account_name}, " in one.who
    return WishView(**{**told, "tables": tables}, mine=mine)
