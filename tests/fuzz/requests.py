"""Raw bytes at the page, as its server reads them from a connection.

No socket is between the two, and the page's clock goes on a second an input. Over sockets and by the machine's clock
the page refuses, after the first two hundred, whoever connects faster than a browser does: nearly all inputs were
answered 503, unread.
"""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from uvicorn.server import ServerState

from feltd.page.access.roles import Role
from feltd.page.connections import Connection, Connections, protocol_of
from feltd.page.limits.refusals import Refusals
from feltd.page.server import PageServer, listen
from tests.feltd.page_support import Page, limits
from tests.fuzz.in_a_loop import Scene, judged_in_a_loop
from tests.fuzz.target import Target
from tests.quick_passwords import quick_passwords
from tests.running import eventually

_COOKIE: Final = b"THE-SESSION"
"""Stands in an input for the headers of somebody who is signed in."""
_FAILURE: Final = re.compile(rb"^HTTP/1\.1 (500|502|504)", re.MULTILINE)
_IN_PIECES: Final = b"Transfer-Encoding: chunked\r\n\r\n"
_WELL: Final = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
_HOST: Final = "127.0.0.1"
_NEXT_VISITOR: Final = 16
"""Inputs from one other visitor to the next: one each would take half of the time."""
_A_SESSION: Final = 5000
"""Inputs, so seconds, for which somebody stays signed in: no session lasts as long as a long run."""
_TURNS: Final = 30
"""Of the loop, for an answer that has begun, and for one to a request that is not whole: streams have no end."""


class Wire(asyncio.Transport):
    """A connection whose other end is the test. It closes within the loop, as a socket's does."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: Connection, held: socket.socket) -> None:
        super().__init__({"socket": held, "peername": (_HOST, 4711), "sockname": (_HOST, 8080)})
        self._loop, self._protocol, self._held = loop, protocol, held
        self._closing = False
        self.said = bytearray()
        protocol.connection_made(self)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._closing:
            self.said += data

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._loop.call_soon(self._lost)

    def abort(self) -> None:
        self.close()

    def _lost(self) -> None:
        self._protocol.connection_lost(None)
        self._held.close()

    def is_closing(self) -> bool:
        return self._closing

    def is_owed_an_answer(self) -> bool:
        """Whether a request is whole and its answer has not begun."""
        cycle = self._protocol.cycle
        begun = cycle is None or cycle.response_started  # type: ignore[redundant-expr]  # None at first
        return not begun and not cycle.more_body

    def pause_reading(self) -> None:
        """A socket's bytes would wait; here all are read already."""

    def resume_reading(self) -> None:
        """See `pause_reading`."""

    def get_write_buffer_size(self) -> int:
        return 0


class Visits:
    """A page's server with connections of this file's making."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.connections = Connections(limits(), Refusals(), clock=lambda: page.bench.time.monotonic)
        self._listener = listen(_HOST, 0, self.connections)
        config = PageServer(page.app, self._listener, None)._server.config
        state = ServerState()
        self.tasks = state.tasks
        self._protocol = partial(protocol_of(self.connections), config=config, server_state=state, app_state={})

    def close(self) -> None:
        self._listener.close()

    async def ask(self, data: bytes) -> bytes:
        """What the page answers to these bytes, before the visitor leaves.

        Returns when all that it began for them has ended: a request that goes on for nobody never lets this return.
        """
        loop = asyncio.get_running_loop()
        wire = Wire(loop, self._protocol(), self.connections.enter(socket.socket(socket.AF_UNIX), _HOST))
        half = len(data) // 2 if len(data) % 2 else len(data)
        for piece in (data[:half], data[half:]):
            if piece and not wire.is_closing():
                wire._protocol.data_received(piece)
                await self._answered(wire)
        wire.abort()
        await asyncio.sleep(0)
        while self.tasks:
            await asyncio.wait(set(self.tasks))
        return bytes(wire.said)

    async def _answered(self, wire: Wire) -> None:
        for _ in range(_TURNS):
            if not self.tasks or wire.is_closing():
                return
            await asyncio.sleep(0)
        await eventually(lambda: not self.tasks or wire.is_closing() or not wire.is_owed_an_answer())


@asynccontextmanager
async def _page(folder: Path) -> AsyncIterator[Scene]:
    page = Page(folder)
    visits, count, session = Visits(page), 0, b""

    async def scene(data: bytes) -> None:
        nonlocal count, session
        page.bench.time.pass_(1.0)
        if count % _A_SESSION == 0:
            session = b"\r\n".join(f"{name}: {value}".encode() for name, value in page.session(Role.DIRECTOR).items())
        said = await visits.ask(data.replace(_COOKIE, session))
        assert not _FAILURE.search(said), said[:200]
        assert not len(visits.connections), "a connection is held for nobody"
        count += 1
        if count % _NEXT_VISITOR == 1:
            well = await visits.ask(_WELL)
            assert well.startswith((b"HTTP/1.1 200", b"HTTP/1.1 503")), well[:80]

    try:
        with quick_passwords():
            yield scene
    finally:
        visits.close()
        page.close()


def _requests() -> Sequence[bytes]:
    head = b"Host: localhost\r\n"
    signed = head + _COOKIE + b"\r\n"
    asked = (
        b"/",
        b"/api/v1/state",
        b"/api/v1/rounds?most=5",
        b"/rules/tas-2018-holdem",
        b"/metrics",
        b"/static/page.css",
        b"/api/v1/vocabulary",
        b"/api/v1/devices",
        b"/api/v1/alarms?most=5",
        b"/api/v1/export?from=1&to=2",
        b"/api/v1/account",
    )
    json = b"Content-Type: application/json\r\n"
    return [
        *(b"GET " + path + b" HTTP/1.1\r\n" + signed + b"\r\n" for path in asked),
        *(b"POST /api/v1/" + path + b" HTTP/1.1\r\n" + signed + json
          + b"Content-Length: %d\r\n\r\n" % len(body) + body for path, body in _BODIES),
        b"POST /api/v1/session HTTP/1.1\r\n" + head + json + _IN_PIECES + b"2\r\n{}\r\n0\r\n\r\n",
        b"POST /api/v1/session HTTP/1.1\r\n" + head + b"Content-Length: 2\r\n" + _IN_PIECES + b"0\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + head + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n" + head + b"\r\nGET /healthz HTTP/1.1\r\n" + head + b"\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]  # fmt: skip


_BODIES: Final[Sequence[tuple[bytes, bytes]]] = (
    (b"session", b'{"name": "anna", "password": "x"}'),
    (b"decisions", b'{"decision": "call_the_floor", "reason": "asked"}'),
    (b"seats/1", b'{"action": "in", "reason": "asked"}'),
    (b"test-mode", b'{"on": true, "reason": "asked"}'),
    (b"tournament/go", b'{"reason": "asked"}'),
)

REQUESTS = Target(
    "requests",
    lambda: judged_in_a_loop(_page),
    _requests,
    (_COOKIE, b"chunked", b"Content-Length: ", b"HTTP/1.0", b"%00", b"%2e%2e/"),
)
