"""Trends over all tables that a person sees, by time and by table: as figures, and as pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from operator import attrgetter
from typing import Final, Protocol

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import Response

from feltd.door import CommandRefused
from feltd.door.pit.trending import PitAmount, PitAmounts, PitTrend
from feltd.page.access.roles import Right
from feltd.page.api.asked_together import AskedTogether
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.trend_routes import add_trends
from feltd.page.history.trends import SPANS, Part, Trend, TrendSpan, edges_of
from feltd.page.views import ShowPage, to_the_door
from feltd.text.catalogue import refusal, say

TABLES_MOST: Final = 16
"""Bars of one picture by table: those with the most."""
_NAME_MOST: Final = 40
"""Letters of a table's name beside its bar."""
_HOUR: Final = 3600.0
_LATER: Final = {"retry-after": "30"}


class HasTrends(Protocol):
    """Who is asked."""

    async def trends(self, asked: PitTrend) -> PitAmounts:
        """How much there was at the tables that a person sees. Raises CommandRefused, TableAwayError."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is counted. `title`, `by_table`: of its two pictures; `hourly`: its bars by time are an hour's."""

    name: str
    title: str
    by_table: str
    figure: Callable[[PitAmount], int]
    hourly: bool = False


def _kinds() -> tuple[_Kind, ...]:
    return (
        _Kind("rounds", say("Rounds an hour"), say("Rounds, by table"), attrgetter("rounds"), hourly=True),
        _Kind("misdeals", say("Misdeals"), say("Misdeals, by table"), attrgetter("misdeals")),
        _Kind("rulings", say("Rulings"), say("Rulings, by table"), attrgetter("rulings")),
        _Kind("alarms", say("Alarms"), say("Alarms, by table"), attrgetter("alarms")),
        _Kind("devices", say("Device faults"), say("Device faults, by table"), attrgetter("devices")),
    )


def pit_trends(amounts: Sequence[PitAmount], span: TrendSpan, edges: Sequence[float]) -> list[Trend]:
    """Two of each kind: by time, and by table, the tables with the most first. Part `n` begins at `edges[n]`."""
    by_part = {one.part: one for one in amounts if one.part is not None}
    tables = [one for one in amounts if one.table is not None]
    found = []
    for kind in _kinds():
        factor = _HOUR / SPANS[span][1] if kind.hourly else 1.0
        bars = tuple(
            Part("", since, kind.figure(by_part[number]) * factor if number in by_part else 0.0)
            for number, since in enumerate(edges[:-1])
        )
        found.append(Trend(kind.name, kind.title, say("rounds") if kind.hourly else "", bars))
        found.append(_by_table(kind, tables))
    return found


def _by_table(kind: _Kind, tables: Sequence[PitAmount]) -> Trend:
    some = sorted((one for one in tables if kind.figure(one)), key=lambda one: (-kind.figure(one), one.table))
    shown = some[:TABLES_MOST]
    parts = tuple(Part(_short(one.table or ""), None, float(kind.figure(one))) for one in shown)
    most = say("{count} of {total} with the most", count=len(shown), total=len(some))
    title = f"{kind.by_table}: {most}" if len(some) > len(shown) else kind.by_table
    return Trend(f"{kind.name}-by-table", title, "", parts)


def _short(name: str) -> str:
    return name if len(name) <= _NAME_MOST else f"{name[: _NAME_MOST - 1]}…"


def pit_trend_router(guard: Guard, door: HasTrends, wall: Callable[[], float]) -> APIRouter:
    """`/trends`."""
    refusals = documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)
    router = APIRouter(tags=["pit"], responses=refusals)
    together: AskedTogether[PitTrend, PitAmounts] = AskedTogether()

    async def trends_of(span: TrendSpan, caller: Caller) -> list[Trend]:
        edges = edges_of(span, wall())
        asked = PitTrend(caller.account_name, edges[0], SPANS[span][1], len(edges) - 1)
        try:
            found = await together.answer(asked, lambda: door.trends(asked))
        except CommandRefused as refused:
            raise ApiProblem(HTTPStatus.CONFLICT, refusal(str(refused)), _LATER) from None
        return pit_trends(found.amounts, span, edges)

    add_trends(router, guard, trends_of, "All trends of a span that ends now, over the tables that the caller sees.")
    return router


def add_trend_page(app: FastAPI, guard: Guard, page: ShowPage, name: str) -> None:
    """Serve the page of trends. `name`: the pit's."""

    @app.get("/trends")
    async def look(request: Request) -> Response:
        caller = guard.caller(request)
        if caller is None or not caller.may(Right.SEE):
            return to_the_door(request)
        return page("trends.html", caller=caller, here="trends", pit=True, state={"name": name})
