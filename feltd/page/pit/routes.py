"""The pit's part of the API: all tables, and decisions at each of them."""

from http import HTTPStatus
from typing import Annotated, Any, Literal, Protocol

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, Field, model_validator
from starlette.requests import Request

from feltd.door import CommandRefused, DecisionRequest
from feltd.door.pit.orders import Order, Ordered
from feltd.door.pit.standing import REASON_MOST, AlarmAnswered
from feltd.page.access.roles import Right
from feltd.page.api.action_routes import Decision
from feltd.page.api.band import BandView
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.table_routes import streamed
from feltd.page.limits.places import StreamPlaces
from feltd.page.pit.following import PitFollow
from feltd.record.entries import LARGEST_INTEGER
from feltd.text.catalogue import refusal


class TakesOrders(Protocol):
    """Who passes decisions on to tables."""

    async def order(self, order: Order) -> Ordered:
        """Have a table take a decision. Raises CommandRefused where nothing was sent, TableAwayError."""

    async def answer_alarm(self, asked: AlarmAnswered) -> None:
        """Keep a person's answer to an alarm of custody. Raises CommandRefused, TableAwayError."""


class PitDecision(Decision):
    """A decision at one table."""

    table: Annotated[str, Field(min_length=1, max_length=64, description="the table's name on the floor")]

    @model_validator(mode="after")
    def _by_oneself(self) -> "PitDecision":
        if self.signature is not None:
            raise ValueError("a badge signs at the table itself")
        return self


class CustodyAnswer(BaseModel):
    """An answer to an alarm of custody. It stays in the floor's database, as the alarm does."""

    number: Annotated[int, Field(ge=1, le=LARGEST_INTEGER, description="the alarm's")]
    times: Annotated[int, Field(ge=0, le=LARGEST_INTEGER, description="how often it was told, as it was seen")]
    state: Literal["acknowledged", "closed"] = Field(description="told again after it was closed, it is open again")
    reason: Annotated[str, Field(min_length=3, max_length=REASON_MOST, description="why")]


class PitDone(BaseModel):
    """What is known of a decision."""

    result: Literal["done", "not known"] = Field(description="what is refused is answered as a problem")
    words: str = Field(description="of `not known`: why, and what settles it")
    entry: int = Field(description="its last entry in the table's record; 0 where it has none yet")


def pit_router(guard: Guard, door: TakesOrders, follow: PitFollow, places: StreamPlaces) -> APIRouter:
    """`/pit`, `/band`, `/stream`, `/decisions` and `/custody`."""
    router = APIRouter(tags=["pit"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    sees = Depends(guard.need(Right.SEE))
    watches = Depends(guard.need(Right.SEE, by_itself=True))
    decides = Depends(guard.need(Right.DECIDE))

    @router.get("/pit")
    async def now(caller: Caller = sees) -> dict[str, Any]:
        """All tables that the caller sees, as the floor has them."""
        return await follow.state(caller.account_name)

    @router.get("/band")
    async def band(caller: Caller = watches) -> BandView:
        """The status band of all tables that the caller sees: the level of the gravest one, and why."""
        told = await follow.band(caller.account_name)
        return BandView(level=told.level, words=told.words)

    @router.get("/state")
    async def touched(caller: Caller = sees) -> dict[str, str]:
        """Nothing but that somebody is there: pages ask it so that a session which is used does not end."""
        return {"name": "pit"}

    @router.get("/stream", response_class=Response)
    async def stream(request: Request, caller: Caller = watches) -> Response:
        """The tables that have changed, as events named `tables`; the first has all of them."""
        return streamed(guard, places, request, caller, follow.admit(caller.account_name))

    @router.post("/decisions", responses=documented(HTTPStatus.CONFLICT))
    async def decide(asked: PitDecision, caller: Caller = decides) -> PitDone:
        """Decide at a table, at most once. Refused: 409, with the table's reason."""
        seen = None if asked.seen is None else asked.seen.as_request()
        decision = DecisionRequest(
            asked.decision.value, asked.ruling, None if asked.outcome is None else asked.outcome.value, asked.reason,
            asked.seat, asked.alarm, asked.device, asked.minutes, seen,
        )  # fmt: skip
        if not await follow.sees(caller.account_name, asked.table):
            raise ApiProblem(HTTPStatus.CONFLICT, refusal(f"{asked.table} is none of the tables that you see"))
        try:
            done = await door.order(Order(asked.table, caller.person(), decision))
        except CommandRefused as refused:
            raise ApiProblem(HTTPStatus.CONFLICT, refusal(str(refused))) from None
        if done.result == "refused":
            raise ApiProblem(HTTPStatus.CONFLICT, f"{asked.table}: {refusal(done.words)}")
        words = refusal(done.words)
        return PitDone(result="done" if done.result == "done" else "not known", words=words, entry=done.entry)

    @router.post("/custody", status_code=HTTPStatus.NO_CONTENT, responses=documented(HTTPStatus.CONFLICT))
    async def answer(asked: CustodyAnswer, caller: Caller = decides) -> None:
        """Acknowledge or close an alarm of custody. Refused: 409, with the reason."""
        try:
            await door.answer_alarm(
                AlarmAnswered(asked.number, asked.times, asked.state, caller.person(), asked.reason)
            )
        except CommandRefused as refused:
            raise ApiProblem(HTTPStatus.CONFLICT, refusal(str(refused))) from None

    return router
