"""Tokens of a person's own: made by password and code, their text shown once, and revoked."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel, Field

from feltd.page.access.account_news import AccountNews
from feltd.page.access.roles import Right, Role
from feltd.page.access.signing_in import SignInRefused
from feltd.page.access.tokens import DAYS, DAYS_MOST, WORDS_MOST, Token, TokenError
from feltd.page.api.account_routes import own, refused
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.proofs import Proven


class AskedToken(Proven):
    """A token that is asked for, with the person's password once more, and a second factor where they have one."""

    words: Annotated[str, Field(min_length=1, max_length=WORDS_MOST)] = Field(description="what it is for")
    role: Annotated[Role, Field(strict=False)] = Field(description="as which it acts")
    scope: Annotated[list[Annotated[Right, Field(strict=False)]], Field(min_length=1, max_length=len(Right))] = Field(
        description="the rights that it has, each one of the role's and of the person's own"
    )
    days: Annotated[int, Field(ge=1, le=DAYS_MOST)] = Field(default=DAYS, description="after which it ends")


class ShownToken(BaseModel):
    """A token, without its text."""

    id: str
    words: str = Field(description="what it is for")
    role: Role
    scope: list[Right]
    made: float = Field(description="seconds since 1970")
    until: float = Field(description="seconds since 1970")
    over: bool = Field(description="it has ended")


class MadeToken(ShownToken):
    """A token that was made."""

    token: str = Field(description="its text, which is not shown again")


def token_router(guard: Guard, news: AccountNews) -> APIRouter:
    """The routes of `/account/tokens`."""
    router = APIRouter(tags=["account"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    sees, makes = Depends(guard.need(Right.SEE)), Depends(guard.need(Right.TOKENS))
    accounts, wall = guard.signing_in.accounts, guard.signing_in.bearers.wall

    @router.get("/account/tokens")
    async def those_there_are(caller: Caller = sees) -> list[ShownToken]:
        """The person's tokens, the oldest first, those that are over with them."""
        _, account = own(caller)
        return [_shown(token) for token in account.tokens]

    @router.post(
        "/account/tokens",
        status_code=HTTPStatus.CREATED,
        responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS),
    )
    async def make(asked: AskedToken, response: Response, caller: Caller = makes) -> MadeToken:
        """Make a token. Its text is in this answer and nowhere else; send it as `Authorization: Bearer …`."""
        session, account = own(caller)
        try:
            await guard.signing_in.prove(session, account, asked.password, caller.address, asked.proof())
            changed, token, text = accounts.add_token(
                account.name, asked.words, asked.role, asked.scope, asked.days, wall()
            )
        except SignInRefused as refusal:
            raise refused(refusal) from None
        except TokenError as refusal:
            raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None
        news.token_made(changed, token, caller.address)
        response.headers["cache-control"] = "no-store"
        return MadeToken(**_shown(token).model_dump(), token=text)

    @router.delete(
        "/account/tokens/{id}", status_code=HTTPStatus.NO_CONTENT, responses=documented(HTTPStatus.NOT_FOUND)
    )
    async def revoke(
        id: Annotated[str, Path(pattern="^[0-9a-f]{8}$")],  # noqa: A002 - the API's name for it
        caller: Caller = sees,
    ) -> None:
        """Revoke a token: it opens nothing from now on."""
        _, account = own(caller)
        try:
            changed = accounts.revoke_token(account.name, id)
        except TokenError as refusal:
            raise ApiProblem(HTTPStatus.NOT_FOUND, str(refusal)) from None
        news.token_revoked(changed, id, caller.address)

    def _shown(token: Token) -> ShownToken:
        return ShownToken(
            id=token.id, words=token.words, role=token.role, scope=sorted(token.scope), made=token.made,
            until=token.until, over=token.over(wall()),
        )  # fmt: skip

    return router
