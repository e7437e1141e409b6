"""A table whose page is served as the daemon serves it, in this process's loop, and events for it at a steady pace."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, time
from typing import Final

from feltd.page.server import PageServer, listen
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event
from tests.feltd.page_support import Page, connections

PACE: Final = 0.03
"""Seconds between two events: a dealer with both hands full is slower."""


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """`entries`: of the record when it had been taken; `wall`: seconds since 1970 as it came; `took`: seconds in the
    table and its keeper."""

    entries: int
    wall: float
    took: float


class Serving:
    """A page that is served."""

    def __init__(self, page: Page, port: int) -> None:
        self.page = page
        self.port = port

    async def take(self, events: Sequence[Event], pace: float = PACE) -> list[TakenEvent]:
        """The events, one after the other; `pace`: seconds between two."""
        return [await self._take(event, pace) for event in events]

    async def _take(self, event: Event, pace: float) -> TakenEvent:
        bench = self.page.bench
        bench.time.pass_(max(0.0, event.t - bench.clock.now()))
        wall, start = time(), perf_counter()
        bench.keeper.deliver(Delivery("bench", lambda t: [replace(event, t=t)]))
        took = perf_counter() - start
        await asyncio.sleep(pace)
        return TakenEvent(bench.journal.health.appended, wall, took)


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Serving]:
    """A table's page on a loopback port, open to read here."""
    folder.mkdir()  # noqa: ASYNC240 - before anything is measured
    page = Page(folder, hosts=("127.0.0.1", "localhost"))
    listener = listen("127.0.0.1", 0, connections())
    server = PageServer(page.app, listener, None, (page.hub, page.feed))
    await server.start()
    try:
        yield Serving(page, listener.getsockname()[1])
    finally:
        await server.stop()
        await page.bench.synced()
        page.close()
