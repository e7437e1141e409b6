"""A page that many lean on: how long a person's sign-in takes beside idle connections, streams, guessers and a flood.

`python -m tests.bench.crowding` measures this alone. Table and page are processes of their own, as under systemd; the
crowd comes from other addresses of loopback. The sign-in is a stranger's: from a browser that has not signed in before.
As root the page is where its unit has it, in a group that yields to all else, the crowd's own program among that.
"""

import asyncio
import json
import resource
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from tests.bench.last_group import TAKEN_OUT, last_group, without
from tests.bench.report import Row, Spread, table
from tests.bench.starting import ready
from tests.ports import free_port

GOAL: Final = 1e6  # microseconds, the longest
STREAMS_OF_ONE: Final = 16
IDLE_OF_ADDRESS: Final = 50
IDLE_PAUSE: Final = 2.0
"""Seconds after which a connection that was let go comes again."""
GUESSERS: Final = 40
FLOODS: Final = 8
PATIENCE: Final = 60.0
TRIES_AGAIN: Final = 0.1
"""Seconds after which somebody whom the page tells to come again does so."""
SECRET: Final = "a horse, and a staple"
_TABLE: Final = """\
[table]
name = "bench"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
button = 3
[table.options]
blinds = [100, 200]
[page]
port = {port}
[journal]
path = "{folder}/table.journal"
sealing_key_file = "{folder}/journal.key"
"""


class CrowdBenchError(Exception):
    """The page did not take those who were to crowd it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's status, and the cookie that it sets."""

    status: int
    cookie: str


def measure(directory: Path, idle: int, streams: int, sign_ins: int) -> list[Row]:
    """The lines; files go to `directory`. Raises CrowdBenchError."""
    return asyncio.run(_measure(directory / "crowd", idle, streams, sign_ins))


async def _measure(folder: Path, idle: int, streams: int, sign_ins: int) -> list[Row]:
    folder.mkdir()  # noqa: ASYNC240 - before anything is measured
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    people = -(-streams // STREAMS_OF_ONE)
    port = free_port()
    config = _written(folder, port, people)
    async with last_group() as group, ready(config), ready(config, "page") as page:
        if group is None:
            sys.stderr.write(f"bench: {without('the turns that the bench has')}\n")
        else:
            group.take(page.process.pid)
        alone = await _sign_ins(port, sign_ins)
        cookies = [await _cookie(port, f"observer{n}", f"127.0.2.{n + 1}") for n in range(people)]
        following = [
            _following(port, cookies[n // STREAMS_OF_ONE], f"127.0.2.{n // STREAMS_OF_ONE + 1}") for n in range(streams)
        ]
        async with _going_on(following) as followed, _idle(port, idle):
            crowded = await _sign_ins(port, sign_ins)
            guesses = [_again(partial(_guess, port, n)) for n in range(GUESSERS)]
            flood = _get("/api/v1/devices", cookies[0])
            floods = [_again(partial(_asked, port, "127.0.2.1", flood)) for _ in range(FLOODS)]
            async with _going_on([*guesses, *floods]):
                beset = await _sign_ins(port, sign_ins)
            if any(one.done() for one in followed):
                raise CrowdBenchError("a stream ended before the crowd did")
        if group is not None and not group.has(page.process.pid):
            sys.stderr.write(f"bench: {TAKEN_OUT}\n")
    what = f"{idle} idle connections and {streams} streams"
    return [
        Row(f"Sign-in, nobody else at the page, {sign_ins} times", str(alone)),
        _row(f"– beside {what}", crowded, alone),
        _row(f"– and {GUESSERS} addresses that guess, and an observer's {FLOODS} loops of requests", beset, alone),
    ]


def _row(what: str, spread: Spread, alone: Spread) -> Row:
    return Row(what, str(spread), f"alone {alone.p50 / 1e3:.0f} ms", spread.p50 / alone.p50, "each under 1 s",
               spread.worst < GOAL)  # fmt: skip


def _written(folder: Path, port: int, people: int) -> Path:
    (folder / "journal.key").write_bytes(bytes(range(32)))
    accounts = AccountBook(folder / "accounts.json")
    accounts.add("anna", Role.SUPERVISOR, SECRET)
    for number in range(people):
        accounts.add(f"observer{number}", Role.OBSERVER, SECRET)
    file = folder / "table.toml"
    file.write_text(_TABLE.format(folder=folder, port=port), encoding="utf-8")
    return file


# -- what is asked


def _get(path: str, cookie: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n".encode()


def _sign_in(name: str, password: str) -> bytes:
    body = json.dumps({"name": name, "password": password})
    head = "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


async def _asked(port: int, address: str, request: bytes) -> Answer:
    if request.startswith(b"GET"):
        request += b"Connection: close\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        writer.write(request)
        head, *lines = (await reader.read()).partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    finally:
        writer.close()
    set_ = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("set-cookie:"))
    cookie = next((one.partition(";")[0] for one in set_ if one.startswith("feltd=")), "")
    return Answer(int(head.split(" ")[1]) if head else 0, cookie)


async def _cookie(port: int, name: str, address: str) -> str:
    until = perf_counter() + PATIENCE
    answer = await _asked(port, address, _sign_in(name, SECRET))
    while answer.status == HTTPStatus.SERVICE_UNAVAILABLE and perf_counter() < until:
        await asyncio.sleep(TRIES_AGAIN)  # the table did not write it down in time: that takes somebody's time too
        answer = await _asked(port, address, _sign_in(name, SECRET))
    if answer.status != HTTPStatus.OK:
        raise CrowdBenchError(f"{name} is not let in: {answer.status}")
    return answer.cookie


async def _sign_ins(port: int, times: int) -> Spread:
    took: list[float] = []
    for number in range(times):
        start = perf_counter()
        await _cookie(port, "anna", f"127.0.4.{number % 200 + 1}")
        took.append((perf_counter() - start) * 1e6)
    return Spread.of(took)


# -- the crowd


async def _following(port: int, cookie: str, address: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        writer.write(_get("/api/v1/stream", cookie) + b"\r\n")
        while await reader.read(65536):
            """Whatever comes."""
    finally:
        writer.close()


async def _guess(port: int, number: int) -> None:
    await _asked(port, f"127.0.5.{number + 1}", _sign_in(f"name{next(_NAMES)}", "a guess of mine"))


_NAMES: Final = count()


async def _again(ask: Callable[[], Coroutine[Any, Any, object]], pause: float = 0.01) -> None:
    while True:
        try:
            await ask()
        except OSError:
            """It was let go: it comes again."""
        await asyncio.sleep(pause)


@asynccontextmanager
async def _going_on(works: list[Coroutine[Any, Any, None]]) -> AsyncIterator[list["asyncio.Task[None]"]]:
    tasks = [asyncio.ensure_future(work) for work in works]
    await asyncio.sleep(1.0)  # until they are at it
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _idle(port: int, number: int) -> AsyncIterator[None]:
    """So many connections that say nothing; one that is let go comes again."""

    async def one(address: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        try:
            await reader.read()
        finally:
            writer.close()

    addresses = [f"127.0.3.{n // IDLE_OF_ADDRESS + 1}" for n in range(number)]
    async with _going_on([_again(partial(one, address), IDLE_PAUSE) for address in addresses]):
        yield


def main() -> None:
    """The program."""
    with tempfile.TemporaryDirectory(prefix="feltd-crowd-", dir="/var/tmp") as directory:
        sys.stdout.write(table(measure(Path(directory), idle=1000, streams=200, sign_ins=20)) + "\n")


if __name__ == "__main__":
    main()
