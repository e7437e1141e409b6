"""Visitors who want too much of a page, in one process:
`python -m tests.bench.flood PORT STREAMS LOOPS SIGN_INS PEOPLE`.

STREAMS read `/events` from the record's first entry on, LOOPS ask for the steps of a round and for a printed rulebook
again and again, SIGN_INS guess passwords. Each comes from an address of loopback of its own. PEOPLE sign in first, as
`person(0)` and so on, and the streams and loops are theirs in turn; with 0 they are strangers'. Each begins anew at
whatever answer it gets, after a short pause where it is refused. A line when the first answer has come, and a JSON line
at the end of the input: how many answers there were, by what was asked and status, and how many bytes.
"""

import asyncio
import json
import re
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
SECRET: Final = "a horse, and a staple"
"""The people's password."""
NO_ANSWER: Final = "none"
STEPS: Final = "/api/v1/rounds/1/steps?most=500"
_COOKIE: Final = re.compile(r"(?im)^set-cookie: (feltd=[^;\r]+)")
BOOK: Final = "/rules/tas-2018-holdem"


def person(number: int) -> str:
    """The name of an account."""
    return f"visitor{number}"


def address_of(net: int, number: int) -> str:
    """An address of loopback: of each net 250 and more."""
    return f"127.0.{net + number // 250}.{number % 250 + 1}"


class Flood:
    """The visitors and what they got."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookies = [""]
        """Of each of the people, as a line of a request."""
        self.answers: Counter[str] = Counter()
        self._begun = False
        self.bytes = 0

    async def let_in(self, people: int) -> None:
        """Sign these in, one after the other: streams and loops are theirs from then on."""
        self._begun = True  # nobody floods yet
        self._cookies = [await self._cookie(number) for number in range(people)] or self._cookies
        self._begun, self.bytes = False, 0
        self.answers.clear()

    def _cookie_of(self, number: int) -> str:
        """Of whoever a visitor is, as a line of a request."""
        return self._cookies[number % len(self._cookies)]

    async def _cookie(self, number: int) -> str:
        while True:
            head = await self._sign_in(person(number), SECRET, address_of(20, number))
            if found := _COOKIE.search(head):
                return f"Cookie: {found[1]}\r\n"

    def visit(self, paths: Sequence[str], streams: int, loops: int, sign_ins: int) -> list["asyncio.Task[None]"]:
        """So many visitors until they are cancelled. `paths`: what loops ask for in turn."""
        visitors = [
            *(self.stream(number) for number in range(streams)),
            *(self.loop(number, paths) for number in range(loops)),
            *(self.guess(number) for number in range(sign_ins)),
        ]
        return [asyncio.create_task(visitor) for visitor in visitors]

    async def stream(self, number: int) -> None:
        """Read the record's events from the first on, again and again."""
        more = f"Last-Event-ID: 0\r\n{self._cookie_of(number)}"
        while True:
            await self._ask("GET /api/v1/events", more, address=address_of(30, number))

    async def loop(self, number: int, paths: Sequence[str]) -> None:
        """Ask for these in turn."""
        more = self._cookie_of(number)
        for turn in count():
            await self._ask(f"GET {paths[turn % len(paths)]}", more, address=address_of(40, number))

    async def guess(self, number: int) -> None:
        """Try one password after the other."""
        for turn in count():
            await self._sign_in(f"guess{turn}", f"a wrong horse {turn}", address_of(50, number))

    async def _sign_in(self, name: str, password: str, address: str) -> str:
        body = json.dumps({"name": name, "password": password})
        origin = f"Origin: http://{HOST}:{self._port}"
        more = f"{origin}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return await self._ask("POST /api/v1/session", more, body, address=address)

    def _begin(self) -> None:
        """Say so at the first answer: connections that were refused before it are none, and are counted too."""
        if not self._begun:
            self._begun = True
            sys.stdout.write("begun\n")
            sys.stdout.flush()

    async def _ask(self, what: str, more: str, body: str = "", *, address: str) -> str:
        """Ask, and return what an answer's first bytes say."""
        status, begin = NO_ANSWER, ""
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(HOST, self._port, local_addr=(address, 0))
            try:
                request = f"{what} HTTP/1.1\r\nHost: {HOST}:{self._port}\r\nConnection: close\r\n{more}\r\n{body}"
                writer.write(request.encode())
                status = (await reader.readline()).decode().split(" ")[1] or NO_ANSWER
                self._begin()
                self.answers[f"{what} {status}"] += 1
                while data := await reader.read(1 << 16):
                    begin = begin or data.decode("latin-1")
                    self.bytes += len(data)
            except IndexError:
                pass
            finally:
                writer.close()
        if status == NO_ANSWER:
            self.answers[f"{what} {status}"] += 1
        if status != OK:
            await asyncio.sleep(PAUSE)
        return begin


async def _run(port: int, streams: int, loops: int, sign_ins: int, people: int) -> None:
    flood = Flood(port)
    await flood.let_in(people)
    tasks = flood.visit((STEPS, BOOK), streams, loops, sign_ins)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    sys.stdout.write(json.dumps({"answers": flood.answers, "bytes": flood.bytes}) + "\n")


if __name__ == "__main__":
    asyncio.run(_run(*(int(one) for one in sys.argv[1:6])))
