"""The page without a table: what is wrong, where, and what to do. Nobody can sign in, and nothing be done.

What is wrong in full stands only on a browser of the board itself, because a value of the table's file may be in it.
"""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from importlib.resources import files
from typing import Final

from jinja2 import Environment, FunctionLoader, select_autoescape
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from feltd.door import Away
from feltd.page.addresses import hosts_for
from feltd.page.api import problems
from feltd.page.api.app import PREFIX
from feltd.page.api.guard import from_here
from feltd.page.languages import Spoken
from feltd.page.looks import Seen
from feltd.page.wrapping import BodyLimit, SecurityHeaders
from feltd.text.catalogue import refusal
from feltd.text.language import Language, spoken
from feltd.text.look import TOKENS_FILE, asked_look, tokens
from feltd.text.pages import template

ASSETS: Final = {
    TOKENS_FILE: "text/css",
    "page.css": "text/css",
    "band.css": "text/css",
    "icon.svg": "image/svg+xml",
    "out-of-order.js": "text/javascript",
}
_AGAIN: Final = {"retry-after": "5"}
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def make_app(name: str, away: Callable[[], Away], host: str, address: str | None = None) -> Starlette:
    """The page as an ASGI application.

    `name`: the table's; `away`: why there is none now; `host`: the address it is served at;
    `address`: as browsers show it.
    """
    pages = {
        language: Environment(
            loader=FunctionLoader(partial(template, language=language)), autoescape=select_autoescape()
        ).get_template("out-of-order.html")
        for language in Language
    }
    assets = {name: (files("feltd.page") / "static" / name).read_bytes() for name in ASSETS}

    async def page(request: Request) -> Response:
        now = away()
        details = now.details if from_here(request) else ()
        said = {"words": refusal(now.words), "remedy": refusal(now.remedy), "said": said_of(now)}
        text = pages[spoken()].render(name=name, away=now, details=details, **said)
        return Response(text, HTTPStatus.SERVICE_UNAVAILABLE, _AGAIN, "text/html")

    async def health(_: Request) -> Response:
        return PlainTextResponse(f"{said_of(away())}\n", HTTPStatus.SERVICE_UNAVAILABLE, _AGAIN)

    async def api(_: Request) -> Response:
        return problems.answer(HTTPStatus.SERVICE_UNAVAILABLE, said_of(away()), _AGAIN)

    async def static(request: Request) -> Response:
        wanted = request.path_params["name"]
        if wanted not in assets:
            return PlainTextResponse("there is no such file\n", HTTPStatus.NOT_FOUND)
        content = tokens(asked_look.get()) if wanted == TOKENS_FILE else assets[wanted]
        return Response(content, media_type=ASSETS[wanted])

    return Starlette(
        routes=[
            *(_route(path, health) for path in ("/healthz", "/metrics")),
            _route(f"{PREFIX}/{{rest:path}}", api),
            _route("/static/{name}", static),
            _route("/{rest:path}", page),
        ],
        middleware=[
            Middleware(Spoken),
            Middleware(Seen),
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts_for(host, address)), www_redirect=False),
            Middleware(BodyLimit),
        ],
    )


def said_of(away: Away) -> str:
    """Why there is no table, in a line."""
    if away.starting:
        return f"starting: {away.words}"
    return f"out of order: {away.words}" if away.out_of_order else away.words


def _route(path: str, answers: Callable[[Request], object]) -> Route:
    return Route(path, answers, methods=_METHODS)
