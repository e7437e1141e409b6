"""A post that is tried until it is taken, ever later."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from feltd.posting.signed import NotTakenError

FIRST_WAIT: Final = 1.0
"""Seconds until a post that was not taken is tried again; twice as long each time."""
LONGEST_WAIT: Final = 300.0


async def until_taken(
    post: Callable[[], Awaitable[None]],
    what: str,
    log: logging.Logger,
    sleep: Callable[[float], Awaitable[None]],
    told: Callable[[str | None], None] = lambda _: None,
) -> bool:
    """Post until it is taken, or is refused for good: then False. `post` raises NotTakenError.

    `told`: is called with why it is not taken, and with None once it is.
    """
    wait = FIRST_WAIT
    while True:
        try:
            await post()
        except NotTakenError as fault:
            told(str(fault))
            if fault.lasting:
                log.error("%s is not sent: %s", what, fault)
                return False
            log.warning("%s, tried again in %.0f s: %s", what, wait, fault)
        else:
            told(None)
            return True
        await sleep(wait)
        wait = min(2 * wait, LONGEST_WAIT)
