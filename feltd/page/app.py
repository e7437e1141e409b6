"""The page's addresses: what people look at. Everything they do goes through the API, mounted beside."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Final

from fastapi import FastAPI
from jinja2 import Environment, FunctionLoader, select_autoescape
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feltd.page.api import problems
from feltd.page.api.app import PREFIX
from feltd.page.api.guard import Guard
from feltd.page.api.on_record import OnRecord
from feltd.page.history.desk import HistoryDesk
from feltd.page.kept import Shelf
from feltd.page.languages import NAMES, Spoken, add_choice, asked_path
from feltd.page.looks import Seen, add_look
from feltd.page.modules import module
from feltd.page.nowhere import add_nowhere
from feltd.page.views import ShowPage, add_views, to_the_door
from feltd.page.wrapping import BodyLimit, LargerBody, SecurityHeaders
from feltd.text.amounts import house_currency
from feltd.text.catalogue import by_id, ruling_text, say, word
from feltd.text.language import Language, spoken
from feltd.text.look import TOKENS_FILE, asked_look, tokens
from feltd.text.pages import script, template, texts_of
from feltd.text.words import in_sentence, rule_in_words, words_of
from feltd.text.zone import clock, hours, moment, written_time, zone_name
from table_fsm.felt import Decision, StaffRole
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Authority, Outcome

_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
ASSETS: Final = {
    file.name: _TYPES[suffix]
    for file in (files("feltd.page") / "static").iterdir()
    if (suffix := PurePath(file.name).suffix) in _TYPES
}
"""Everything in `static/`, by its name: its type."""
PAGES: Final = (
    ("table", "/", "Table"),
    ("history", "/history", "History"),
    ("alarms", "/alarms", "Alarms"),
    ("trends", "/trends", "Trends"),
    ("tournament", "/tournament", "Tournament"),
    ("devices", "/devices", "Devices"),
    ("rules", "/rules", "Rules"),
)
"""What every page links to: name, address, words."""
_METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


def make_app(
    api: FastAPI,
    guard: Guard,
    state: Callable[[], Awaitable[dict[str, Any]]],
    desk: HistoryDesk,
    record: OnRecord,
    *,
    metrics: Callable[[], Awaitable[bytes]],
    unwell: Callable[[], Awaitable[str | None]],
    hosts: Sequence[str] = ("*",),
) -> FastAPI:
    """Make the page as an ASGI application.

    `hosts`: the names it answers to. A page on loopback answers to no other, so that no web site can read it through a
    visitor's browser. `unwell`: why the table cannot be played, None if it can.
    """
    app, page = make_frame(api, list(PAGES), hosts)

    @app.get("/")
    async def show(request: Request) -> Response:
        caller = guard.caller(request)
        if caller is None:
            return to_the_door(request)
        return page("table.html", state=await state(), caller=caller, here="table")

    add_views(app, guard, page, state, desk, record)

    async def frame() -> dict[str, Any]:
        return {"state": await state()}

    add_nowhere(app, guard, page, frame)

    @app.get("/sign-in")
    async def sign_in(request: Request) -> Response:
        shown = page("sign-in.html", name=(await state())["name"], nobody=len(guard.signing_in.accounts) == 0)
        guard.give_place(request, shown)
        return shown

    @app.get("/healthz")
    async def healthz() -> Response:
        why = await unwell()
        return PlainTextResponse("well\n") if why is None else PlainTextResponse(f"{why}\n", status_code=503)

    @app.get("/metrics")
    async def show_metrics() -> Response:
        return Response(await metrics(), media_type=_METRICS_TYPE)

    return app


def make_frame(
    api: FastAPI,
    pages: list[tuple[str, str, str]],
    hosts: Sequence[str] = ("*",),
    larger: Sequence[LargerBody] = (),
) -> tuple[FastAPI, ShowPage]:
    """An application with the API, the files of `static/` and what renders a template; `pages`: what each links to.

    `larger`: the addresses that take more than others.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.add_middleware(BodyLimit, larger=larger)
    app.add_middleware(Spoken)
    app.add_middleware(Seen)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_middleware(SecurityHeaders)
    problems.install(app)
    app.mount(PREFIX, api)
    templates = {language: _templates(language, pages) for language in Language}
    assets = Shelf()
    add_choice(app)
    add_look(app)

    also: dict[str, Any] = {}

    def page(template: str, **values: Any) -> Response:
        text = templates[spoken()].get_template(template).render(**also, **values)
        return Response(text, media_type="text/html", headers={"cache-control": "no-store"})

    app.state.show, app.state.pages, app.state.also = page, pages, also  # for code that adds a page

    @app.get("/static/{name}")
    async def static(request: Request, name: str) -> Response:
        if name not in ASSETS:
            return PlainTextResponse("there is no such file\n", status_code=404)
        if name == TOKENS_FILE:
            look = asked_look.get()
            kept = await assets.get(f"{name}, {look.value}", partial(tokens, look), ASSETS[name])
            return kept.answer(request)
        language = spoken()
        kept = await assets.get(f"{name}, {language.value}", partial(_asset, name, language), ASSETS[name])
        return kept.answer(request)

    return app, page


def _templates(language: Language, pages: list[tuple[str, str, str]]) -> Environment:
    """The templates in a language."""
    made = Environment(loader=FunctionLoader(partial(template, language=language)), autoescape=select_autoescape())
    made.filters.update(
        moment=moment,
        clock=clock,
        rule=rule_in_words,
        irregularity=partial(words_of, Irregularity),
        outcome=partial(words_of, Outcome),
        decision=lambda name: in_sentence(words_of(Decision, name)),
        words=word,
        beside=_beside,
        role=partial(words_of, StaffRole),
        authority=partial(words_of, Authority),
        member=lambda name, members: by_id(f"{members}.{name}", name),
        said=lambda text: texts_of("page", "said", "", language).get(text, text),
    )
    # As the stream says it, so that nothing is drawn twice. It is not compressed.
    made.policies["json.dumps_kwargs"] = {"sort_keys": False, "separators": (",", ":"), "ensure_ascii": False}
    [other] = (one for one in Language if one is not language)
    made.globals.update(pages=pages, zone=zone_name(), hours=hours(), currency=house_currency() or "")
    made.globals.update(written_time=written_time, asked_path=asked_path, module=module)
    made.globals.update(other=other, other_words=NAMES[other], asked_look=asked_look.get)
    return made


def _beside(approved: str) -> str:
    """A ruling's text in the language that is spoken, where there is one, and its approved text."""
    said = ruling_text(approved)
    return approved if said is None else f"{said} ({say('Approved text: {text}', text=approved)})"


def _asset(name: str, language: Language) -> str:
    """A file of `static/`, a script in a language."""
    content = (files("feltd.page") / "static" / name).read_text("utf-8")
    return script(name, content, language) if name.endswith(".js") else content
