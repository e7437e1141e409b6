"""The record handed out: rounds and spans of it with their proof, finished hands as hand histories.

Nothing is handed out before the table's record says to whom.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.history_routes import LARGEST, MOST_SECONDS, REFUSALS, RoundNumber, answered
from feltd.page.api.on_record import OnRecord
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.history import cut
from feltd.page.history.bookmarks import MOST, Bookmark, as_csv, find_bookmarks
from feltd.page.history.deliveries import Deliveries
from feltd.page.history.desk import HistoryDesk, TooManyExportsError
from feltd.page.history.phh import NotToldError
from feltd.page.history.proof import export_name
from feltd.page.history.search import Wanted
from feltd.record.access import Part

LINES_TYPE: Final = "application/jsonl"
HAND_TYPE: Final = "application/toml"
CSV_TYPE: Final = "text/csv; charset=utf-8"
_CSV_TOO: Final[dict[int | str, dict[str, Any]]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}
Moment = Annotated[float, Field(ge=0, le=MOST_SECONDS)]
Round = Annotated[int, Field(ge=1, le=LARGEST)]


class Exported(BaseModel):
    """The part of the record to export: a time, or finished rounds; by default all of it."""

    model_config = ConfigDict(extra="forbid")

    since: Moment | None = Field(None, description="seconds since 1970")
    until: Moment | None = None
    first_round: Round | None = None
    last_round: Round | None = Field(None, description="the first one, if it is not said")

    @model_validator(mode="after")
    def _one(self) -> "Exported":
        time = self.since is not None or self.until is not None
        if time and (self.first_round is not None or self.last_round is not None):
            raise ValueError("give a time or rounds, one of the two")
        if self.last_round is not None and self.first_round is None:
            raise ValueError("last_round goes with first_round")
        return self


class Bookmarked(BaseModel):
    """The bookmarks wanted: of a time, by default of all; the newest 5000 where there are more."""

    model_config = ConfigDict(extra="forbid")

    since: Moment | None = Field(default=None, description="seconds since 1970")
    until: Moment | None = None
    format: Literal["json", "csv"] = "json"


class Sending(BaseModel):
    """How the bookmarks fare that are sent to another system. Times are seconds since 1970, numbers are entries of the
    record; all is since the page started."""

    receiver: str | None = Field(description="scheme, host and port; null: the table's file has no `[page.webhook]`")
    fault: str | None = Field(description="why nothing can be sent")
    taken: int | None = Field(description="the last one that was taken")
    taken_at: float | None
    waiting: int | None = Field(description="the one that has not been taken yet, and is sent again")
    why: str | None = Field(description="why it was not taken the last time")
    refused: int = Field(description="how many were refused for good and are left out")
    words: list[str] = Field(description="all of it as sentences")


def export_router(
    guard: Guard, desk: HistoryDesk, name: Callable[[], Awaitable[str]], record: OnRecord, deliveries: Deliveries
) -> APIRouter:
    """`/export`, `/bookmarks`, `/rounds/{number}/export`, `/rounds/{number}/phh`. `name`: the table's."""
    router = APIRouter(tags=["exports"], responses=REFUSALS)
    exports = Depends(guard.need(Right.EXPORT))

    @router.get("/rounds/{number}/export", response_class=Response, responses=_file_of(LINES_TYPE))
    async def one(number: RoundNumber, caller: Caller = exports) -> Response:
        """A finished round as JSON Lines with its proof: `feltd journal verify` checks it."""
        asked = desk.of(caller.visitor.key)
        found, _ = await answered(asked.round(number))
        if found.last is None:
            raise ApiProblem(HTTPStatus.CONFLICT, f"round {number} is not over: its cards are sealed until then")
        text = await answered(asked.exported(number))
        await record.put(caller, Part.ROUND, number=number)
        return _whole(LINES_TYPE, export_name(number), text)

    @router.get("/export", response_class=Response, responses=_file_of(LINES_TYPE))
    async def span(request: Request, asked: Annotated[Exported, Query()], caller: Caller = exports) -> Response:
        """A part of the record as JSON Lines with its proof, as it is read: `feltd journal verify` checks it. Cards of
        a round in progress stay sealed. It ends early, without its last line, if the session ends meanwhile."""
        questions = desk.of(caller.visitor.key)
        if asked.first_round is not None:
            ends = await answered(questions.span_of_rounds(asked.first_round, asked.last_round or asked.first_round))
        else:
            ends = await answered(questions.span(Wanted(since=asked.since, until=asked.until)))
        try:
            questions.check_export()
        except TooManyExportsError as many:
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(many), {"retry-after": "30"}) from None
        await record.put(caller, Part.ENTRIES, span=ends)
        lines = guard.while_allowed(request, Right.EXPORT, questions.export(*ends))
        headers = _headers(f"entries-{ends[0]}-{ends[1]}.jsonl")
        return StreamingResponse(lines, media_type=LINES_TYPE, headers=headers)

    @router.get("/bookmarks", response_model=list[Bookmark], responses=_CSV_TOO)
    async def bookmarks(
        asked: Annotated[Bookmarked, Query()],
        response: Response,
        caller: Caller = exports,
    ) -> list[Bookmark] | Response:
        """Each ruling and alarm of a time with its moment and a span around it, for the cameras' system: in the
        table's zone, with its offset, in English. It has no card. The record says who has it, once an hour for who asks
        again. Of more than 5000 the CSV's last line says so, and `x-feltd-newest`."""
        until = MOST_SECONDS if asked.until is None else asked.until
        found = await answered(
            desk.of(caller.visitor.key).ask(lambda index: find_bookmarks(index, asked.since or 0.0, until))
        )
        await record.put_list(caller, Part.BOOKMARKS, asked.since, asked.until)
        headers = cut.headers(cut=found.cut, most=MOST)
        if asked.format == "json":
            response.headers.update(headers)
            return found.found
        whole = _whole(CSV_TYPE, "bookmarks.csv", as_csv(found))
        whole.headers.update(headers)
        return whole

    @router.get("/bookmarks/sending")
    async def sending(caller: Caller = exports) -> Sending:
        """Where bookmarks are sent, which one was taken last, and what was not taken and why."""
        told = deliveries
        return Sending(
            receiver=told.receiver, fault=told.fault, taken=told.taken, taken_at=told.taken_at, waiting=told.waiting,
            why=told.why, refused=told.refused, words=told.in_words(),
        )  # fmt: skip

    @router.get("/rounds/{number}/phh", response_class=Response, responses=_file_of(HAND_TYPE))
    async def hand(
        number: RoundNumber,
        caller: Caller = exports,
        public: Annotated[bool, Query(description="leave out cards that were never shown (`????`)")] = False,
    ) -> Response:
        """A finished hand in the poker hand history format (PHH, TOML). 409 where the format cannot tell it, with the
        reason: games it does not know, bets that were not keyed, a course that a ruling changed."""
        see_cards = caller.may(Right.SEE_CARDS) and not public
        try:
            asked = desk.of(caller.visitor.key)
            text = await answered(asked.hand_history(number, table=await name(), see_cards=see_cards))
        except NotToldError as why:
            raise ApiProblem(HTTPStatus.CONFLICT, str(why)) from None
        await record.put(caller, Part.HAND_HISTORY, number=number, cards=see_cards)
        return _whole(HAND_TYPE, f"round-{number}.phh", text)

    return router


def _file_of(media_type: str) -> dict[int | str, dict[str, Any]]:
    return {
        200: {"description": "A file.", "content": {media_type: {"schema": {"type": "string"}}}},
        **documented(HTTPStatus.CONFLICT),
    }


def _whole(media_type: str, name: str, text: str) -> Response:
    return Response(text, media_type=media_type, headers=_headers(name))


def _headers(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
