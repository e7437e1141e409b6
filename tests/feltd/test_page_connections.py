"""Connections that are not played fair with: opened and left, a request by the byte, an answer never read, a flood.

With real sockets, and with limits of hundredths of a second in the place of many seconds.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from feltd.page import certificate, connections
from feltd.page.server import PageServer, listen
from tests.feltd.page_support import Page

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@asynccontextmanager
async def serving(folder: Path, *, secure: bool = False) -> AsyncIterator[tuple[Page, int]]:
    page = Page(folder, hosts=("localhost",))
    page.bench.open_table()
    await page.bench.synced()
    listener = listen("127.0.0.1", 0)
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
def test_who_does_not_ask_to_the_end_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(connections, "ASKED_WITHIN", 0.05)

    async def scene() -> bytes:
        async with serving(tmp_path) as (_, port):
            return await said(port, begun)

    assert b" 200 " not in asyncio.run(scene())


def test_one_who_asks_and_listens_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream lives on beyond the time to ask: it has been asked for."""
    monkeypatch.setattr(connections, "ASKED_WITHIN", 1.0)  # so that a busy machine asks in time

    async def scene() -> bytes:
        async with serving(tmp_path) as (page, port):
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


def test_a_reader_who_never_reads_is_let_go_and_its_place_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "READ_WITHIN", 0.05)

    async def scene() -> int:
        async with serving(tmp_path) as (page, port):
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


def test_so_many_at_once_from_one_and_from_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS_OF_ONE", 3)

    async def scene() -> None:
        async with serving(tmp_path) as (_, port):
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
            assert await told(port) == b""  # one too many
            here = await said(port, GET + b"Connection: close\r\n\r\n", local_addr=("127.0.0.2", 0))
            assert b"200 OK" in here
            for _, writer in held:
                writer.close()
                await writer.wait_closed()
            answer = b""
            while b"200 OK" not in answer:  # the other side takes note in its own time
                answer = await told(port)

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
