"""What all desks of the floor have, whatever they keep: pages, screens for players, events that are asked, refusals."""

import json
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from feltd.door import CommandRefused, TableAwayError
from feltd.door.commands import MovedOn, StepNotKnownError, StepRefused
from feltd.door.pit.sight import SCREENS
from feltd.page.access.roles import Right, only_looks
from feltd.page.api.guard import Guard
from feltd.page.api.problems import ApiProblem, documented, must_be_there
from feltd.page.views import ShowPage, to_the_door
from floor_fsm.core.event import Event
from floor_fsm.errors import EventSyntaxError, Reason, Refused
from floor_fsm.lines import from_line

Why = Annotated[str, Field(min_length=3, max_length=200, description="why, for the record")]
Shown = Callable[..., Response]
Screen = Callable[[Request, str, str], Response]
REFUSALS: Final = documented(
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_FLOORS: Final = ("secret", "commitment")
"""What the floor fills in where it keeps the secrets of the draws."""
_ANY_DIGEST: Final = "0" * 64


def pages_of(guard: Guard, page: ShowPage, frame: Mapping[str, Any]) -> Shown:
    """Return what answers with a page: `(request, template, right, **values)`. Who lacks the right signs in first.

    `page(template, **values)` renders; `frame`: the values of every page.
    """

    def shown(request: Request, template: str, right: Right, **values: Any) -> Response:
        caller = guard.caller(request)
        if caller is None or not caller.may(right):
            return to_the_door(request)
        return page(template, caller=caller, **frame, **values)

    return shown


async def is_there(guard: Guard, request: Request, ask: Callable[[str], Awaitable[object]]) -> None:
    """Raises ApiProblem, 404, where `ask(account)` does: the floor has nothing of this id that the person sees.

    Who may not work at desks is not told. What the floor cannot answer now, the page asks again by itself.
    """
    caller = guard.caller(request)
    if caller is None or not caller.may(Right.SEAT):
        return
    try:
        await must_be_there(ask(caller.account_name))
    except TableAwayError:
        return


def screens_of(guard: Guard, page: ShowPage, frame: Mapping[str, Any], *, open_to_all: bool) -> Screen:
    """Return what answers with a screen for players: `(request, template, of)`. `of`: the id of what it shows.

    `page`, `frame`: as of `pages_of`. `open_to_all`: to anybody; else who looks signs in first.
    """
    shown = pages_of(guard, page, frame)

    def screen(request: Request, template: str, of: str) -> Response:
        values = {"of": of, "address": request.url.path}
        if open_to_all:
            return page(template, **values, **frame)
        return shown(request, template, Right.SEE, **values)

    return screen


def who_looks(guard: Guard, *, open_to_all: bool) -> Callable[[Request], Awaitable[str]]:
    """Return what says in whose name a screen for players is asked for, of a request. `open_to_all`: to anybody."""

    async def looks(request: Request) -> str:
        """In whose name a screen is asked for."""
        if open_to_all:
            return SCREENS
        caller = await guard.need(Right.SEE)(request)
        if caller.account is not None and only_looks(caller.account.role):  # a screen that nobody touches stays
            guard.signing_in.sessions.find(request.cookies.get(guard.cookie))
        return caller.account_name

    return looks


def event_of(said: Mapping[str, Any], why: str, kinds: Mapping[str, type[Event]]) -> Event:
    """Read the event of a request as the floor will. Raises ApiProblem where it is none: 422, with the field."""
    if {"t", "by", "cause"} & said.keys():
        raise ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, "event: `t`, `by` and `cause` are the floor's to fill in")
    kind = kinds.get(str(said.get("ev")))
    filled = {} if kind is None else {name: _ANY_DIGEST for name in _FLOORS if name in kind.model_fields}
    try:
        return from_line(json.dumps({**filled, **said, "t": 0.0, "by": {"who": "-", "why": why}}), kinds)
    except EventSyntaxError as fault:
        raise ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, str(fault)) from None


def problem_of(refused: CommandRefused | Refused | StepNotKnownError) -> ApiProblem:
    """A refused step as a browser is told of it: with `reason` and `clause` where it has them."""
    if isinstance(refused, StepRefused | Refused):
        more = {"reason": str(refused.reason), **({} if refused.clause is None else {"clause": refused.clause})}
        return ApiProblem(HTTPStatus.CONFLICT, refused.words, more=more)
    if isinstance(refused, MovedOn):
        return ApiProblem(HTTPStatus.CONFLICT, str(refused), more={"reason": Reason.MOVED_ON.value})
    status = HTTPStatus.SERVICE_UNAVAILABLE if isinstance(refused, StepNotKnownError) else HTTPStatus.CONFLICT
    return ApiProblem(status, str(refused))
