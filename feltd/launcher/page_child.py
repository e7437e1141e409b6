"""The page as a process beside the table that started it: started again where it ends, ended with the table."""

import asyncio
import contextlib
import logging
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from feltd.launcher.table_process import Beside
from feltd.text.errors import FeltdError
from feltd.text.processor import comes_last

AGAIN_AFTER: Final = 1.0
"""Seconds before a page that has ended is started again; twice as many after each start that fails, and after each page
that ends soon: a start is a second of a processor, and whoever kills pages without end would take it from the table."""
AGAIN_AFTER_MOST: Final = 30.0
SERVES_AT_LEAST: Final = 60.0
"""Seconds for which a page must have served for its end to be the first again."""
WAITED_FOR: Final = 60.0
"""Seconds that the table waits with its own "ready", and with its own end, for a page that is slow to serve."""
SERVES_WITHIN: Final = 600.0
"""Seconds that a page gets to serve before it is ended as one that hangs. A machine at its limits needs over a minute:
a shorter time would end each start there, for ever."""
ENDS_WITHIN: Final = 5.0
"""Seconds that a page gets to end by itself."""
YIELDS: Final = 5
"""Steps by which a page is nicer than its table, as the page's unit has it."""
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
        loop = asyncio.get_running_loop()
        first: asyncio.Future[str] = loop.create_future()
        keeping = loop.create_task(child.keep(first), name="page")
        try:
            try:
                words = await asyncio.wait_for(first, WAITED_FOR)
            except TimeoutError:
                words = f"NO PAGE YET: it has not come to serve within {WAITED_FOR:g} s, and is waited for"
            yield words
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await child.end()

    return beside


class PageChild:
    """One page's process after the other."""

    def __init__(
        self,
        file: Path,
        socket: Path,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        python = [sys.executable, *(["-I"] if sys.flags.isolated else []), "-m", "feltd.cli"]
        self._command = [*python, "page", "--for-another", "--door", str(socket), str(file)]
        self._process: Process | None = None

    async def start(self) -> str:
        """Start a process; return the address at which it serves. Raises PageChildError."""
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_IT}
        # A process group of its own: Ctrl-C is for the table, which ends its page. No session of its own: Linux shares
        # the processors among sessions first (autogroups), and that a page is nice would count for nothing.
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, env=environment, process_group=0
            )
        except OSError as error:
            raise PageChildError(f"the page's process cannot be started: {error.strerror}") from error
        # From its first moment: its start is as much work as what its visitors make it do.
        comes_last(process.pid, os.getpriority(os.PRIO_PROCESS, 0) + YIELDS)
        assert process.stdout is not None
        address, why = "", "the page cannot be served; the lines above say why"
        try:
            async with asyncio.timeout(SERVES_WITHIN):
                address = (await process.stdout.readline()).decode().strip()
        except TimeoutError:
            why = f"the page has not come to serve within {SERVES_WITHIN:g} s, and is ended"
        if not address:
            await self.end()
            raise PageChildError(why)
        return address

    async def keep(self, first: "asyncio.Future[str]") -> None:
        """Start a page, and again whenever it ends, until cancelled. `first` gets what became of the first start."""
        pause = AGAIN_AFTER
        while True:
            try:
                words = f"page at {await self.start()}"
            except PageChildError as fault:
                _log.error("%s; the table is at work, and the page is tried again", fault)
                _tell(first, f"NO PAGE YET: {fault}")
                await self._sleep(pause)
                pause = min(2 * pause, AGAIN_AFTER_MOST)
                continue
            if not _tell(first, words):
                _log.info("%s", words)
            assert self._process is not None
            since = self._clock()
            status = await self._process.wait()
            if self._clock() - since >= SERVES_AT_LEAST:
                pause = AGAIN_AFTER
            _log.warning("the page has ended (%s) and is started again in %g s; the table goes on", status, pause)
            await self._sleep(pause)
            pause = min(2 * pause, AGAIN_AFTER_MOST)

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


def _tell(first: "asyncio.Future[str]", words: str) -> bool:
    """Give the words to who waits for the first start; return False where nobody does any more."""
    if first.done():
        return False
    first.set_result(words)
    return True
