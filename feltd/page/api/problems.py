"""What went wrong, as RFC 9457 has it: `application/problem+json` with status, title and a detail for people."""

import logging
from collections.abc import Awaitable, Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from feltd.door import TableAwayError
from feltd.door.wire.errors import WireError
from feltd.page.access.accounts import AccountError
from feltd.page.api.misfits import misfit_in_words
from feltd.text.catalogue import refusal
from feltd.text.errors import FeltdError

PROBLEM_TYPE: Final = "application/problem+json"
_log = logging.getLogger("feltd.api")


class Problem(BaseModel):
    """An answer that is not what was asked for."""

    status: int = Field(description="the HTTP status")
    title: str = Field(description="its name")
    detail: str = Field(description="what is wrong, and what to do about it")
    reason: str | None = Field(default=None, description="of a tournament's refusal: its reason, for programs")
    clause: str | None = Field(
        default=None, description="of a tournament's refusal: the book's clause, where it has one"
    )
    key: dict[str, Any] | None = Field(
        default=None,
        description="of a sign-in that wants a second factor: what a security key is to sign, if one would do",
    )


class ApiProblem(FeltdError):  # noqa: N818 - named after what it is on the wire
    """Ends a request with a problem. `headers`: beside it, e.g. Retry-After; `more`: members beside the detail."""

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = headers
        self.more = more


_MEANT: Final[Mapping[HTTPStatus, str]] = {
    HTTPStatus.UNAUTHORIZED: "Nobody is signed in, or the session is over.",
    HTTPStatus.FORBIDDEN: "This session may not do this, or the request does not come from the page.",
    HTTPStatus.NOT_FOUND: "There is no such thing.",
    HTTPStatus.CONFLICT: "It does not fit how the table is now; the detail says why.",
    HTTPStatus.UNPROCESSABLE_ENTITY: "The request cannot be understood.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many attempts, requests or questions; Retry-After says when to come again.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Not now: the record cannot be kept, or too many look.",
}


async def must_be_there(asking: Awaitable[object]) -> None:
    """Raises ApiProblem, 404, where it does. What cannot be answered now, the page asks again by itself."""
    try:
        await asking
    except ApiProblem as problem:
        if problem.status is HTTPStatus.NOT_FOUND:
            raise


def documented(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """These problems, for a route's `responses`."""
    return {
        int(status): {
            "description": _MEANT[status],
            "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }


def answer(
    status: int, detail: str, headers: Mapping[str, str] | None = None, more: Mapping[str, Any] | None = None
) -> Response:
    """A problem as a response. `more`: members beside those that each has."""
    title = HTTPStatus(status).phrase
    return JSONResponse(
        {"status": status, "title": title, "detail": refusal(detail), **(more or {})},
        status_code=status,
        media_type=PROBLEM_TYPE,
        headers={"cache-control": "no-store", **(headers or {})},
    )


def install(app: FastAPI) -> None:
    """Have every error of an application answered so."""

    @app.exception_handler(ApiProblem)
    async def ours(_: Request, problem: ApiProblem) -> Response:
        return answer(problem.status, str(problem), problem.headers, problem.more)

    @app.exception_handler(AccountError)
    async def nobody_known(_: Request, fault: AccountError) -> Response:
        _log.error("%s", fault)
        return answer(HTTPStatus.SERVICE_UNAVAILABLE, "the accounts cannot be read: feltd's log says why")

    @app.exception_handler(TableAwayError)
    @app.exception_handler(WireError)
    async def table_away(_: Request, away: FeltdError) -> Response:
        return answer(HTTPStatus.SERVICE_UNAVAILABLE, str(away), {"retry-after": "2"})

    @app.exception_handler(RequestValidationError)
    async def not_understood(_: Request, fault: RequestValidationError) -> Response:
        return answer(HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(map(misfit_in_words, fault.errors())))

    @app.exception_handler(HTTPException)
    async def no_such(_: Request, fault: HTTPException) -> Response:
        if fault.status_code == HTTPStatus.BAD_REQUEST:  # the framework's word for a body that is no text at all
            return answer(HTTPStatus.UNPROCESSABLE_ENTITY, "the body is no JSON in UTF-8")
        return answer(fault.status_code, str(fault.detail), fault.headers)


def replace_validation_errors(schema: dict[str, Any]) -> None:
    """Describe the answer 422 as a problem instead of the framework's validation error.

    `schema`: an API's description, changed in place.
    """
    problem = documented(HTTPStatus.UNPROCESSABLE_ENTITY)[422]
    for path in schema["paths"].values():
        for operation in path.values():
            if "422" in operation["responses"]:
                operation["responses"]["422"] = problem
    for name in ("HTTPValidationError", "ValidationError"):
        schema["components"]["schemas"].pop(name, None)
