"""Search over all tables, trends and a printed report: each within the tables that the person sees."""

import time
from collections.abc import Callable
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Final, Protocol

from fastapi import APIRouter, Depends, FastAPI, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from feltd.door import CommandRefused
from feltd.door.pit.searching import (
    IN_A_REPORT,
    ROUNDS_MOST,
    RULINGS_MOST,
    PitFound,
    PitReport,
    PitSearch,
)
from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.views import ShowPage, to_the_door
from feltd.text.catalogue import refusal
from table_fsm.rulebook.irregularities import Irregularity

Wall = Annotated[float, Query(ge=0, le=253_402_300_799, description="seconds since 1970")]
TableName = Annotated[str | None, Query(min_length=1, max_length=64, description="of this table alone")]
_LATER: Final = {"retry-after": "30"}


class Searches(Protocol):
    """Who is asked. Each call raises CommandRefused, TableAwayError."""

    async def search(self, search: PitSearch) -> PitFound:
        """Rounds, rulings and counts of the tables that a person sees."""

    async def report(self, asked: PitReport) -> PitFound:
        """The same to be handed out, once that is on record."""


class RoundView(BaseModel):
    """A round of a table."""

    table: str
    number: int
    began: float
    ended: float | None
    book: str | None
    dealer: str | None
    result: str | None
    rulings: int


class RuledView(BaseModel):
    """A ruling, and what a person made of it."""

    table: str
    entry: int = Field(description="of the table's record")
    round: int | None
    at: float
    rulebook: str | None
    rule: str | None
    irregularity: str | None
    outcome: str | None
    seat: int | None
    text: str | None
    pending: bool
    decision: str | None
    staff: str | None


class CountView(BaseModel):
    """How much there was at a table, or within an hour of all of them."""

    table: str | None
    hour: float | None = Field(description="when it began")
    rounds: int = Field(description="that ended")
    misdeals: int
    seconds: float = Field(description="how long these rounds took, together")
    rulings: int
    alarms: int


class FoundView(BaseModel):
    """What was found, the latest first."""

    rounds: list[RoundView]
    rulings: list[RuledView]
    tables: list[CountView]
    hours: list[CountView]
    before: float | None = Field(description="to go on with; null where the lists have all")


def search_router(guard: Guard, door: Searches) -> APIRouter:
    """`/search`."""
    router = APIRouter(tags=["pit"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    sees = Depends(guard.need(Right.SEE))

    @router.get("/search", responses=documented(HTTPStatus.CONFLICT))
    async def search(
        since: Wall,
        until: Wall,
        caller: Caller = sees,
        table: TableName = None,
        kind: Annotated[Irregularity | None, Query(description="that was ruled on")] = None,
        before: Annotated[float | None, Query(ge=0, description="as the answer before says")] = None,
    ) -> FoundView:
        """Rounds and rulings of all tables that the caller sees, in a time of at most 31 days, with counts."""
        asked = PitSearch(caller.account_name, since, until, table, None if kind is None else kind.value, before)
        return _view(await _answered(door.search, asked))

    return router


def add_report_pages(
    app: FastAPI, guard: Guard, page: ShowPage, door: Searches, name: str, wall: Callable[[], float] = time.time
) -> None:
    """Serve the search's page and the printed report. `name`: the pit's."""
    frame: dict[str, Any] = {"pit": True, "state": {"name": name}, "here": "reports"}

    @app.get("/reports")
    async def look(request: Request) -> Response:
        caller = guard.caller(request)
        if caller is None or not caller.may(Right.SEE):
            return to_the_door(request)
        kinds = sorted(Irregularity, key=lambda kind: kind.words)
        return page("pit-search.html", caller=caller, kinds=kinds, **frame)

    @app.get("/reports/print")
    async def printed(request: Request, since: Wall, until: Wall, table: TableName = None) -> Response:
        caller = guard.caller(request)
        if caller is None or caller.account is None or caller.read_only or not caller.may(Right.EXPORT):
            return to_the_door(request)
        search = PitSearch(caller.account_name, since, until, table)
        found = await _answered(door.report, PitReport(caller.person(), search))
        view = _view(found)
        return page(
            "pit-report.html", caller=caller, search=search, by_table=view.tables, by_hour=view.hours, now=wall(),
            rulings=list(reversed(view.rulings)), most=IN_A_REPORT, **frame,
        )  # fmt: skip


async def _answered(ask: Callable[[Any], Any], asked: PitSearch | PitReport) -> PitFound:
    try:
        found: PitFound = await ask(asked)
    except CommandRefused as refused:
        raise ApiProblem(HTTPStatus.CONFLICT, refusal(str(refused)), _LATER) from None
    return found


def _view(found: PitFound) -> FoundView:
    counts = [CountView(**asdict(one)) for one in found.counts]
    full = [
        last
        for last, is_full in (
            (found.rounds[-1].began if found.rounds else 0.0, len(found.rounds) >= ROUNDS_MOST),
            (found.rulings[-1].at if found.rulings else 0.0, len(found.rulings) >= RULINGS_MOST),
        )
        if is_full
    ]
    return FoundView(
        rounds=[RoundView(**asdict(one)) for one in found.rounds],
        rulings=[RuledView(**asdict(one)) for one in found.rulings],
        tables=[one for one in counts if one.table is not None],
        hours=[one for one in counts if one.table is None],
        before=max(full, default=None),
    )
