"""A program of a bench that begins and ends its work at each line that it gets, and answers each with a line."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]


class Toggled:
    """The program at work. `ended`: makes the error for where it has ended by itself."""

    def __init__(self, process: asyncio.subprocess.Process, ended: Callable[[], Exception]) -> None:
        self._process = process
        self._ended = ended
        self.answers: list[bytes] = []
        """What it said at the end of each turn."""

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """It works as long as the block lasts."""
        await self._toggle()
        try:
            yield
        finally:
            self.answers.append(await self._toggle())

    async def _toggle(self) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\n")
        await self._process.stdin.drain()
        told = await self._process.stdout.readline()
        if not told:
            raise self._ended()
        return told


@asynccontextmanager
async def toggled(ended: Callable[[], Exception], module: str, *words: str) -> AsyncIterator[Toggled]:
    """Run a module of Python as such a program until the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *words,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=_ROOT,
    )  # fmt: skip
    try:
        yield Toggled(process, ended)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
