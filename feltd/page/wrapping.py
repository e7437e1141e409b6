"""What lies around every answer of the page: headers for the browser's safety, and a limit to what is sent to it.

Plain ASGI: neither stands between a stream and its reader.
"""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feltd.page.addresses import is_loopback
from feltd.page.api import problems

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=()",
}
BODY_MOST: Final = 64 * 1024
"""Bytes. The largest body that means anything has a few hundred."""
TLS_SECONDS: Final = 365 * 86400
"""For which a browser that has been here comes over TLS alone."""


class SecurityHeaders:
    """Adds security headers to every answer, and forbids caches to keep it unless it says so."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers)


@dataclass(frozen=True, slots=True)
class LargerBody:
    """An address that takes more than the others. `words`: what they are told who send more than that."""

    path: re.Pattern[str]
    most: int
    words: str


_EVERYWHERE: Final = LargerBody(
    re.compile(".*"), BODY_MOST, f"the body has more than {BODY_MOST} bytes: nothing that large means anything here"
)


class _BodyTooLargeError(Exception):
    pass


class BodyLimit:
    """Refuses a request whose body is larger than any valid one.

    Counts both the announced length and the bytes that arrive.
    """

    def __init__(self, app: ASGIApp, larger: Sequence[LargerBody] = ()) -> None:
        self._app = app
        self._larger = larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced, limit = Headers(scope=scope).get("content-length", "0"), self._limit(scope["path"])
        if not announced.isdecimal() or int(announced[:20]) > limit.most:
            await _too_large(limit, scope, receive, send)
            return
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > limit.most:
                raise _BodyTooLargeError
            return message

        async def unless_too_large(message: Message) -> None:
            if taken <= limit.most:  # else the application takes it for a body that it cannot read, and says so
                await send(message)

        with contextlib.suppress(_BodyTooLargeError):
            await self._app(scope, counted, unless_too_large)
        if taken > limit.most:
            await _too_large(limit, scope, receive, send)

    def _limit(self, path: str) -> LargerBody:
        return next((one for one in self._larger if one.path.fullmatch(path)), _EVERYWHERE)


async def _too_large(limit: LargerBody, scope: Scope, receive: Receive, send: Send) -> None:
    refusal = problems.answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit.words, {"connection": "close"})
    await refusal(scope, receive, send)


class OneLength:
    """Refuses a request that says in two ways where its body ends.

    A proxy may read one and the page the other: what one takes for a body the other takes for the next request
    (RFC 9112, 6.1). The connection ends with the answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_ambiguous(scope):
            words = "the request says in two ways where its body ends: send Content-Length or Transfer-Encoding alone"
            await problems.answer(HTTPStatus.BAD_REQUEST, words, {"connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _is_ambiguous(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    if "transfer-encoding" not in headers:
        return False
    return "content-length" in headers or scope["http_version"] != "1.1"


class OverTlsAlone:
    """Tells a browser to come to this host over TLS alone from now on.

    A browser that does not trust the certificate takes no note of it (RFC 6797, 8.1). Nothing is said of names that
    mean whichever machine one is at: other programs answer there too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["scheme"] != "https" or is_loopback(URL(scope=scope).hostname or ""):
            await self._app(scope, receive, send)
            return

        async def with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["strict-transport-security"] = f"max-age={TLS_SECONDS}"
            await send(message)

        await self._app(scope, receive, with_header)
