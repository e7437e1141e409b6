"""What comes over sockets: requests at the page, questions at the table's door."""

import asyncio
import logging
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from feltd.door.wire.messages import Ask, line_of
from feltd.page.access.roles import Role
from feltd.page.server import PageServer, listen
from tests.feltd.door_support import apart, hello, knocking
from tests.feltd.page_support import Page, connections
from tests.fuzz.target import Judge, Target
from tests.running import eventually, turns

_COOKIE = b"THE-SESSION"
"""Stands in an input for the headers of somebody who is signed in."""
_FAILURE = re.compile(rb"^HTTP/1\.1 (500|502|504)", re.MULTILINE)
_IN_PIECES = b"Transfer-Encoding: chunked\r\n\r\n"
_WELL = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
_PERSON = {"signature": "S7", "account": "anna", "role": "supervisor", "address": "127.0.0.1"}

Scene = Callable[[bytes], Coroutine[Any, Any, None]]


class _Faults(logging.Handler):
    """What is logged as an error, by any part."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))


@contextmanager
def _in_a_loop(opened: Callable[[Path], AbstractAsyncContextManager[Scene]]) -> Iterator[Judge]:
    """Judge inputs by a scene in a loop of its own; what the loop or a log calls an error is a finding."""
    faults, log = _Faults(), logging.getLogger()
    with tempfile.TemporaryDirectory(prefix="feltd-fuzz-") as folder, asyncio.Runner() as runner:
        loop = runner.get_loop()
        loop.set_exception_handler(lambda _, context: faults.said.append(str(context)))
        place = opened(Path(folder))
        scene = runner.run(place.__aenter__())
        log.addHandler(faults)

        def judge(data: bytes) -> None:
            faults.said.clear()
            runner.run(scene(data))
            assert not faults.said, faults.said

        try:
            yield judge
        finally:
            log.removeHandler(faults)
            runner.run(place.__aexit__(None, None, None))


class _Heard(asyncio.Protocol):
    def __init__(self) -> None:
        self.bytes = b""
        self.over = False

    def data_received(self, data: bytes) -> None:
        self.bytes += data

    def connection_lost(self, exc: Exception | None) -> None:
        self.over = True


@asynccontextmanager
async def _page(folder: Path) -> AsyncIterator[Scene]:
    page = Page(folder)
    session = "".join(f"{name}: {value}\r\n" for name, value in page.session(Role.DIRECTOR).items()).encode().rstrip()
    listener = listen("127.0.0.1", 0, connections())
    server = PageServer(page.app, listener, None, (page.hub, page.feed))
    await server.start()
    host, port = listener.getsockname()[:2]
    loop = asyncio.get_running_loop()

    async def scene(data: bytes) -> None:
        page.bench.time.pass_(1.0)
        transport, heard = await loop.create_connection(_Heard, host, port)
        transport.write(data.replace(_COOKIE, session))
        await turns(30)
        other, well = await loop.create_connection(_Heard, host, port)
        other.write(_WELL)
        await eventually(lambda: well.over)
        transport.abort()
        await eventually(lambda: heard.over)
        assert well.bytes.startswith((b"HTTP/1.1 200", b"HTTP/1.1 503")), well.bytes[:80]
        assert not _FAILURE.search(heard.bytes), heard.bytes[:200]

    try:
        yield scene
    finally:
        await server.stop()
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


_BODIES = (
    (b"session", b'{"name": "anna", "password": "x"}'),
    (b"decisions", b'{"decision": "call_the_floor", "reason": "asked"}'),
    (b"seats/1", b'{"action": "in", "reason": "asked"}'),
    (b"test-mode", b'{"on": true, "reason": "asked"}'),
    (b"tournament/go", b'{"reason": "asked"}'),
)


@asynccontextmanager
async def _door(folder: Path) -> AsyncIterator[Scene]:
    async with apart(folder) as at:
        loop = asyncio.get_running_loop()

        async def scene(data: bytes) -> None:
            with knocking(at.place) as knock:
                with suppress(OSError):  # let go before all of it was said
                    await loop.sock_sendall(knock, data)
                await turns(30)
            await eventually(lambda: not at.reception._visits)
            with knocking(at.place) as knock:
                await loop.sock_sendall(knock, hello())
                assert (await loop.sock_recv(knock, 65536)).startswith(b'{"welcome"')
            await eventually(lambda: not at.reception._visits)

        yield scene


def _questions() -> Sequence[bytes]:
    asks = [
        Ask(1, "state", {}),
        Ask(2, "withdraw", {"number": 1, "person": _PERSON}),
        Ask(3, "signature", {"number": 9}),
        Ask(4, "act", {"person": _PERSON, "why": None, "event": {"ev": "seat.in", "seat": 1}}),
        Ask(5, "staff", {"members": []}),
    ]
    return [hello(), *(hello() + line_of(ask) for ask in asks), hello() + b"".join(map(line_of, asks))]


REQUESTS = Target(
    "requests",
    lambda: _in_a_loop(_page),
    _requests,
    (_COOKIE, b"chunked", b"Content-Length: ", b"HTTP/1.0", b"%00", b"%2e%2e/"),
)
DOOR = Target("door", lambda: _in_a_loop(_door), _questions, (b'{"ask":', b'"id":', b"null", b"\\ud800", b'{"hello":'))
