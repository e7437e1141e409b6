"""What people do with their own account: another password, and where they are signed in."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import Account
from feltd.page.access.factors import Proof
from feltd.page.access.passwords import LONGEST, PasswordError
from feltd.page.access.roles import Right
from feltd.page.access.sessions import Session
from feltd.page.access.signing_in import SignInRefused
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented


class NewPassword(BaseModel):
    """The old password and the new one."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    old: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    new: Annotated[str, Field(min_length=1, max_length=LONGEST)]


class SignedIn(BaseModel):
    """A place where the person is signed in."""

    id: str
    address: str
    since: float = Field(description="seconds since 1970")
    last_used: float = Field(description="seconds since 1970: the last time somebody did something there")
    read_only: bool = Field(description="nothing was done there for too long: it only looks")
    here: bool = Field(description="the session that asks")


def account_router(guard: Guard, news: AccountNews, wall: Callable[[], float]) -> APIRouter:
    """The routes of `/account`. `wall`: seconds since 1970."""
    router = APIRouter(tags=["account"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    sessions = guard.signing_in.sessions
    caller_needed = Depends(guard.need(Right.SEE))

    @router.get("/account/sessions")
    async def where(caller: Caller = caller_needed) -> list[SignedIn]:
        """Where this person is signed in, the newest first."""
        session, _ = own(caller)
        return [_as_told(one, here=one is session) for one in sessions.of(session.name)]

    @router.delete("/account/sessions", status_code=HTTPStatus.NO_CONTENT)
    async def out_elsewhere(caller: Caller = caller_needed) -> None:
        """Sign out everywhere but here."""
        session, _ = own(caller)
        sessions.end_elsewhere(session.name, lambda one: one is not session)

    @router.delete(
        "/account/sessions/{id}", status_code=HTTPStatus.NO_CONTENT, responses=documented(HTTPStatus.NOT_FOUND)
    )
    async def out_there(id: Annotated[str, Path(pattern="^[0-9a-f]{16}$")], caller: Caller = caller_needed) -> None:  # noqa: A002 - the API's name for it
        """Sign out at one place."""
        session, _ = own(caller)
        if not sessions.end_elsewhere(session.name, lambda one: one.id == id):
            raise ApiProblem(HTTPStatus.NOT_FOUND, "you are not signed in there any more")

    @router.post(
        "/account/password",
        status_code=HTTPStatus.NO_CONTENT,
        responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE,
                             HTTPStatus.UNPROCESSABLE_ENTITY),
    )  # fmt: skip
    async def password(
        asked: NewPassword, request: Request, response: Response, caller: Caller = caller_needed
    ) -> None:
        """Take another password. Your other sessions end; this one goes on with a new cookie and a new `csrf`."""
        session, account = own(caller)
        try:
            changed = await guard.signing_in.change_password(account, asked.old, asked.new, caller.address)
        except SignInRefused as refusal:
            raise refused(refusal) from None
        except PasswordError as refusal:
            raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None
        news.password_changed(changed, caller.address)
        guard.set_cookie(response, sessions.renew(session, changed))
        guard.know_device(request, response, changed)

    def _as_told(session: Session, *, here: bool) -> SignedIn:
        now = wall()
        return SignedIn(
            id=session.id, address=session.address, since=now - sessions.seconds_since(session.since),
            last_used=now - sessions.seconds_since(session.seen), read_only=session.read_only, here=here,
        )  # fmt: skip

    return router


def refused(refusal: SignInRefused) -> ApiProblem:
    """The problem that answers a person whose password or code was not taken."""
    if refusal.wait:
        retry = {"retry-after": str(int(refusal.wait) + 1)}
        return ApiProblem(HTTPStatus.TOO_MANY_REQUESTS, str(refusal), retry)
    return ApiProblem(HTTPStatus.CONFLICT, str(refusal))


def own(caller: Caller) -> tuple[Session, Account]:
    """The caller's session and account. Raises ApiProblem for who has not signed in here, or comes with a token."""
    if caller.bearer is not None:
        raise ApiProblem(HTTPStatus.FORBIDDEN, "a token does nothing to its account: sign in by the password")
    if caller.session is None or caller.account is None:
        raise ApiProblem(HTTPStatus.UNAUTHORIZED, "sign in first")
    return caller.session, caller.account


async def prove(guard: Guard, caller: Caller, password: str, proof: Proof) -> None:
    """Let the caller prove once more who they are, by the password and a second factor where there is one.

    Raises ApiProblem where they do not, and as `own`.
    """
    session, account = own(caller)
    try:
        await guard.signing_in.prove(session, account, password, caller.address, proof)
    except SignInRefused as refusal:
        raise refused(refusal) from None
