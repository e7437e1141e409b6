"""Everything the pit page stands on, put together and served."""

import shlex
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feltd.books.own_tournaments import tournament_books_to_run
from feltd.door.asking.pit_door import PitDoor
from feltd.page.addresses import hosts_for
from feltd.page.api import problems
from feltd.page.api.account_routes import account_router
from feltd.page.api.app import PREFIX
from feltd.page.api.second_factor_routes import second_factor_router
from feltd.page.api.security_key_routes import security_key_router
from feltd.page.api.session_routes import session_router
from feltd.page.api.vocabulary_routes import vocabulary_router
from feltd.page.app import make_frame
from feltd.page.doorway import Doorway, doorway, page_at_address
from feltd.page.limits.places import StreamPlaces
from feltd.page.nowhere import add_nowhere
from feltd.page.pit.following import PitFollow
from feltd.page.pit.routes import pit_router
from feltd.page.pit.searching import add_report_pages, search_router
from feltd.page.pit.tournaments.asking import FloorTournaments
from feltd.page.pit.tournaments.pages import add_tournament_pages
from feltd.page.pit.tournaments.routes import tournament_router
from feltd.page.pit.tournaments.screens import Names
from feltd.page.pit.tournaments.step_routes import SHEET_BODY, step_router
from feltd.page.pit.trending import add_trend_page, pit_trend_router
from feltd.page.pit.waiting.pages import add_waiting_pages
from feltd.page.pit.waiting.routes import waiting_router
from feltd.page.pit.wishing import Books, add_wish_pages, wish_router
from feltd.page.settings import PageSettings
from feltd.page.views import to_the_door
from feltd.text import language, zone
from feltd.text.amounts import choose_currency

PAGES: Final = (
    ("pit", "/", "Pit"),
    ("tournaments", "/tournaments", "Tournaments"),
    ("waiting", "/waiting", "Waiting lists"),
    ("wishes", "/wishes", "Wishes"),
    ("reports", "/reports", "Reports"),
    ("trends", "/trends", "Trends"),
)


@dataclass(frozen=True, slots=True)
class OpenPit:
    """A pit page ready to be served."""

    app: FastAPI
    at: Doorway
    follow: PitFollow


def open_pit(settings: PageSettings, door: PitDoor) -> OpenPit:
    """The pit page of the floor behind this door. Raises CertificateError, AccountError."""
    zone.choose(settings.zone, twelve_hours=settings.twelve_hours)
    language.choose(settings.language)
    choose_currency(settings.currency)
    at = doorway(settings, door)
    follow = PitFollow(door)
    door.on_changed(follow.changed)
    places = StreamPlaces(settings.limits, at.refusals)
    api = FastAPI(title="feltd pit", version="1", docs_url=None, redoc_url=None, servers=[{"url": PREFIX}],
                  root_path_in_servers=False, redirect_slashes=False)  # fmt: skip
    problems.install(api)

    async def table() -> str:
        return settings.name

    api.include_router(session_router(at.guard, at.news))
    api.include_router(account_router(at.guard, at.news, time.time))
    api.include_router(second_factor_router(at.guard, at.news, table))
    api.include_router(security_key_router(at.guard, at.news))
    api.include_router(vocabulary_router(at.guard))
    api.include_router(pit_router(at.guard, door, follow, places))
    api.include_router(search_router(at.guard, door))
    api.include_router(pit_trend_router(at.guard, door, time.time))
    books = Books()
    api.include_router(wish_router(at.guard, door, books))
    screens = None if settings.screens is None else Names(settings.screens)
    floor = FloorTournaments(door, tournament_books_to_run(settings.tournament_books).laws)
    api.include_router(tournament_router(at.guard, floor, screens, follow.broadcasting))
    api.include_router(step_router(at.guard, floor))
    api.include_router(waiting_router(at.guard, door, screens))
    app, page = make_frame(api, list(PAGES), hosts_for(settings.host, settings.address), (SHEET_BODY,))
    frame: dict[str, Any] = {"pit": True, "state": {"name": settings.name}}
    add_tournament_pages(app, at.guard, page, settings.name, screens, floor)
    add_waiting_pages(app, at.guard, page, settings.name, screens, door)

    add_report_pages(app, at.guard, page, door, settings.name)
    add_trend_page(app, at.guard, page, settings.name)
    add_wish_pages(app, at.guard, page, books, settings.name)

    def of_tables(address: str, template: str) -> None:
        @app.get(address)
        async def show(request: Request) -> Response:
            caller = at.guard.caller(request)
            if caller is None:
                return to_the_door(request)
            return page(template, caller=caller, here="pit", tables=await follow.state(caller.account_name), **frame)

    async def framed() -> dict[str, Any]:
        return frame

    add_nowhere(app, at.guard, page, framed)
    of_tables("/", "pit.html")
    of_tables("/wall", "pit-wall.html")

    @app.get("/account")
    async def account(request: Request) -> Response:
        caller = at.guard.caller(request)
        if caller is None or caller.account is None:
            return to_the_door(request)
        return page("account.html", caller=caller, here="account", **frame)

    @app.get("/sign-in")
    async def sign_in(request: Request) -> Response:
        nobody = len(at.accounts) == 0
        config = shlex.quote(str(settings.pit_file))
        shown = page("sign-in.html", name=settings.name, nobody=nobody, pit=True, config=config)
        at.guard.give_place(request, shown)
        return shown

    @app.get("/healthz")
    async def healthz() -> Response:
        if door.away is None:
            return PlainTextResponse("well\n")
        return PlainTextResponse(f"{door.away.words}\n", status_code=503)

    return OpenPit(app, at, follow)


@asynccontextmanager
async def served(settings: PageSettings, door: PitDoor) -> AsyncIterator[str]:
    """Serve the pit page as long as the block lasts; give its address.

    Raises CertificateError, AccountError, PageError.
    """
    pit = open_pit(settings, door)
    async with page_at_address(settings, pit.at, pit.app, lambda: door.away, (pit.follow,)) as address:
        yield address
