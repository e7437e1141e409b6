"""The pages behind the first one: history, replay, report, trends, devices, tournament, and the screens for a wall."""

import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import quote

from fastapi import FastAPI, Path
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.history_routes import answered
from feltd.page.api.on_record import OnRecord
from feltd.page.api.problems import ApiProblem, must_be_there
from feltd.page.history.desk import HistoryDesk, Questions
from feltd.page.history.replayed import Step
from feltd.page.history.words import event_in_words
from feltd.record.access import Part
from feltd.text.alarms import Priority
from table_fsm.felt import AlarmKind, FaultKind
from table_fsm.rulebook.irregularities import Irregularity

ShowPage = Callable[..., Response]
RoundNumber = Annotated[int, Path(ge=1, le=2**53)]
_T = TypeVar("_T")
STEPS_PRINTED = 1000
_FRAMES: Final = ("tournament", "clock", "wall", "overlay", "broadcast", "devices", "packs", "trends")
"""Pages that need no more than the state: their addresses, and the names of their templates."""


def to_the_door(request: Request) -> Response:
    """Sign in first, then come back to where you wanted to go."""
    path = request.url.path
    return RedirectResponse("/sign-in" if path == "/" else f"/sign-in?to={quote(path)}", status_code=303)


def add_views(
    app: FastAPI,
    guard: Guard,
    page: ShowPage,
    state: Callable[[], Awaitable[dict[str, Any]]],
    desk: HistoryDesk,
    record: OnRecord,
) -> None:
    """Serve them. `page(template, **values)` renders."""

    async def shown(request: Request, template: str, here: str, right: Right = Right.SEE, **values: Any) -> Response:
        caller = guard.caller(request)
        if caller is None or not caller.may(right):
            return to_the_door(request)
        return page(template, state=await state(), caller=caller, here=here, **values)

    @app.get("/history")
    async def history(request: Request) -> Response:
        kinds = sorted(Irregularity, key=lambda kind: kind.words)
        return await shown(request, "history.html", "history", kinds=kinds, books=sorted(desk.rulebooks))

    @app.get("/alarms")
    async def alarms(request: Request) -> Response:
        kinds = sorted((*AlarmKind, *FaultKind, *Irregularity), key=lambda kind: kind.words)
        return await shown(request, "alarm-log.html", "alarms", kinds=kinds, priorities=tuple(Priority))

    @app.get("/history/round/{number}")
    async def one(request: Request, number: RoundNumber) -> Response:
        caller = guard.caller(request)
        if caller is not None and caller.may(Right.SEE):
            await must_be_there(answered(desk.of(caller.visitor.key).round(number)))
        return await shown(request, "round.html", "history", number=number)

    @app.get("/history/round/{number}/report")
    async def report(request: Request, number: RoundNumber) -> Response:
        caller = guard.caller(request)
        if caller is None or caller.account is None or not caller.may(Right.EXPORT):
            return to_the_door(request)
        asked = desk.of(caller.visitor.key)
        round_, rulings = await answered(asked.round(number))
        whole = {"round": round_, "rulings": rulings}
        proof = None if round_.last is None else await answered(asked.proof(number))
        values = {"state": await state(), "caller": caller, "here": "history", "whole": whole, "now": time.time(),
                  "journal": await answered(asked.name()), "proof": proof,
                  "steps": await _steps(asked, number, caller)}  # fmt: skip
        await record.put(caller, Part.REPORT, number=number, cards=caller.may(Right.SEE_CARDS))
        return await answered(asked.ask(lambda _: page("report.html", **values)))  # a thousand steps to write

    @app.get("/account")
    async def account(request: Request) -> Response:
        caller = guard.caller(request)
        if caller is None or caller.account is None:
            return to_the_door(request)
        return await shown(request, "account.html", "account")

    def frame(here: str) -> None:
        @app.get(f"/{here}")
        async def framed(request: Request) -> Response:
            return await shown(request, f"{here}.html", here)

    for here in _FRAMES:
        frame(here)


async def _steps(asked: Questions, number: int, caller: Caller) -> list[dict[str, Any]]:
    """The steps for a report; none where the round's rulebook is no longer here in that text."""
    try:
        see_cards = caller.may(Right.SEE_CARDS)
        return await answered(asked.steps(number, _printed, see_cards=see_cards, most=STEPS_PRINTED))
    except ApiProblem as problem:
        if problem.status is HTTPStatus.TOO_MANY_REQUESTS:
            raise
        return []


def _printed(step: Step) -> dict[str, Any]:
    return {
        "wall": step.wall,
        "words": event_in_words(step.event, step.counted),
        "rulings": [output["ruling"] for output in step.outputs if "ruling" in output],
    }
