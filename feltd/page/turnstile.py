"""How many requests a visitor may send in a second, and have under way: in front of everything else.

Who is signed in, or has been in this browser, counts as that person wherever they are; all others count as their
address. So nobody takes another's share: not one who floods with an account, nor a stranger behind the same address.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from feltd.page.access.visitors import Visitor
from feltd.page.addresses import Network, client_behind, client_of_proxy
from feltd.page.api import problems
from feltd.page.api.app import PREFIX
from feltd.page.limits.buckets import Buckets
from feltd.page.limits.facts import PageLimits
from feltd.page.limits.refusals import Limit, Refusals

CHANGE: Final = 4.0
"""What a request that changes something counts: it is an entry of the record or more, or a password compared."""
ENDLESS: Final = frozenset({f"{PREFIX}/stream", f"{PREFIX}/events"})
"""What is under way for as long as a visitor wants: counted as streams."""
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Turnstile:
    """Passes requests on, or answers 429."""

    def __init__(
        self,
        app: ASGIApp,
        limits: PageLimits,
        who: Callable[[Request], Visitor],
        clock: Callable[[], float],
        refusals: Refusals,
    ) -> None:
        """`who`: whose request it is. `clock`: monotonic seconds."""
        self._app = app
        self._who = who
        self._refusals = refusals
        self._limits = limits
        self._of_person = Buckets(limits.requests_per_person, limits.burst_per_person, clock)
        self._of_address = Buckets(limits.requests_per_address, limits.burst_per_address, clock)
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visitor = self._who(Request(scope))
        wait = self._wait(visitor, 1.0 if scope["method"] in _READS else CHANGE)
        if wait > 0:
            await self._refused(Limit.REQUESTS, visitor, wait)(scope, receive, send)
        elif scope["path"] in ENDLESS:
            await self._app(scope, receive, send)
        elif self._under_way[visitor.key] >= self._at_once(visitor):
            await self._refused(Limit.AT_ONCE, visitor, 1.0)(scope, receive, send)
        else:
            await self._counted(visitor, scope, receive, send)

    async def _counted(self, visitor: Visitor, scope: Scope, receive: Receive, send: Send) -> None:
        self._under_way[visitor.key] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way[visitor.key] -= 1
            if not self._under_way[visitor.key]:
                del self._under_way[visitor.key]

    def _wait(self, visitor: Visitor, tokens: float) -> float:
        buckets = self._of_address if visitor.person is None else self._of_person
        return buckets.take(visitor.key, tokens)

    def _at_once(self, visitor: Visitor) -> int:
        return self._limits.at_once_per_address if visitor.person is None else self._limits.at_once_per_person

    def _refused(self, limit: Limit, visitor: Visitor, wait: float) -> ASGIApp:
        self._refusals.add(limit)
        seconds = max(1, math.ceil(wait))
        whose = "from this address without signing in" if visitor.person is None else f"by {visitor.person}"
        what = "too many requests" if limit is Limit.REQUESTS else "too many requests at once"
        words = f"{what} {whose}: come again in {seconds} second{'s' if seconds > 1 else ''}"

        async def answered(scope: Scope, receive: Receive, send: Send) -> None:
            await _answer(scope, words, seconds)(scope, receive, send)

        return answered


def _answer(scope: Scope, words: str, seconds: int) -> Response:
    headers = {"retry-after": str(seconds), "cache-control": "no-store"}
    if scope["path"].startswith(f"{PREFIX}/"):
        return problems.answer(HTTPStatus.TOO_MANY_REQUESTS, words, headers)
    return PlainTextResponse(f"{words}\n", HTTPStatus.TOO_MANY_REQUESTS, headers)


class BehindProxies:
    """Gives each request the address that it comes from, where it comes over a proxy of ours."""

    def __init__(self, app: ASGIApp, proxies: Sequence[Network]) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._proxies and scope["type"] == "http" and scope.get("client"):
            peer, port = scope["client"]
            forwarded = Headers(scope=scope).getlist("x-forwarded-for")
            scope = {**scope, "client": (client_behind(peer, forwarded, self._proxies), port)}
        await self._app(scope, receive, send)


class BehindSocket:
    """Gives each request that comes over the proxy's Unix socket its address and its scheme, as the proxy says them.

    Only who may use the socket's file gets here, so these headers are the proxy's; what is no single "https" is http:
    then nothing is promised that only TLS keeps.
    """

    def __init__(self, app: ASGIApp, proxies: Sequence[Network]) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            client = client_of_proxy(headers.getlist("x-forwarded-for"), self._proxies)
            scheme = "https" if headers.getlist("x-forwarded-proto") == ["https"] else "http"
            scope = {**scope, "client": (client, 0), "scheme": scheme}
        await self._app(scope, receive, send)
