"""The language of an answer: chosen in this browser, else what the browser asks for, else the table's.

The choice is a cookie, so a screen on a wall that nobody signs in to has one too. It says nothing of a person.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from http.cookies import CookieError, SimpleCookie
from typing import Final

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from feltd.text.language import Language, speaking

COOKIE: Final = "feltd-language"
NAMES: Final[Mapping[Language, str]] = {Language.ENGLISH: "English", Language.GERMAN: "Deutsch"}
"""Each language by its own name."""
_A_YEAR: Final = 365 * 86400
_path: Final[ContextVar[str]] = ContextVar("path asked for", default="/")


class Spoken:
    """Lets each answer be worded in the language of its reader."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with speaking(language_for(Headers(scope=scope))):
            _path.set(scope["path"])
            await self._app(scope, receive, send)


def asked_path() -> str:
    """Return the path of the page that is being answered."""
    return _path.get()


def language_for(headers: Headers) -> Language | None:
    """Return the language that a request asks for; None where it asks for none that feltd speaks."""
    return _of_cookie(headers.get("cookie", "")) or _of_browser(headers.get("accept-language", ""))


def _of_cookie(said: str) -> Language | None:
    try:
        cookie = SimpleCookie(said).get(COOKIE)
    except CookieError:
        return None
    return None if cookie is None else _language(cookie.value)


def _of_browser(said: str) -> Language | None:
    """The first that feltd speaks of the languages that are asked for, by their weight (RFC 9110, 12.5.4)."""
    weighed = sorted((_weight(part), -place, part) for place, part in enumerate(said.split(",")))
    for weight, _, part in reversed(weighed):
        language = _language(part.partition(";")[0])
        if weight > 0 and language is not None:
            return language
    return None


def _weight(part: str) -> float:
    _, _, told = part.replace(" ", "").partition(";q=")
    try:
        return float(told) if told else 1.0
    except ValueError:
        return 0.0


def _language(tag: str) -> Language | None:
    code = tag.strip().lower().partition("-")[0]
    return Language(code) if code in frozenset(Language) else None


def add_choice(app: FastAPI) -> None:
    """Serve `/language/CODE`, which keeps the choice in the browser and leads back."""

    @app.get("/language/{code}")
    async def choose(request: Request, code: str) -> Response:
        language = _language(code)
        if language is None:
            return PlainTextResponse("there is no such language\n", status_code=404)
        return keep_choice(request, COOKIE, language.value)


def keep_choice(request: Request, cookie: str, value: str) -> Response:
    """Keep a choice in the browser for a year, and lead back."""
    answer = RedirectResponse(back(request), status_code=303)
    over_tls = request.url.scheme == "https"
    answer.set_cookie(cookie, value, max_age=_A_YEAR, secure=over_tls, httponly=True, samesite="lax")
    return answer


def back(request: Request) -> str:
    """Return where the reader came from: a path of this page, never another site."""
    to = request.query_params.get("to", "/")
    return to if to.startswith("/") and not to.startswith("//") and "\\" not in to else "/"
