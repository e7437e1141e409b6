"""Security keys of a person's own: registered by password, taken away, and asked to sign once more."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import Account
from feltd.page.access.roles import Right
from feltd.page.access.security_keys import (
    ANSWER_WITHIN,
    NAME_MOST,
    KeysPlace,
    Made,
    SecurityKey,
    SecurityKeyError,
    algorithms,
    as_text,
)
from feltd.page.access.signing_in import asked_by
from feltd.page.api.account_routes import own, prove
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.proofs import Id, Proven, Text


class ShownKey(BaseModel):
    """A security key of the person's."""

    id: str
    name: str
    made: float = Field(description="seconds since 1970")
    copied: bool = Field(description="it has shown that there are two of it, and is not taken any more")


class Keys(BaseModel):
    """The person's security keys, the oldest first."""

    keys: list[ShownKey]
    origin: str | None = Field(description="the one address at which security keys work; null: nowhere at this page")
    here: bool = Field(description="whether this request came to that address")


class Question(BaseModel):
    """What a security key is to sign: the browser's `navigator.credentials.get` with these."""

    challenge: str = Field(description="base64url; counts once, for two minutes")
    rp_id: str
    origin: str
    ids: list[str] = Field(description="the keys that may sign, base64url")
    seconds: float


class Wanted(BaseModel):
    """What a browser has a new key made of: `navigator.credentials.create` with these."""

    challenge: str = Field(description="base64url; counts once, for two minutes")
    rp_id: str
    origin: str
    user: str = Field(description="base64url")
    name: str
    algorithms: list[int] = Field(description="COSE numbers, the best first")
    ids: list[str] = Field(description="keys that are registered already, base64url")
    seconds: float


class NewKey(BaseModel):
    """A key that the browser has had made, each in base64url without padding."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    name: Annotated[str, Field(min_length=1, max_length=NAME_MOST, pattern=r"\S")]
    id: Id
    client_data: Text
    attestation: Text


def security_key_router(guard: Guard, news: AccountNews) -> APIRouter:
    """The routes of `/account/keys`."""
    router = APIRouter(tags=["account"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    signing_in = guard.signing_in
    caller_needed = Depends(guard.need(Right.SEE))

    def _place(request: Request) -> KeysPlace:
        place = guard.keys_place(request)
        if place is None:
            raise ApiProblem(HTTPStatus.CONFLICT, "no security key works at this address: use a code")
        return place

    @router.get("/account/keys")
    async def those_there_are(request: Request, caller: Caller = caller_needed) -> Keys:
        """The person's security keys, and where keys work."""
        _, account = own(caller)
        place = signing_in.factors.place
        return Keys(
            keys=[_shown(key) for key in account.keys],
            origin=None if place is None else place.origin,
            here=guard.keys_place(request) is not None,
        )

    @router.post("/account/keys/question", responses=documented(HTTPStatus.CONFLICT))
    async def ask(request: Request, response: Response, caller: Caller = caller_needed) -> Question:
        """Ask for something that a key is to sign; its answer goes as `key` where a second factor is wanted."""
        session, account = own(caller)
        _place(request)
        question = signing_in.factors.question(account, asked_by(session))
        if question is None:
            raise ApiProblem(
                HTTPStatus.CONFLICT, "you have no security key that is taken: give the code of your second factor"
            )
        response.headers["cache-control"] = "no-store"
        return Question(**question)

    @router.post(
        "/account/keys/wanted", responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
    )  # fmt: skip
    async def want(asked: Proven, request: Request, response: Response, caller: Caller = caller_needed) -> Wanted:
        """Begin to register a key, by the password and, where there is one, a second factor."""
        session, account = own(caller)
        place = _place(request)
        await prove(guard, caller, asked.password, asked.proof())
        challenge = signing_in.factors.question_for_new(asked_by(session))
        assert challenge is not None
        response.headers["cache-control"] = "no-store"
        return Wanted(**_wanted(place, challenge, account))

    @router.post(
        "/account/keys", status_code=HTTPStatus.CREATED, responses=documented(HTTPStatus.CONFLICT)
    )  # fmt: skip
    async def take(made: NewKey, request: Request, caller: Caller = caller_needed) -> ShownKey:
        """Register the key that was made. Your other sessions end."""
        session, account = own(caller)
        _place(request)
        told = Made(made.id, made.client_data, made.attestation)
        try:
            key = await signing_in.factors.made(told, made.name.strip(), asked_by(session))
            changed = signing_in.accounts.add_key(account.name, key)
        except SecurityKeyError as refusal:
            raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None
        _changed(caller, changed)
        return _shown(key)

    @router.post(
        "/account/keys/{id}/removal",
        status_code=HTTPStatus.NO_CONTENT,
        responses=documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS),
    )
    async def remove(
        id: Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,1400}$")],  # noqa: A002 - the API's name for it
        asked: Proven,
        caller: Caller = caller_needed,
    ) -> None:
        """Take a key away, by the password and a second factor. Your other sessions end."""
        _, account = own(caller)
        await prove(guard, caller, asked.password, asked.proof())
        try:
            changed = signing_in.accounts.remove_key(account.name, id)
        except SecurityKeyError as refusal:
            raise ApiProblem(HTTPStatus.NOT_FOUND, str(refusal)) from None
        _changed(caller, changed)

    def _changed(caller: Caller, account: Account) -> None:
        session, before = own(caller)
        news.keys_changed(before, account, caller.address)
        signing_in.sessions.know_factors(session, account)

    return router


def _shown(key: SecurityKey) -> ShownKey:
    return ShownKey(id=key.id, name=key.name, made=key.made, copied=key.copied)


def _wanted(place: KeysPlace, challenge: bytes, account: Account) -> dict[str, Any]:
    return {
        "challenge": as_text(challenge),
        "rp_id": place.host,
        "origin": place.origin,
        "user": as_text(account.name.encode()),
        "name": account.name,
        "algorithms": algorithms(),
        "ids": [key.id for key in account.keys],
        "seconds": ANSWER_WITHIN,
    }
