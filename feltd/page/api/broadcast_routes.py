"""The broadcast of cards: wanted by two persons, each signed in by themselves; turned off by one."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field, model_validator

from feltd.door import TableDoor
from feltd.door.together import StepKind
from feltd.page.access.passwords import LONGEST
from feltd.page.access.roles import Right
from feltd.page.access.second_person import ASKS, why_not
from feltd.page.api.account_routes import own, prove
from feltd.page.api.action_routes import until_kept
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.proofs import Factor


class BroadcastSwitch(Factor):
    """Cards of rounds that are over go to the broadcast, or no longer."""

    on: bool
    password: Annotated[str, Field(min_length=1, max_length=LONGEST)] | None = Field(
        default=None, description="one's own, once more; with `on`"
    )

    @model_validator(mode="after")
    def _whole(self) -> "BroadcastSwitch":
        if self.on and self.password is None:
            raise ValueError("turning the broadcast on needs your password")
        return self


def broadcast_router(guard: Guard, door: TableDoor) -> APIRouter:
    """`/broadcast`."""
    router = APIRouter(tags=["actions"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    sees_cards = Depends(guard.need(Right.SEE_CARDS))
    accounts = guard.signing_in.accounts

    @router.post(
        "/broadcast",
        status_code=HTTPStatus.NO_CONTENT,
        responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE),
    )
    async def broadcast(body: BroadcastSwitch, caller: Caller = sees_cards) -> None:
        """Want the broadcast of cards on, by the password once more, and a second factor where there is one; or turn it
        off. It goes on once a second person wants it within fifteen minutes; the state says how it stands."""
        own(caller)
        if body.on:
            await prove(guard, caller, body.password or "", body.proof())
            await _require_first(caller)
        await until_kept(door.broadcast(caller.person(), on=body.on), "done")

    async def _require_first(caller: Caller) -> None:
        """Take back a wish that waits, and raise ApiProblem, where whoever has it may want nothing any more."""
        facts = (await door.state()).broadcast
        if facts is None or facts.on or facts.asked is None:
            return
        why = why_not(accounts.get(facts.asked), facts.asked, ASKS[StepKind.BROADCAST])
        if why is not None:
            await until_kept(door.broadcast(caller.person(), on=False), "done")
            raise ApiProblem(HTTPStatus.CONFLICT, why)

    return router
