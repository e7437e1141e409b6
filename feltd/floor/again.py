"""What floord does again and again beside custody, whether its database is there or away."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from feltd.custody.errors import FloorAwayError

_log = logging.getLogger("feltd.floor")


async def again_and_again(
    turn: Callable[[], Awaitable[object]],
    what: str,
    every: float,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Do a turn of something until cancelled, and rest for so many seconds behind each.

    `what`: its name in the log. A database that is away is asked again in the next turn.
    """
    while True:
        try:
            await turn()
        except FloorAwayError as fault:
            _log.debug("%s: %s", what, fault)  # custody says it aloud
        await sleep(every)
