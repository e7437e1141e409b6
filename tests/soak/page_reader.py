"""Somebody who follows a table's page."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass(slots=True)
class PageReader:
    """A reader of the page's events, who begins anew whenever the stream ends."""

    port: int
    read: int = field(default=0)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once something was read."""

    async def run(self) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                incoming, outgoing = await asyncio.open_connection("127.0.0.1", self.port)
                outgoing.write(f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
                try:
                    while data := await incoming.read(1 << 16):
                        self.read += len(data)
                        self.came.set()
                finally:
                    outgoing.close()
            await asyncio.sleep(1.0)
