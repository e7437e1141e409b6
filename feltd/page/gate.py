"""What a browser gets: the table's page while the table answers, and the page that says why while it does not.

Rules and what pages are drawn with are there in either case.
"""

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from feltd.door import Away

_ALWAYS = ("/rules", "/static/")


class Gate:
    """Passes each request on to one of two applications."""

    def __init__(self, table: ASGIApp, without: ASGIApp, away: Callable[[], Away | None]) -> None:
        """`away`: why the table does not answer; None while it does."""
        self._table = table
        self._without = without
        self._away = away

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        always = str(scope.get("path", "")).startswith(_ALWAYS)
        chosen = self._table if always or self._away() is None else self._without
        await chosen(scope, receive, send)
