"""The table as it is now, and what happens at it as it happens."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from feltd.page.access.roles import Right
from feltd.page.api.feed import Feed
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.hub import Hub
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.state_models import StateView
from feltd.page.api.streaming import TooManyListenersError

_STREAM: Final = "text/event-stream"
_STREAM_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_REFUSALS: Final = documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_STREAMED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "Server-sent events.", "content": {_STREAM: {"schema": {"type": "string"}}}},
    **documented(HTTPStatus.SERVICE_UNAVAILABLE),
}
_ENTRY: Final = re.compile(r"\d{1,18}")


def table_router(guard: Guard, state: Callable[[], Awaitable[dict[str, Any]]], hub: Hub, feed: Feed) -> APIRouter:
    """`/state`, `/stream` and `/events`."""
    router = APIRouter(tags=["table"], responses=_REFUSALS)
    sees = Depends(guard.need(Right.SEE))
    watches = Depends(guard.need(Right.SEE, by_itself=True))  # a browser opens a stream again whenever it was cut

    @router.get("/state", response_model=None, responses={200: {"model": StateView}})
    async def now(caller: Caller = sees) -> JSONResponse:
        """The table, its rulings, alarms, devices and record, as anybody who may look sees them."""
        return JSONResponse(await state())  # not validated against its model each time: tests hold the two together

    @router.get("/stream", response_class=Response, responses=_STREAMED)
    async def stream(request: Request, caller: Caller = watches) -> Response:
        """The state again whenever it changes, as events named `state`; a slow reader gets the latest, not all."""
        try:
            states = hub.admit()
        except TooManyListenersError as refusal:
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(refusal), {"retry-after": "30"}) from None
        return _streamed(guard.while_allowed(request, Right.SEE, states))

    @router.get("/events", response_class=Response, responses=_STREAMED)
    async def events(
        request: Request,
        caller: Caller = watches,
        last: Annotated[str | None, Header(alias="Last-Event-ID", description="the last entry already had")] = None,
    ) -> Response:
        """Every answer of the table, each with its number in the record; after a cut, those that were missed first."""
        after = int(last) if last is not None and _ENTRY.fullmatch(last) else None
        try:
            answers = feed.listen(after)
        except TooManyListenersError as refusal:
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(refusal), {"retry-after": "30"}) from None
        return _streamed(guard.while_allowed(request, Right.SEE, answers))

    return router


def _streamed(events: AsyncIterator[str]) -> Response:
    return StreamingResponse(events, media_type=_STREAM, headers=_STREAM_HEADERS)
