"""The table as it is now, and what happens at it as it happens."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from feltd.page.access.roles import Right
from feltd.page.api.band import LEVEL_WORDS, BandView
from feltd.page.api.feed import Feed
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.hub import Hub
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.state_models import StateView
from feltd.page.limits.places import NoPlaceError, Place, StreamPlaces
from feltd.text.catalogue import by_id

_STREAM: Final = "text/event-stream"
_STREAM_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_REFUSALS: Final = documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_STREAMED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "Server-sent events.", "content": {_STREAM: {"schema": {"type": "string"}}}},
    **documented(HTTPStatus.SERVICE_UNAVAILABLE),
}
_ENTRY: Final = re.compile(r"\d{1,18}")


def table_router(
    guard: Guard, state: Callable[[], Awaitable[dict[str, Any]]], hub: Hub, feed: Feed, places: StreamPlaces
) -> APIRouter:
    """`/state`, `/band`, `/stream` and `/events`."""
    router = APIRouter(tags=["table"], responses=_REFUSALS)
    sees = Depends(guard.need(Right.SEE))
    watches = Depends(guard.need(Right.SEE, by_itself=True))  # a browser opens a stream again whenever it was cut

    @router.get("/state", response_model=None, responses={200: {"model": StateView}})
    async def now(caller: Caller = sees) -> JSONResponse:
        """The table, its rulings, alarms, devices and record, as anybody who may look sees them."""
        return JSONResponse(await state())  # not validated against its model each time: tests hold the two together

    @router.get("/band")
    async def band(request: Request) -> BandView:
        """The status band, for anybody: the level, and its words for who may look."""
        told = (await state())["band"]
        caller = guard.caller(request, by_itself=True)
        if caller is None or not caller.may(Right.SEE):
            return BandView(level=told["level"], words=by_id(f"Level.{told['level']}", LEVEL_WORDS[told["level"]]))
        return BandView(**told)

    @router.get("/stream", response_class=Response, responses=_STREAMED)
    async def stream(request: Request, caller: Caller = watches) -> Response:
        """The state again whenever it changes, as events named `state`; a slow reader gets the latest, not all."""
        return streamed(guard, places, request, caller, hub.admit())

    @router.get("/events", response_class=Response, responses=_STREAMED)
    async def events(
        request: Request,
        caller: Caller = watches,
        last: Annotated[str | None, Header(alias="Last-Event-ID", description="the last entry already had")] = None,
    ) -> Response:
        """Every answer of the table, each with its number in the record; after a cut, those that were missed first.

        A reader too far behind gets an event `reload` in their place: load the state anew; what comes follows."""
        after = int(last) if last is not None and _ENTRY.fullmatch(last) else None
        return streamed(guard, places, request, caller, feed.listen(after, caller.visitor.key))

    return router


def streamed(
    guard: Guard, places: StreamPlaces, request: Request, caller: Caller, stream: AsyncGenerator[str, None]
) -> Response:
    """An answer that goes on for as long as its caller may look. Raises ApiProblem where there is no place for it."""
    place = _place(places, caller)
    return _Streamed(guard.while_allowed(request, Right.SEE, _while(place, stream)), places, place)


def _place(places: StreamPlaces, caller: Caller) -> Place:
    visitor = caller.visitor
    try:
        return places.take(visitor.key, visitor.address, person=visitor.person is not None)
    except NoPlaceError as refusal:
        raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(refusal), {"retry-after": "30"}) from None


async def _while(place: Place, stream: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """Pass a stream on until its place is lost: then it ends with its next word, in some seconds at the latest."""
    async with aclosing(stream):
        async for text in stream:
            if place.lost:
                return
            yield text


class _Streamed(StreamingResponse):
    """Server-sent events, whose place is given back when the answer is over, also where it never began."""

    def __init__(self, events: AsyncIterator[str], places: StreamPlaces, place: Place) -> None:
        super().__init__(events, media_type=_STREAM, headers=_STREAM_HEADERS)
        self._places = places
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._places.leave(self._place)
