"""Visitors who want too much of a page, in one process: `python -m tests.bench.flood PORT STREAMS LOOPS SIGN_INS`.

STREAMS read `/events` from the record's first entry on, LOOPS ask for the steps of a round and for a printed rulebook
again and again, SIGN_INS guess passwords. Each begins anew at whatever answer it gets, after a short pause where it is
refused. A line when the first answer has come, and a JSON line at the end of the input: how many answers there were,
by status, and how many bytes.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Final

HOST: Final = "127.0.0.1"
PAUSE: Final = 0.05
"""Seconds after a refusal, or a connection that was not taken."""
OK: Final = "200"
NO_ANSWER: Final = "none"
STEPS: Final = "/api/v1/rounds/1/steps?most=500"
BOOK: Final = "/rules/tas-2018-holdem"


class Flood:
    """The visitors and what they got."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.answers: Counter[str] = Counter()
        self._begun = False
        self.bytes = 0

    async def stream(self) -> None:
        """Read the record's events from the first on, again and again."""
        while True:
            await self._ask("GET /api/v1/events", "Last-Event-ID: 0\r\n")

    async def loop(self, paths: Sequence[str]) -> None:
        """Ask for these in turn."""
        for number in count():
            await self._ask(f"GET {paths[number % len(paths)]}", "")

    async def guess(self) -> None:
        """Try one password after the other."""
        for number in count():
            body = json.dumps({"name": f"guess{number}", "password": f"a wrong horse {number}"})
            origin = f"Origin: http://{HOST}:{self._port}"
            more = f"{origin}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            await self._ask("POST /api/v1/session", more, body)

    def _begin(self) -> None:
        """Say so at the first answer: connections that were refused before it are none, and are counted too."""
        if not self._begun:
            self._begun = True
            sys.stdout.write("begun\n")
            sys.stdout.flush()

    async def _ask(self, what: str, more: str, body: str = "") -> None:
        status = NO_ANSWER
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(HOST, self._port)
            try:
                request = f"{what} HTTP/1.1\r\nHost: {HOST}:{self._port}\r\nConnection: close\r\n{more}\r\n{body}"
                writer.write(request.encode())
                status = (await reader.readline()).decode().split(" ")[1] or NO_ANSWER
                self._begin()
                self.answers[status] += 1
                while data := await reader.read(1 << 16):
                    self.bytes += len(data)
            except IndexError:
                pass
            finally:
                writer.close()
        if status == NO_ANSWER:
            self.answers[status] += 1
        if status != OK:
            await asyncio.sleep(PAUSE)


async def _run(port: int, streams: int, loops: int, sign_ins: int) -> None:
    flood = Flood(port)
    visitors = [
        *(flood.stream() for _ in range(streams)),
        *(flood.loop((STEPS, BOOK)) for _ in range(loops)),
        *(flood.guess() for _ in range(sign_ins)),
    ]
    tasks = [asyncio.create_task(visitor) for visitor in visitors]
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    sys.stdout.write(json.dumps({"answers": flood.answers, "bytes": flood.bytes}) + "\n")


if __name__ == "__main__":
    asyncio.run(_run(*(int(one) for one in sys.argv[1:5])))
