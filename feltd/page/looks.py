"""Light or dark, as this browser wants it: kept in a cookie, so a screen that nobody signs in to has its look too."""

from http.cookies import CookieError, SimpleCookie
from typing import Final

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from feltd.page.languages import keep_choice
from feltd.text.look import Look, asked_look

COOKIE: Final = "feltd-look"


class Seen:
    """Lets each answer know the look of its reader."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            asked_look.set(look_for(Headers(scope=scope)))
        await self._app(scope, receive, send)


def look_for(headers: Headers) -> Look:
    """Return the look that this browser has chosen; where it has chosen none, as it prefers."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return Look.BROWSER
    return _look("" if cookie is None else cookie.value) or Look.BROWSER


def add_look(app: FastAPI) -> None:
    """Serve `/look/NAME`, which keeps the choice in the browser and leads back."""

    @app.get("/look/{name}")
    async def choose(request: Request, name: str) -> Response:
        look = _look(name)
        if look is None:
            return PlainTextResponse("there is no such look\n", status_code=404)
        return keep_choice(request, COOKIE, look.value)


def _look(name: str) -> Look | None:
    return Look(name) if name in frozenset(Look) else None
