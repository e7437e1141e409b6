"""A page that real browsers ask: a table, its record and its page on a loopback port, in a loop of its own."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import uvicorn

from feltd.page.access.roles import Role
from table_fsm.events import TableOpen
from tests.feltd.history_support import record
from tests.feltd.page_support import SECRET, Page

_T = TypeVar("_T")
"""Seconds."""


class _Server(uvicorn.Server):
    """Leaves the signals to the test runner."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Served:
    """A page and the address it is served at. `do` runs in the page's own loop and thread."""

    def __init__(self, page: Page, loop: asyncio.AbstractEventLoop, address: str) -> None:
        self.page = page
        self.address = address
        self._loop = loop

    def do(self, what: Callable[[Page], _T]) -> _T:
        """Have something done to the table where nothing else runs meanwhile."""

        async def done() -> _T:
            found = what(self.page)
            await asyncio.sleep(0)
            return found

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result()

    def take(self, event: type[Any], /, **fields: Any) -> None:
        """One event for the table."""
        self.do(lambda page: page.bench.take(event, **fields))

    def account(self, role: Role) -> tuple[str, str]:
        """Name and password of somebody of this role."""
        if self.page.accounts.get(role.value) is None:
            self.page.accounts.add(role.value, role, SECRET)
        return role.value, SECRET


@contextmanager
def served(
    folder: Path,
    *,
    rounds: int = 0,
    open_here: bool = False,
    opened: TableOpen | None = None,
    keys: bool = False,
) -> Iterator[Served]:
    """A table of Hold'em, open, with so many rounds in its record; or one that is `opened` so.

    `keys`: security keys work at its address, which then has a host name.
    """
    host = "localhost" if keys else "127.0.0.1"
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="page", daemon=True)
    thread.start()

    async def start() -> tuple[Page, _Server, asyncio.Task[None], int]:
        listening = socket.create_server(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        address = f"http://{host}:{port}" if keys else None
        page = Page(folder, open_here=open_here, hosts=("127.0.0.1", "localhost"), address=address)
        if rounds:
            record(page.bench, rounds=rounds)
        elif opened is not None:
            page.bench.keeper.open_with(opened)
        else:
            page.bench.open_table()
        await page.bench.synced()
        config = uvicorn.Config(page.app, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
        server = _Server(config)
        task = asyncio.get_running_loop().create_task(server.serve([listening]))
        while not server.started:  # noqa: ASYNC110 - uvicorn sets a flag, no event
            await asyncio.sleep(0.01)
        return page, server, task, port

    async def stop(page: Page, server: _Server, task: asyncio.Task[None]) -> None:
        page.hub.close()
        page.feed.close()
        server.should_exit = True
        await task
        page.close()

    page, server, task, port = asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        yield Served(page, loop, f"http://{host}:{port}")
    finally:
        asyncio.run_coroutine_threadsafe(stop(page, server, task), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
