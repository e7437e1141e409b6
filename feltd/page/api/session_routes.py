"""Signing in and out, and who is signed in."""

from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import Account
from feltd.page.access.passwords import LONGEST, PasswordError
from feltd.page.access.roles import RIGHTS, Right
from feltd.page.access.sessions import Session
from feltd.page.access.signing_in import FactorNeeded, PasswordNeeded, SignInRefused
from feltd.page.api.guard import Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.proofs import Factor
from feltd.record.access import SessionEnd

CODE_HEADER: Final = "X-Second-Factor"
"""Beside a refusal for the want of a second factor: `needed` where a code would do, `key` where only a key would."""

NEW_HEADER: Final = "X-New-Password"
"""`needed`, beside a refusal of a code that is good once: `new` is to come with it."""


class SecondFactor(StrEnum):
    """A person's second factor."""

    NONE = "none"
    NEEDED = "needed"
    """There is none, and the role may do nothing without one."""
    SET = "set"


class Credentials(Factor):
    """Name and password, and a second factor where the account has one."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    password: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    new: Annotated[str, Field(min_length=1, max_length=LONGEST)] | None = Field(
        default=None, description="where `password` is a code that is good once: the password that its person chooses"
    )


class WhoAmI(BaseModel):
    """Who is signed in, what they may do, and the token to send along with what changes something."""

    name: str | None = Field(description="null for somebody on this machine, where the page is open to read there")
    role: str | None
    rights: list[str]
    csrf: str | None = Field(description="to be sent as X-CSRF-Token")
    seconds_left: float | None = Field(
        description="until the session is read-only, or where it is so, until it ends, if nothing is done"
    )
    read_only: bool = Field(
        default=False, description="nothing was done for too long: it only looks until POST /session"
    )
    rights_paused: list[str] = Field(
        default=[], description="the rights that signing in again, or a second factor, gives back"
    )
    second_factor: SecondFactor = Field(default=SecondFactor.NONE, description="whether the account has one")
    app: bool = Field(default=False, description="whether an app's code is one")


def session_router(guard: Guard, news: AccountNews) -> APIRouter:
    """The routes of `/session`. `news`: told of a password that was chosen at the door."""
    router = APIRouter(tags=["session"])
    sessions = guard.signing_in.sessions

    def _who(account: Account, session: Session) -> WhoAmI:
        of_role = sorted(RIGHTS[account.role])
        factor = SecondFactor.NEEDED if session.lacks_factor else SecondFactor.NONE
        return WhoAmI(
            name=account.name,
            role=account.role,
            rights=[right for right in of_role if session.may(account, right)],
            csrf=session.csrf,
            seconds_left=round(sessions.left(session), 1),
            read_only=session.read_only,
            rights_paused=[right for right in of_role if not session.may(account, right)],
            second_factor=SecondFactor.SET if account.asks_factor else factor,
            app=account.totp is not None,
        )

    @router.get("/session", responses=documented(HTTPStatus.UNAUTHORIZED))
    async def who(request: Request, response: Response) -> WhoAmI:
        """Who is signed in. Asking does not keep a session from ending."""
        response.headers["cache-control"] = "no-store"
        caller = guard.caller(request, by_itself=True)
        if caller is None:
            raise ApiProblem(HTTPStatus.UNAUTHORIZED, "sign in first")
        if caller.bearer is not None:
            bearer, wall = caller.bearer, guard.signing_in.bearers.wall()
            return WhoAmI(
                name=bearer.name, role=bearer.account.role, rights=sorted(bearer.rights), csrf=None,
                seconds_left=round(max(0.0, bearer.token.until - wall), 1),
            )  # fmt: skip
        if caller.account is None or caller.session is None:
            return WhoAmI(name=None, role=None, rights=[Right.SEE], csrf=None, seconds_left=None)
        return _who(caller.account, caller.session)

    @router.post(
        "/session",
        responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS,
                             HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.CONFLICT),
    )  # fmt: skip
    async def sign_in(credentials: Credentials, request: Request, response: Response) -> WhoAmI:
        """Sign in. After some failures the next attempt has to wait."""
        guard.check_origin(request)
        address = request.client.host if request.client else ""
        try:
            token, session, account = await guard.signing_in.sign_in(
                credentials.name,
                credentials.password,
                address,
                guard.device_token(request, credentials.name),
                credentials.proof(),
                credentials.new,
                guard.place(request),
            )
        except (SignInRefused, PasswordError) as refusal:
            raise _problem(guard, request, refusal) from None
        if credentials.new is not None:
            news.password_changed(account, address)
        sessions.end(request.cookies.get(guard.cookie), SessionEnd.ANOTHER)
        guard.set_cookie(response, token)
        guard.know_device(request, response, account)
        response.headers["cache-control"] = "no-store"
        return _who(account, session)

    @router.delete("/session", status_code=HTTPStatus.NO_CONTENT, responses=documented(HTTPStatus.FORBIDDEN))
    async def sign_out(request: Request, response: Response) -> None:
        """Sign out. No harm where nobody is signed in."""
        guard.check_origin(request)
        sessions.end(request.cookies.get(guard.cookie))
        guard.drop_cookie(response)

    return router


def _problem(guard: Guard, request: Request, refusal: SignInRefused | PasswordError) -> ApiProblem:
    """What answers a person who is not let in."""
    status = HTTPStatus.UNAUTHORIZED if isinstance(refusal, SignInRefused) else HTTPStatus.CONFLICT
    if isinstance(refusal, PasswordError | PasswordNeeded):
        return ApiProblem(status, str(refusal), {NEW_HEADER: "needed"})
    if isinstance(refusal, FactorNeeded):
        return _needed(guard, request, refusal)
    if refusal.wait:
        place = Response()
        guard.give_place(request, place)
        given = {name: value for name, value in place.headers.items() if name == "set-cookie"}
        retry = {"retry-after": str(int(refusal.wait) + 1), **given}
        return ApiProblem(HTTPStatus.TOO_MANY_REQUESTS, str(refusal), retry)
    return ApiProblem(status, str(refusal))


def _needed(guard: Guard, request: Request, refusal: FactorNeeded) -> ApiProblem:
    """Say which second factor would do here."""
    question = None if guard.keys_place(request) is None else refusal.question
    if question is None and not refusal.code:
        place = guard.signing_in.factors.place
        where = "another address of this page" if place is None else place.origin
        return ApiProblem(
            HTTPStatus.UNAUTHORIZED,
            f"your second factor is a security key, which works at {where} alone: sign in there",
        )
    header = {CODE_HEADER: "needed" if refusal.code else "key"}
    return ApiProblem(HTTPStatus.UNAUTHORIZED, str(refusal), header, None if question is None else {"key": question})
