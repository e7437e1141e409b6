"""A person's second factor: set up by the first code of a secret that is shown once, and taken away."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field

from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import Account
from feltd.page.access.roles import Right
from feltd.page.access.second_factor import uri_of
from feltd.page.access.sessions import Session
from feltd.page.api.account_routes import own, prove
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.proofs import Proven


class Code(BaseModel):
    """A code of a second factor."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    code: Annotated[str, Field(pattern=r"^[0-9]{6}$")]


class Secret(BaseModel):
    """The secret of a second factor, shown once."""

    secret: str = Field(description="to be typed into an app that makes codes (TOTP, SHA-1, 6 digits, 30 seconds)")
    uri: str = Field(description="the same for an app on this device")


def second_factor_router(guard: Guard, news: AccountNews, name: Callable[[], Awaitable[str]]) -> APIRouter:
    """The routes of `/account/second-factor`. `name`: the table's."""
    router = APIRouter(tags=["account"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    sessions, offers = guard.signing_in.sessions, guard.signing_in.offers
    caller_needed = Depends(guard.need(Right.SEE))

    @router.post("/account/second-factor", responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS))
    async def offer(asked: Proven, response: Response, caller: Caller = caller_needed) -> Secret:
        """Show a new secret, once. It counts from its first code on (PUT), which has to come within ten minutes."""
        session, account = own(caller)
        if account.totp is not None:
            raise ApiProblem(HTTPStatus.CONFLICT, "there is a second factor already: take it away first")
        await prove(guard, caller, asked.password, asked.proof())
        secret = offers.make(session.id)
        response.headers["cache-control"] = "no-store"
        return Secret(secret=secret, uri=uri_of(secret, account.name, await name()))

    @router.put("/account/second-factor", status_code=HTTPStatus.NO_CONTENT, responses=documented(HTTPStatus.CONFLICT))
    async def take(asked: Code, caller: Caller = caller_needed) -> None:
        """Take the secret that was shown, by the first code of it. Your other sessions end."""
        session, account = own(caller)
        secret = offers.of(session.id)
        if secret is None:
            raise ApiProblem(HTTPStatus.CONFLICT, "no secret was shown here in the last ten minutes: begin again")
        if not guard.signing_in.factors.is_code(account, secret, asked.code):
            raise ApiProblem(HTTPStatus.CONFLICT, "this is no code of the secret: is the clock of your device right?")
        offers.forget(session.id)
        _changed(session, guard.signing_in.accounts.put_second_factor(account.name, secret), caller)

    @router.post(
        "/account/second-factor/removal",
        status_code=HTTPStatus.NO_CONTENT,
        responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS),
    )
    async def remove(asked: Proven, caller: Caller = caller_needed) -> None:
        """Take the second factor away. Your other sessions end."""
        session, account = own(caller)
        if account.totp is None:
            raise ApiProblem(HTTPStatus.CONFLICT, "there is no second factor")
        await prove(guard, caller, asked.password, asked.proof())
        _changed(session, guard.signing_in.accounts.put_second_factor(account.name, None), caller)

    def _changed(session: Session, account: Account, caller: Caller) -> None:
        news.second_factor_changed(account, caller.address)
        sessions.know_factors(session, account)

    return router
