"""A table whose door is a socket, and a page's end of it, in one loop."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from feltd.door.asking.socket_door import SocketDoor
from feltd.door.place import address_of
from feltd.door.serving.listener import OpenDoor, listening
from feltd.door.serving.records import RecordReaders
from feltd.door.wire.messages import FROM_TABLE, Hello, Purpose, Refused, Welcome, line_of, message_of
from tests.feltd.page_support import Page
from tests.running import eventually, running

SPOKEN = FROM_TABLE | {Welcome, Refused}


class Apart:
    """A table, its socket, and the door that a page has of it."""

    def __init__(self, page: Page, place: Path, reception: OpenDoor, readers: RecordReaders) -> None:
        self.page = page
        self.bench = page.bench
        self.place = place
        self.reception = reception
        self.readers = readers
        self.door = SocketDoor(place)


@asynccontextmanager
async def apart(folder: Path, *, uid: int | None = None) -> AsyncIterator[Apart]:
    """A table served over its socket; its page's end is there and not yet connected."""
    page = Page(folder)
    readers = RecordReaders(page.bench.journal.path)
    reception = OpenDoor(page.door, "Table 7", page.bench.journal.reader.journal_id, readers, refused=page.door.refused)
    place = folder / "door.sock"
    try:
        async with listening(place, os.getuid() if uid is None else uid, reception):
            yield Apart(page, place, reception, readers)
    finally:
        readers.close()
        page.close()


@asynccontextmanager
async def connected(at: Apart) -> AsyncIterator[SocketDoor]:
    """The page's end, connected."""
    async with running(at.door.run()):
        await eventually(lambda: at.door.away is None)
        yield at.door


@contextmanager
def knocking(place: Path) -> Iterator[socket.socket]:
    """A plain connection to the socket, for whoever breaks the protocol."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock, address_of(place) as address:
        knock.setblocking(False)
        knock.connect(address)
        yield knock


async def said_to(place: Path, *pieces: bytes) -> list[Any]:
    """Every message that the table sends to somebody who sends this, until it ends the connection."""
    loop = asyncio.get_running_loop()
    with knocking(place) as knock:
        for piece in pieces:
            try:
                await loop.sock_sendall(knock, piece)
            except OSError:
                break
        heard = b""
        try:
            while data := await loop.sock_recv(knock, 65536):
                heard += data
        except ConnectionResetError:
            pass
    return [message_of(line, SPOKEN) for line in heard.splitlines()]


def hello(purpose: Purpose = Purpose.TABLE, version: int = 1) -> bytes:
    """The line with which a page begins."""
    return line_of(Hello(version, purpose, "a test"))
