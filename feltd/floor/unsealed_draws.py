"""Whether the secrets of draws are sealed where floor.toml says so: a timer that fails is told on the pit page."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from feltd.custody.errors import CustodyError
from feltd.floor.draws import Draws
from feltd.floor.sealed_draws import unsealed_since

LOOK_EVERY: Final = 60.0
SEALED_WITHIN: Final = 2 * 3600.0
"""Seconds. The timer runs each hour, within five minutes, and as soon as the server is on again."""
_HOUR: Final = 3600.0


class UnsealedDraws:
    """The oldest secret of a draw that is sealed nowhere. `run` must run in the loop that reads `trouble`."""

    def __init__(
        self,
        draws: Draws | None,
        line: str | None,
        sealed: Path,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`line`: of the public key, which ends in its fingerprint, `sealed`: the folder into which the timer seals;
        both as floor.toml has them.
        """
        self._draws = draws
        self._line = line
        self._sealed = sealed
        self._wall = wall
        self._sleep = sleep
        self.trouble: tuple[str, ...] = ()
        """What is wrong, in words for the pit page and the log."""

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self.trouble = await asyncio.to_thread(self.look)
            await self._sleep(LOOK_EVERY)

    def look(self) -> tuple[str, ...]:
        """What is wrong now. Blocks while the files are read."""
        if self._draws is None or self._line is None:
            return ()  # nobody seals here: the log has said so at the start
        try:
            since = unsealed_since(self._draws.folder, self._sealed, self._line.rpartition(" ")[2])
        except CustodyError as fault:
            return (f"draws: nobody sees whether their secrets are sealed: {fault}",)
        late = 0.0 if since is None else self._wall() - since
        if late < SEALED_WITHIN:
            return ()
        return (
            f"draws: for {late / _HOUR:.0f} h there have been secrets in {self._draws.folder} that no file in "
            f"{self._sealed} has: where this disk is lost, their draws do not go on. Enable feltd-floor-draws.timer, "
            "and see why feltd-floor-draws.service fails",
        )
