"""The rulebooks on the page: published rules, for anybody who asks, signed in or not. They hold nothing of the table.

A page is made when it is asked for, in a thread beside the table's loop, from the very books that the table has, an
operator's own among them; so what a reader sees is what is in force, and a table whose rules nobody reads pays nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response

if TYPE_CHECKING:
    from feltd.books.html import RulePages
    from table_fsm.rulebook import Rulebook

_FRESH = {"cache-control": "no-cache"}


def add_rules(app: FastAPI, books: "Mapping[str, Rulebook]", in_force: Callable[[], Awaitable[str | None]]) -> None:
    """Serve `/rules` and `/rules/BOOK`.

    `in_force`: gives the id of the rulebook that the table is open with, None if it is closed or does not say.
    """

    def pages() -> "RulePages":
        from feltd.books.html import SERVED, RulePages, clause_lists

        return RulePages(books, clause_lists(), SERVED)

    @app.get("/rules")
    async def index() -> Response:
        book = await in_force()
        text = await asyncio.to_thread(lambda: pages().index(book))
        return Response(text, media_type="text/html", headers=_FRESH)

    @app.get("/rules/rules.css")
    def rules_style() -> Response:
        from feltd.books.html import style

        return Response(style(), media_type="text/css", headers=_FRESH)

    @app.get("/rules/{name}")
    def rulebook(name: str) -> Response:
        text = pages().book(name)
        if text is None:
            return PlainTextResponse("there is no such rulebook: /rules lists them\n", status_code=404)
        return Response(text, media_type="text/html", headers=_FRESH)
