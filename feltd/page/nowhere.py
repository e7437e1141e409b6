"""What a browser is shown where there is no page, or none that can be shown. Who asks for no HTML keeps its JSON."""

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from feltd.door import TableAwayError
from feltd.door.wire.errors import WireError
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.misfits import misfit_in_words
from feltd.page.api.problems import ApiProblem
from feltd.page.views import ShowPage
from feltd.text.catalogue import refusal
from feltd.text.errors import FeltdError

Frame = Callable[[], Awaitable[dict[str, Any]]]
"""Gives the values of every page; raises FeltdError where there are none now."""
_Handler = Callable[[Request, Any], Awaitable[Response]]
_KINDS: Final = (HTTPException, ApiProblem, RequestValidationError, TableAwayError, WireError)
_MISSING: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)


def add_nowhere(app: FastAPI, guard: Guard, page: ShowPage, frame: Frame) -> None:
    """Answer a browser at an address without a page with a page: what is wrong, and the way back.

    `page(template, **values)` renders. The status stays that of the fault. Call it when the faults' own answers are
    installed.
    """

    async def shown(request: Request, fault: Exception) -> Response:
        status, why = told(fault)
        headers = getattr(fault, "headers", None) or {}
        values = {"missing": status in _MISSING, "why": why}
        framed = await _now(frame)
        caller = _caller(guard, request)
        if framed is None or caller is None:
            made = page("nowhere-door.html", **(framed or {"state": {"name": "feltd"}}), **values)
        else:
            made = page("nowhere.html", caller=caller, here="", **framed, **values)
        made.status_code = status
        made.headers.update(headers)
        return made

    async def answer(programs: _Handler, request: Request, fault: Exception) -> Response:
        return await (shown if reads_pages(request) else programs)(request, fault)

    for kind in _KINDS:
        app.add_exception_handler(kind, partial(answer, cast(_Handler, app.exception_handlers[kind])))


def reads_pages(request: Request) -> bool:
    """Whether the sender of a request wants a page: browsers name HTML where a person goes to an address."""
    return request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", "").lower()


def told(fault: Exception) -> tuple[HTTPStatus, str]:
    """Return the status of a fault, and why in words; no words where there is nothing at the address."""
    if isinstance(fault, RequestValidationError):
        if all(one["loc"][:1] == ("path",) for one in fault.errors()):
            return HTTPStatus.NOT_FOUND, ""
        return HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(map(misfit_in_words, fault.errors()))
    if isinstance(fault, HTTPException):
        status = HTTPStatus(fault.status_code)
        return status, "" if fault.detail == status.phrase else refusal(fault.detail)
    status = fault.status if isinstance(fault, ApiProblem) else HTTPStatus.SERVICE_UNAVAILABLE
    return status, refusal(str(fault))


async def _now(frame: Frame) -> dict[str, Any] | None:
    try:
        return await frame()
    except FeltdError:
        return None  # the way back is there without the table too


def _caller(guard: Guard, request: Request) -> Caller | None:
    try:
        return guard.caller(request)
    except ApiProblem:
        return None  # a token that opens nothing
