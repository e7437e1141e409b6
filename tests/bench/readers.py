"""`python -m tests.bench.readers PORT COUNT`: readers of a page's stream, as a process of their own.

Prints `ready` when each has its first state. When its input ends it prints one JSON array a reader: [entries of the
record, seconds since 1970] of every state that came.
"""

import asyncio
import json
import sys
from time import time
from typing import Any

ASK = b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
LONGEST = 2**24
"""Bytes of a line."""


class Reader:
    """One connection."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, float]] = []
        self.first = asyncio.Event()

    async def read(self, port: int) -> None:
        """Until it is cut."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=LONGEST)
        writer.write(ASK)
        while line := await reader.readline():
            if line.startswith(b"data: "):
                now = time()
                state: dict[str, Any] = json.loads(line[6:])
                self.heard.append((state["journal"]["appended"], now))
                self.first.set()
        writer.close()


async def main(port: int, count: int) -> None:
    """The program."""
    readers = [Reader() for _ in range(count)]
    tasks = [asyncio.create_task(reader.read(port)) for reader in readers]
    await asyncio.gather(*(reader.first.wait() for reader in readers))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    print(json.dumps([reader.heard for reader in readers]), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
