"""The page as a process beside the table that started it: started again where it ends, ended with the table."""

import asyncio
import contextlib
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from feltd.launcher.table_process import Beside
from feltd.text.errors import FeltdError

AGAIN_AFTER: Final = 1.0
"""Seconds before a page that has ended is started again; twice as many after each start that fails."""
AGAIN_AFTER_MOST: Final = 30.0
SERVES_WITHIN: Final = 60.0
"""Seconds that a page gets to serve: one that hangs at its start would keep the table's own end waiting.

Twice as many after each that was too slow: else a machine at its limits would start a page and end it for ever."""
SERVES_WITHIN_MOST: Final = 600.0
ENDS_WITHIN: Final = 5.0
"""Seconds that a page gets to end by itself."""
_NOT_FOR_IT: Final = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "CREDENTIALS_DIRECTORY")
"""What the service manager tells the table alone."""

_log = logging.getLogger("feltd")


class PageChildError(FeltdError):
    """The page's process has ended before it served. The table itself is in order."""


def page_beside(file: Path) -> Beside:
    """Make what runs the page of this file beside a table."""

    @asynccontextmanager
    async def beside(socket: Path) -> AsyncIterator[str]:
        child = PageChild(file, socket)
        try:
            words = f"page at {await child.start()}"
        except PageChildError as fault:
            words = f"NO PAGE YET: {fault}"
            _log.error("%s; the table is at work, and the page is tried again", fault)
        task = asyncio.get_running_loop().create_task(child.keep(), name="page")
        try:
            yield words
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await child.end()

    return beside


class PageChild:
    """One page's process after the other."""

    def __init__(self, file: Path, socket: Path) -> None:
        python = [sys.executable, *(["-I"] if sys.flags.isolated else []), "-m", "feltd.cli"]
        self._command = [*python, "page", "--for-another", "--door", str(socket), str(file)]
        self._process: Process | None = None
        self._serves_within = SERVES_WITHIN

    async def start(self) -> str:
        """Start a process; return the address at which it serves. Raises PageChildError."""
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_IT}
        # A session of its own: Ctrl-C is for the table, which ends its page.
        self._process = process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, env=environment, start_new_session=True
        )
        assert process.stdout is not None
        address, why = "", "the page cannot be served; the lines above say why"
        try:
            async with asyncio.timeout(self._serves_within):
                address = (await process.stdout.readline()).decode().strip()
        except TimeoutError:
            why = f"the page has not come to serve within {self._serves_within:g} s, and is ended"
            self._serves_within = min(2 * self._serves_within, SERVES_WITHIN_MOST)
        if not address:
            await self.end()
            raise PageChildError(why)
        return address

    async def keep(self) -> None:
        """Start the page again whenever it ends, until cancelled."""
        pause = AGAIN_AFTER
        while True:
            if self._process is not None:
                status = await self._process.wait()
                _log.warning("the page has ended (%s) and is started again; the table goes on", status)
            await asyncio.sleep(pause)
            try:
                _log.info("page at %s", await self.start())
            except PageChildError:  # its process has said why
                pause = min(2 * pause, AGAIN_AFTER_MOST)
            else:
                pause = AGAIN_AFTER

    async def end(self) -> None:
        """Have the process end, by force where it does not."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(ENDS_WITHIN):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
