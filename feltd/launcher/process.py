"""What each of feltd's processes does first, and how it is told to stop."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from feltd.table.host.health import ServiceManager
from feltd.table.host.logs import set_up_logging
from feltd.table.host.memory import keep_to_itself, let_go_of_files

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the table's file."""
TRY_EVERY: Final = 30.0
"""Seconds after which a start is tried again that something else than the table's file kept from being."""


def set_up_process() -> None:
    """Set up the log, let go of what only the start looked at, and keep memory and files to the service and its group.

    Call before a key, a password or a card is read: none of them may reach swap, or a core file.
    """
    set_up_logging()
    let_go_of_files()
    keep_to_itself()
    os.umask(0o027)


def asked_to_stop() -> asyncio.Event:
    """An event that SIGTERM or SIGINT sets. Call within the loop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def until_stopped(work: Coroutine[Any, Any, object], status: str) -> None:
    """Tell the service manager that the process is ready, and run this until it ends or the process is asked to stop.

    `status`: what the service manager shows of it. Raises what `work` raises.
    """
    stop, manager = asked_to_stop(), ServiceManager()
    running, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    manager.ready(status)
    await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    manager.stopping()
    for task in (running, stopping):
        task.cancel()
    ended, _ = await asyncio.gather(running, stopping, return_exceptions=True)
    if isinstance(ended, Exception):
        raise ended


async def worth_a_try(stop: asyncio.Event, changed: Callable[[], bool], try_every: float | None) -> bool:
    """Wait until a start is worth another attempt; False where the process is asked to stop before."""
    waited = 0.0
    while not changed() and (try_every is None or waited < try_every):
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), LOOK_EVERY)
            return False
        waited += LOOK_EVERY
    return True


def stamp(file: Path) -> tuple[int, int] | None:
    """Changes when the file does; None where it is not there."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_ctime_ns  # who may read it counts as well
