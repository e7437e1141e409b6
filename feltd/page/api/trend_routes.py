"""Trends over a shift, a day or a month: as figures, and as pictures."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.history_routes import answered
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.history.charts import chart
from feltd.page.history.desk import HistoryDesk
from feltd.page.history.trends import Trend, TrendSpan, trends

_REFUSALS: Final = documented(
    HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.SERVICE_UNAVAILABLE
)
_PICTURE: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "A picture.", "content": {"image/svg+xml": {"schema": {"type": "string"}}}},
    **documented(HTTPStatus.NOT_FOUND),
}


class _AskedTogether:
    """The figures of a span, made once for all that a person asks of them at the same time.

    A page of trends asks for all its pictures at once: more than the questions that one person may have open.
    """

    def __init__(self) -> None:
        self._making: dict[tuple[str, TrendSpan], asyncio.Task[list[Trend]]] = {}

    async def answer(
        self, key: tuple[str, TrendSpan], make: Callable[[], Coroutine[Any, Any, list[Trend]]]
    ) -> list[Trend]:
        """Return what `make` returns, or what it will return to somebody else of this key. Raises what it raises."""
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.get_running_loop().create_task(make(), name="trends")
            making.add_done_callback(partial(self._made, key))
        return await asyncio.shield(making)

    def _made(self, key: tuple[str, TrendSpan], task: "asyncio.Task[list[Trend]]") -> None:
        del self._making[key]
        if not task.cancelled():
            task.exception()  # where all who asked have gone, the loop would tell of it as nobody's


def trend_router(guard: Guard, desk: HistoryDesk, wall: Callable[[], float]) -> APIRouter:
    """`/trends`."""
    router = APIRouter(tags=["trends"], responses=_REFUSALS)
    sees = Depends(guard.need(Right.SEE))

    asked = _AskedTogether()

    async def trends_of(span: TrendSpan, caller: Caller) -> list[Trend]:
        who, now = caller.visitor.key, wall()
        return await asked.answer(
            (who, span), lambda: answered(desk.of(who).ask(lambda index: trends(index, span, now)))
        )

    @router.get("/trends")
    async def figures(
        caller: Caller = sees, span: Annotated[TrendSpan, Query(description="how far back")] = TrendSpan.SHIFT
    ) -> list[Trend]:
        """All trends of a span that ends now."""
        return await trends_of(span, caller)

    @router.get("/trends/{name}.svg", response_class=Response, responses=_PICTURE)
    async def picture(
        name: Annotated[str, Path(pattern=r"^[a-z-]{1,32}$")],
        caller: Caller = sees,
        span: Annotated[TrendSpan, Query()] = TrendSpan.SHIFT,
    ) -> Response:
        """One of them as a picture, with its figures in words for those who do not see it."""
        for trend in await trends_of(span, caller):
            if trend.name == name:
                return Response(chart(trend), media_type="image/svg+xml", headers={"cache-control": "no-store"})
        raise ApiProblem(HTTPStatus.NOT_FOUND, f'there is no trend "{name}": GET /trends names them')

    return router
