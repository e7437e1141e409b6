"""Trends over a shift, a day or a month: as figures, and as pictures."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.asked_together import AskedTogether
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.history_routes import answered
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.history.charts import NARROW, WIDTH, chart
from feltd.page.history.desk import HistoryDesk
from feltd.page.history.trends import Trend, TrendSpan, trends

_REFUSALS: Final = documented(
    HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.SERVICE_UNAVAILABLE
)
_PICTURE: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "A picture.", "content": {"image/svg+xml": {"schema": {"type": "string"}}}},
    **documented(HTTPStatus.NOT_FOUND),
}


def _picture_of(trends: list[Trend], name: str, wide: int) -> Response:
    """The picture of the trend of this name, so many pixels wide. Raises ApiProblem where there is none."""
    for trend in trends:
        if trend.name == name:
            return Response(chart(trend, wide), media_type="image/svg+xml", headers={"cache-control": "no-store"})
    raise ApiProblem(HTTPStatus.NOT_FOUND, f'there is no trend "{name}": GET /trends names them')


def trend_router(guard: Guard, desk: HistoryDesk, wall: Callable[[], float]) -> APIRouter:
    """`/trends`."""
    router = APIRouter(tags=["trends"], responses=_REFUSALS)
    asked: AskedTogether[tuple[str, TrendSpan], list[Trend]] = AskedTogether()

    async def trends_of(span: TrendSpan, caller: Caller) -> list[Trend]:
        who, now = caller.visitor.key, wall()
        return await asked.answer(
            (who, span), lambda: answered(desk.of(who).ask(lambda index: trends(index, span, now)))
        )

    add_trends(router, guard, trends_of, "All trends of a span that ends now.")
    return router


def add_trends(
    router: APIRouter, guard: Guard, trends_of: Callable[[TrendSpan, Caller], Awaitable[list[Trend]]], words: str
) -> None:
    """Serve `/trends`, and each of them as a picture, to who may look. `words`: about the first, for the reference."""
    sees = Depends(guard.need(Right.SEE))

    @router.get("/trends", description=words)
    async def figures(
        caller: Caller = sees, span: Annotated[TrendSpan, Query(description="how far back")] = TrendSpan.SHIFT
    ) -> list[Trend]:
        return await trends_of(span, caller)

    @router.get("/trends/{name}.svg", response_class=Response, responses=_PICTURE)
    async def picture(
        name: Annotated[str, Path(pattern=r"^[a-z-]{1,32}$")],
        caller: Caller = sees,
        span: Annotated[TrendSpan, Query()] = TrendSpan.SHIFT,
        narrow: Annotated[bool, Query(description="for a telephone")] = False,
    ) -> Response:
        """One of them as a picture, with its figures in words for those who do not see it."""
        return _picture_of(await trends_of(span, caller), name, NARROW if narrow else WIDTH)
