"""The addresses of waiting lists: the list of rooms, a room's desk, and the screen for players."""

from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.guard import Guard
from feltd.page.pit.tournaments.pages import Id
from feltd.page.pit.tournaments.screens import Names
from feltd.page.views import ShowPage, to_the_door


def add_waiting_pages(app: FastAPI, guard: Guard, page: ShowPage, name: str, screens: Names | None) -> None:
    """Serve them. `name`: the pit's; `screens`: None: the screen is for who has signed in."""
    frame: dict[str, Any] = {"pit": True, "state": {"name": name}, "here": "waiting"}

    async def shown(request: Request, template: str, right: Right, **values: Any) -> Response:
        caller = guard.caller(request)
        if caller is None or not caller.may(right):
            return to_the_door(request)
        return page(template, caller=caller, **frame, **values)

    @app.get("/waiting")
    async def every(request: Request) -> Response:
        return await shown(request, "waiting-rooms.html", Right.SEE)

    @app.get("/waiting/{room}")
    async def desk(request: Request, room: Id) -> Response:
        return await shown(request, "waiting.html", Right.SEAT, room=room)

    @app.get("/waiting/{room}/screen")
    async def screen(request: Request, room: Id) -> Response:
        if screens is None:
            return await shown(request, "waiting-screen.html", Right.SEE, room=room)
        return page("waiting-screen.html", room=room, **frame)
