"""Visitors who want too much of the pit page, in one process that runs where a processor is idle:
`python -m tests.floor.pit_crowd PORT STREAMS LOOPS SIGN_INS PEOPLE`.

As `tests.bench.flood` of a table's page. STREAMS follow all tables, each whole at first and then what has changed;
LOOPS ask for all tables, for a search over them, for their trends and for the page, again and again; SIGN_INS guess
passwords. PEOPLE sign in first. Each line of the input begins or ends a turn of visits, and is answered by one: what
answers there were since, and how many bytes.
"""

import asyncio
import json
import os
import sys
import time
from typing import Final

from tests.bench.flood import Flood, address_of

HOUR: Final = 3600


class PitCrowd(Flood):
    """The visitors and what they got."""

    async def stream(self, number: int) -> None:
        """Follow all tables, for as long as the page lets it."""
        while True:
            await self._ask("GET /api/v1/stream", self._cookie_of(number), address=address_of(30, number))

    def _begin(self) -> None:
        """Each turn's begin is answered, and no visit's."""


async def _run(port: int, streams: int, loops: int, sign_ins: int, people: int) -> None:
    crowd = PitCrowd(port)
    await crowd.let_in(people)
    now = round(time.time())
    search = f"/api/v1/search?since={now - HOUR}&until={now + HOUR}"
    tasks: list[asyncio.Task[None]] = []
    while await asyncio.to_thread(sys.stdin.readline):
        begins = not tasks
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        print(json.dumps({"answers": crowd.answers, "bytes": crowd.bytes}), flush=True)
        crowd.answers.clear()
        crowd.bytes = 0
        paths = ("/api/v1/pit", search, "/api/v1/trends?span=day", "/")
        tasks = crowd.visit(paths, streams, loops, sign_ins) if begins else []


if __name__ == "__main__":
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    asyncio.run(_run(*(int(one) for one in sys.argv[1:6])))
