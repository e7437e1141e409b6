"""The addresses of tournaments: the list, a tournament's desk, seat cards to print, and the screens for players."""

from typing import Annotated, Any, Final

from fastapi import FastAPI, Path
from starlette.requests import Request
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.guard import Guard
from feltd.page.pit.desks import is_there, pages_of, screens_of
from feltd.page.pit.tournaments.asking import FloorTournaments
from feltd.page.pit.tournaments.routes import known_of
from feltd.page.pit.tournaments.screens import Names
from feltd.page.views import ShowPage

Id = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
_SCREENS: Final = ("seats", "clock")


def add_tournament_pages(
    app: FastAPI, guard: Guard, page: ShowPage, name: str, screens: Names | None, floor: FloorTournaments
) -> None:
    """Serve them. `page(template, **values)` renders; `name`: the pit's; `screens`: None: for who has signed in.

    A desk and seat cards of a tournament that `floor` does not have are 404. A screen says so itself and asks again:
    nobody touches it.
    """
    frame: dict[str, Any] = {"pit": True, "state": {"name": name}, "here": "tournaments"}
    shown = pages_of(guard, page, frame)
    on_screen = screens_of(guard, page, frame, open_to_all=screens is not None)

    @app.get("/tournaments")
    async def every(request: Request) -> Response:
        return shown(request, "tournaments.html", Right.SEE)

    async def at_desk(request: Request, template: str, tournament: str) -> Response:
        await is_there(guard, request, lambda account: known_of(floor, tournament, account))
        return shown(request, template, Right.SEAT, tournament=tournament)

    @app.get("/tournaments/{tournament}")
    async def desk(request: Request, tournament: Id) -> Response:
        return await at_desk(request, "desk.html", tournament)

    @app.get("/tournaments/{tournament}/cards")
    async def cards(request: Request, tournament: Id) -> Response:
        return await at_desk(request, "seat-cards.html", tournament)

    def screen(kind: str) -> None:
        @app.get(f"/tournaments/{{tournament}}/{kind}")
        async def one(request: Request, tournament: Id) -> Response:
            return on_screen(request, f"floor-{kind}.html", tournament)

    for kind in _SCREENS:
        screen(kind)
