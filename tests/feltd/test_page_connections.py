"""Connections that are not played fair with: opened and left, a request by the byte, an answer never read, a flood.

With real sockets, and with limits of hundredths of a second in the place of many seconds.
"""

import asyncio
import logging
import re
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from feltd.page import certificate
from feltd.page.connections import Connections
from feltd.page.limits.refusals import Refusals
from feltd.page.server import PageServer, listen
from tests.feltd.page_support import Page
from tests.feltd.page_support import limits as page_limits
from tests.running import eventually

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@asynccontextmanager
async def serving(folder: Path, *, secure: bool = False, **limits: float) -> AsyncIterator[tuple[Page, int]]:
    page = Page(folder, hosts=("localhost",))
    page.bench.open_table()
    await page.bench.synced()
    page.connections = Connections(page_limits(**limits), Refusals(), secure=secure)
    listener = listen("127.0.0.1", 0, page.connections)
    made = certificate.made(folder, ("localhost",)) if secure else None
    server = PageServer(page.app, listener, made, (page.hub, page.feed))
    await server.start()
    try:
        yield page, listener.getsockname()[1]
    finally:
        await server.stop()
        page.close()


async def said(port: int, *parts: bytes, **how: Any) -> bytes:
    """All that comes until the other side lets go."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, **how)
    for part in parts:
        writer.write(part)
        await writer.drain()
    try:
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET / HT", GET, b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"],
)
def test_who_does_not_ask_to_the_end_is_let_go(tmp_path: Path, begun: bytes) -> None:
    async def scene() -> bytes:
        async with serving(tmp_path, seconds_to_ask=0.05) as (_, port):
            return await said(port, begun)

    assert b" 200 " not in asyncio.run(scene())


@pytest.mark.parametrize("begun", [b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n"])
def test_who_does_not_speak_tls_to_the_end_is_let_go(tmp_path: Path, begun: bytes) -> None:
    """The event loop alone would wait a minute for the handshake."""

    async def scene() -> bytes:
        async with serving(tmp_path, secure=True, seconds_to_ask=0.05) as (_, port):
            return await said(port, begun)

    assert b"HTTP" not in asyncio.run(scene())


def test_one_who_asks_and_listens_is_kept(tmp_path: Path) -> None:
    """A stream lives on beyond the time to ask: it has been asked for."""

    async def scene() -> bytes:
        async with serving(tmp_path, seconds_to_ask=1.0) as (page, port):  # so that a busy machine asks in time
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b"event: state")
            await said(port)  # another, that says nothing, is let go meanwhile
            page.bench.take(connections_event(), deck="blue", count=36)
            heard = await reader.readuntil(b"short_deck")
            writer.close()
            return heard

    assert b"event: state" in asyncio.run(scene())


def connections_event() -> type[Any]:
    from table_fsm.events import ShoeShuffled

    return ShoeShuffled


def test_a_reader_who_never_reads_is_let_go_and_its_place_is_free(tmp_path: Path) -> None:
    async def scene() -> int:
        async with serving(tmp_path, seconds_to_read=0.05) as (page, port):
            dead = socket.socket()
            dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            dead.connect(("127.0.0.1", port))
            dead.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            changes = 0
            while not page.hub.browsers:  # noqa: ASYNC110 - a number, no event
                await asyncio.sleep(0)
            while page.hub.browsers:
                changes += 1
                page.door._name = f"{changes} {'x' * 500_000}"
                page.hub.changed()
                await told(port)
            dead.close()
            return changes

    assert asyncio.run(scene()) >= 1


async def told(port: int) -> bytes:
    return await said(port, GET + b"Connection: close\r\n\r\n")


STREAM = b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Callers:
    """Connections that stay open until the scene is over."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def following(self, host: str = "127.0.0.1") -> asyncio.StreamWriter:
        """One in the middle of an answer that does not end."""
        reader = await self.waiting(host)
        self._writers[-1].write(STREAM)
        assert b"200 OK" in await reader.readuntil(b"\r\n")
        return self._writers[-1]

    async def waiting(self, host: str = "127.0.0.1") -> asyncio.StreamReader:
        """One that says nothing."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(host, 0))
        self._writers.append(writer)
        return reader

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in self._writers), return_exceptions=True)


@asynccontextmanager
async def called(folder: Path, **limits: float) -> AsyncIterator[tuple[Page, int, Callers]]:
    async with serving(folder, secure=False, **limits) as (page, port):
        callers = Callers(port)
        try:
            yield page, port, callers
        finally:
            await callers.close()


def test_the_last_of_an_address_gets_in_and_one_more_is_told_to_come_again(tmp_path: Path) -> None:
    async def scene() -> None:
        async with called(tmp_path, connections_per_address=3) as (_, port, callers):
            held = [await callers.following() for _ in range(3)]
            refused = await told(port)
            assert refused.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
            assert b"retry-after: 5\r\n" in refused
            assert refused.endswith(
                b"too many connections are open at once: close some, or come again in a few seconds\n"
            )
            here = await said(port, GET + b"Connection: close\r\n\r\n", local_addr=("127.0.0.2", 0))
            assert b"200 OK" in here
            held[0].close()
            answer = refused
            while b"200 OK" not in answer:  # the other side takes note in its own time
                answer = await told(port)

    asyncio.run(scene())


def test_of_an_address_at_its_limit_the_one_gives_way_that_has_waited_longest(tmp_path: Path) -> None:
    """Somebody behind the same address opens connections and says nothing: whoever comes to ask gets in."""

    async def scene() -> None:
        async with called(tmp_path, connections_per_address=3) as (_, port, callers):
            first, second, third = [await callers.waiting() for _ in range(3)]
            assert b"200 OK" in await told(port)
            assert await first.read() == b""
            assert b"200 OK" in await told(port)
            assert not second.at_eof()
            assert not third.at_eof()

    asyncio.run(scene())


def test_where_all_are_taken_the_address_that_has_most_gives_way(tmp_path: Path) -> None:
    async def scene() -> None:
        async with called(tmp_path, connections=8, connections_per_address=5) as (_, port, callers):
            modest = [await callers.waiting("127.0.0.3") for _ in range(3)]
            many = [await callers.waiting("127.0.0.4") for _ in range(5)]
            here = await said(port, GET + b"Connection: close\r\n\r\n", local_addr=("127.0.0.5", 0))
            assert b"200 OK" in here
            assert await many[0].read() == b""
            assert not any(one.at_eof() for one in (*modest, *many[1:]))

    asyncio.run(scene())


def test_a_connection_that_follows_never_gives_way_and_where_all_do_one_more_is_refused(tmp_path: Path) -> None:
    async def scene() -> None:
        async with called(tmp_path, connections=4, connections_per_address=2) as (page, port, callers):
            for host in ("127.0.0.3", "127.0.0.4"):
                for _ in range(2):
                    await callers.following(host)
            assert b" 503 " in await told(port)
            assert page.hub.browsers == 4

    asyncio.run(scene())


def test_a_connection_waits_again_after_its_answer(tmp_path: Path) -> None:
    """Kept open for the next request, it gives way to one that comes to ask."""

    async def scene() -> None:
        async with serving(tmp_path, connections_per_address=1) as (_, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET + b"\r\n")
            assert await reader.readuntil(b"well\n")
            assert b"200 OK" in await told(port)
            assert await reader.read() == b""
            writer.close()

    asyncio.run(scene())


def test_a_refused_one_of_tls_is_told_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        async with serving(tmp_path, secure=True, connections_per_address=1) as (_, port):
            context = ssl.create_default_context(cafile=tmp_path / certificate.MADE)
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="localhost")
            writer.write(STREAM)
            assert b"200 OK" in await reader.readuntil(b"\r\n")
            assert await said(port, b"\x16") == b""
            writer.close()

    asyncio.run(scene())


CHUNKED = b"0\r\n\r\n"
SESSION = b"DELETE /api/v1/session HTTP/1.%d\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "asked",
    [
        SESSION % 1 + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED,
        SESSION % 1 + b"Transfer-Encoding: chunked\r\nContent-Length: 200\r\n\r\n" + CHUNKED,
        SESSION % 0 + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    ],
)
def test_a_request_that_says_in_two_ways_where_it_ends_is_refused_and_nothing_after_it_is_read(
    tmp_path: Path, asked: bytes
) -> None:
    async def scene() -> None:
        async with serving(tmp_path) as (_, port):
            answered = await said(port, asked + GET + b"\r\n")
            assert answered.startswith(b"HTTP/1.1 400 Bad Request\r\n")
            assert answered.count(b"HTTP/1.1 ") == 1
            assert b"where its body ends" in answered

    asyncio.run(scene())


@pytest.mark.parametrize(
    "asked",
    [
        SESSION % 1 + b"Content-Length: 0\r\nContent-Length: 5\r\n\r\n",
        SESSION % 1 + b"Content-Length: 0, 5\r\n\r\n",
        SESSION % 1 + b"Content-Length: +0\r\n\r\n",
        SESSION % 1 + b"Content-Length: -1\r\n\r\n",
        SESSION % 1 + b"Content-Length : 0\r\n\r\n",
        SESSION % 1 + b"Transfer-Encoding : chunked\r\n\r\n" + CHUNKED,
        SESSION % 1 + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKED,
        SESSION % 1 + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + CHUNKED,
        SESSION % 1 + b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
        SESSION % 1 + b"X: y\nContent-Length: 0\r\n\r\n",
        SESSION % 1 + b"Content-Length: 0\n\n",
        SESSION % 1 + b"Content-Length: 0\r\n\n",
        SESSION % 1 + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\nZ: 0\r\n\r\n",
        SESSION % 1 + b"X: y\r\n Content-Length: 5\r\nContent-Length: 0\r\n\r\n",
        SESSION % 1 + b"Transfer-Encoding:\r\n\tchunked\r\n\r\n" + CHUNKED,
        SESSION % 1 + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n Z: 0\r\n\r\n",
        SESSION % 1 + b"Transfer-Encoding: chunked\r\n\r\n2;x\ry\r\n{}\r\n" + CHUNKED,
        SESSION % 1 + b"Transfer-Encoding: chunked\r\n\r\n2;x\0\r\n{}\r\n" + CHUNKED,
        SESSION % 1 + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" + b"0" * 16 + b"\r\n",
        b"\n" + GET,
        SESSION % 1 + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n",
    ],
)
def test_an_end_that_a_proxy_might_see_elsewhere_is_refused_and_nothing_after_it_is_read(
    tmp_path: Path, asked: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        async with serving(tmp_path) as (_, port):
            answered = await said(port, asked + GET + b"\r\n")
            assert re.match(rb"HTTP/1.1 (400|501) ", answered), answered
            assert answered.count(b"HTTP/1.1 ") == 1

    asyncio.run(scene())
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_body_that_breaks_off_into_noise_ends_the_connection_whatever_was_answered_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        async with serving(tmp_path) as (_, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(SESSION % 1 + b"Transfer-Encoding: chunked\r\n\r\n")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 204 ")
            writer.write(b"no chunk\r\n")
            assert await reader.read() == b""
            writer.close()

    asyncio.run(scene())
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    "how",
    [
        b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED,
        b'Transfer-Encoding: chunked\r\n\r\n0000002;name="a b"\r\n{}\r\n' + CHUNKED,
        b"Content-Length: 0\r\n\r\n",
    ],
)
def test_one_way_to_say_where_a_request_ends_is_taken(tmp_path: Path, how: bytes) -> None:
    async def scene() -> None:
        async with serving(tmp_path) as (_, port):
            answered = await said(port, SESSION % 1 + how + GET + b"Connection: close\r\n\r\n")
            assert answered.startswith(b"HTTP/1.1 204 No Content\r\n")
            assert b"HTTP/1.1 200 OK" in answered

    asyncio.run(scene())


@pytest.mark.parametrize("wish", [b"websocket", b"h2c"])
def test_a_wish_for_another_protocol_is_passed_over_and_fills_no_log(
    tmp_path: Path, wish: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    asked = GET + b"Connection: Upgrade\r\nUpgrade: " + wish + b"\r\n\r\n"

    async def scene() -> None:
        async with serving(tmp_path) as (_, port):
            answered = await said(port, asked * 9, GET + b"Connection: close\r\n\r\n")
            assert answered.count(b"HTTP/1.1 200 OK") == 10

    asyncio.run(scene())
    assert [record.getMessage() for record in caplog.records if record.name.startswith("uvicorn")] == []


def test_over_tls_a_browser_is_told_to_stay_with_it_but_not_for_this_machines_own_name(tmp_path: Path) -> None:
    async def scene() -> None:
        async def answered(secure: bool, host: bytes) -> bytes:
            async with serving(tmp_path, secure=secure) as (_, port):
                context = ssl.create_default_context(cafile=tmp_path / certificate.MADE) if secure else None
                asked = b"GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % host
                name = "localhost" if secure else None
                return await said(port, asked, ssl=context, server_hostname=name)

        told = b"strict-transport-security: max-age=31536000\r\n"
        assert told in await answered(secure=True, host=b"table-7.example")
        assert told not in await answered(secure=True, host=b"localhost")
        assert told not in await answered(secure=False, host=b"table-7.example")

    asyncio.run(scene())


def test_who_connects_again_and_again_is_told_to_come_later_and_others_get_in(tmp_path: Path) -> None:
    async def scene() -> None:
        async with serving(tmp_path, connects_per_address=0.1, connect_burst_per_address=3) as (_, port):
            for _ in range(3):
                assert b"200 OK" in await told(port)
            assert (await told(port)).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
            here = await said(port, GET + b"Connection: close\r\n\r\n", local_addr=("127.0.0.2", 0))
            assert b"200 OK" in here

    asyncio.run(scene())


def test_new_connections_come_back_with_time_and_a_proxys_are_not_counted() -> None:
    async def scene() -> None:
        now = 0.0
        made = page_limits(connects_per_address=2.0, connect_burst_per_address=4)
        held = Connections(made, Refusals(), proxies=[ip_network("10.0.0.2")], clock=lambda: now)

        def comes(host: str) -> bool:
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    held.enter(ours, host).close()
                except ConnectionAbortedError:
                    return False
                return True

        assert [comes("10.0.0.9") for _ in range(5)] == [True] * 4 + [False]
        assert all(comes("10.0.0.2") for _ in range(20))
        assert comes("10.0.0.8")
        now += 1.0
        assert [comes("10.0.0.9") for _ in range(3)] == [True, True, False]
        assert len(held) == 0

    asyncio.run(scene())


def test_ipv6_addresses_of_one_network_are_one_and_a_proxy_has_no_limit_of_its_own() -> None:
    async def scene() -> None:
        held = Connections(
            page_limits(connections=6, connections_per_address=2), Refusals(), proxies=[ip_network("10.0.0.2")]
        )
        pairs = [socket.socketpair() for _ in range(8)]
        come = iter(pairs)

        def enter(host: str) -> bool:
            """Whether it gets in without that another gives way: those that are in are all answered."""
            try:
                one = held.enter(next(come)[0], host)
            except ConnectionAbortedError:
                return False
            held.waits(one, waits=False)
            return True

        assert [enter(f"2001:db8::{n}") for n in (1, 2, 3)] == [True, True, False]
        assert enter("2001:db8:0:1::1")
        assert [enter("10.0.0.2") for _ in range(4)] == [True, True, True, False]  # all are taken
        assert len(held) == 6
        for end in (*held._held.copy().values(), *(end for pair in pairs for end in pair)):
            end.close()
        assert len(held) == 0

    asyncio.run(scene())


def test_what_is_closed_is_counted_no_longer(tmp_path: Path) -> None:
    async def scene() -> None:
        async with called(tmp_path) as (page, _, callers):
            writer = await callers.following()
            assert len(page.connections) == 1
            writer.close()
            await eventually(lambda: not len(page.connections))
            assert not page.connections._counts
            assert not page.connections._waiting

    asyncio.run(scene())


def test_headers_without_end_are_refused(tmp_path: Path) -> None:
    async def scene() -> bytes:
        async with serving(tmp_path) as (_, port):
            return await said(port, GET, *(b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(200)))

    assert asyncio.run(scene())[:12] in {b"HTTP/1.1 400", b""}


def test_a_forwarded_address_is_not_believed(tmp_path: Path) -> None:
    """The page is open to read at this machine: through a proxy on it nobody is at this machine."""

    async def scene() -> bytes:
        async with serving(tmp_path) as (_, port):
            ask = b"GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            assert b"200 OK" in await said(port, ask + b"\r\n")
            return await said(port, ask + b"X-Forwarded-For: 127.0.0.1\r\n\r\n")

    assert b" 401 " in asyncio.run(scene())


def test_nothing_older_than_tls_1_2_is_spoken(tmp_path: Path) -> None:
    async def scene() -> None:
        async with serving(tmp_path, secure=True) as (_, port):
            new = ssl.create_default_context(cafile=tmp_path / certificate.MADE)
            assert b"200 OK" in await said(
                port, GET + b"Connection: close\r\n\r\n", ssl=new, server_hostname="localhost"
            )
            old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
            old.set_ciphers("ALL:@SECLEVEL=0")
            with pytest.warns(DeprecationWarning, match="TLSv1_1"):
                old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
            with pytest.raises((ssl.SSLError, ConnectionError)):
                await said(port, GET + b"\r\n", ssl=old, server_hostname="localhost")

    asyncio.run(scene())
