"""The rulebooks on the page: published rules, for anybody who asks, signed in or not. They hold nothing of the table.

A page is made when it is asked for first, in a thread beside the loop, from the very books that the table has, an
operator's own among them; then it is kept. Books do not change while the page runs, so a reader sees what is in force,
and a table whose rules nobody reads pays nothing. Each language is made by itself.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from feltd.page.api.problems import ApiProblem
from feltd.page.kept import Shelf
from feltd.text.language import spoken

if TYPE_CHECKING:
    from feltd.books.html import RulePages
    from table_fsm.rulebook import Rulebook

_HTML = "text/html; charset=utf-8"


def add_rules(app: FastAPI, books: "Mapping[str, Rulebook]", in_force: Callable[[], Awaitable[str | None]]) -> None:
    """Serve `/rules` and `/rules/BOOK`.

    `in_force`: gives the id of the rulebook that the table is open with, None if it is closed or does not say.
    """
    shelf = Shelf()

    def pages() -> "RulePages":
        from feltd.books.html import SERVED, RulePages, clause_lists

        return RulePages(books, clause_lists(), SERVED)

    def style() -> str:
        from feltd.books.html import style

        return style()

    @app.get("/rules")
    async def index(request: Request) -> Response:
        book = await in_force()
        return (await shelf.get(f"{spoken()} /{book or ''}", lambda: pages().index(book), _HTML)).answer(request)

    @app.get("/rules/rules.css")
    async def rules_style(request: Request) -> Response:
        return (await shelf.get("/rules.css", style, "text/css; charset=utf-8")).answer(request)

    @app.get("/rules/{name}")
    async def rulebook(request: Request, name: str) -> Response:
        if name not in books:
            raise ApiProblem(HTTPStatus.NOT_FOUND, "there is no such rulebook: /rules lists them")
        return (await shelf.get(f"{spoken()} {name}", lambda: pages().book(name) or "", _HTML)).answer(request)
