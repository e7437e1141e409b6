"""The addresses of waiting lists: the list of rooms, a room's desk, and the screen for players."""

from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.guard import Guard
from feltd.page.pit.desks import is_there, pages_of, screens_of
from feltd.page.pit.tournaments.pages import Id
from feltd.page.pit.tournaments.screens import Names
from feltd.page.pit.waiting.routes import HasWaitingLists, news_of
from feltd.page.views import ShowPage


def add_waiting_pages(
    app: FastAPI, guard: Guard, page: ShowPage, name: str, screens: Names | None, floor: HasWaitingLists
) -> None:
    """Serve them. `name`: the pit's; `screens`: None: the screen is for who has signed in.

    A desk of lists that `floor` does not have is 404. The screen says so itself and asks again: nobody touches it.
    """
    frame: dict[str, Any] = {"pit": True, "state": {"name": name}, "here": "waiting"}
    shown = pages_of(guard, page, frame)
    on_screen = screens_of(guard, page, frame, open_to_all=screens is not None)

    @app.get("/waiting")
    async def every(request: Request) -> Response:
        return shown(request, "waiting-rooms.html", Right.SEE)

    @app.get("/waiting/{room}")
    async def desk(request: Request, room: Id) -> Response:
        await is_there(guard, request, lambda account: news_of(floor, room, account))
        return shown(request, "waiting.html", Right.SEAT, room=room)

    @app.get("/waiting/{room}/screen")
    async def screen(request: Request, room: Id) -> Response:
        return on_screen(request, "waiting-screen.html", room)
