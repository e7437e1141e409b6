"""A sender tells its table how it stands with the witness: the table can show it to people, the sender cannot."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

from feltd.door.asking.obeying import witness_told
from feltd.door.witnessing import WitnessSays, WitnessWord
from feltd.text.errors import FeltdError

Tell: TypeAlias = Callable[[WitnessWord], Awaitable[None]]
"""Hands a word to the table. Raises FeltdError where the table does not take it."""
_REASONS_MOST: Final = 8
_log = logging.getLogger("feltd.witness")


class Telling:
    """Hands words to one table, one at a time. Belongs to a loop; no head waits for it."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._under_way: asyncio.Task[None] | None = None
        self._logged: set[str] = set()

    def say(self, says: WitnessSays) -> None:
        """Tell the table. A word that comes while the one before is on its way is dropped: the next says it anew."""
        if self._under_way is None or self._under_way.done():
            self._under_way = asyncio.get_running_loop().create_task(self._said(WitnessWord(says)), name="word")

    async def close(self) -> None:
        """Say nothing any more."""
        if self._under_way is not None:
            self._under_way.cancel()
            await asyncio.gather(self._under_way, return_exceptions=True)

    async def _said(self, word: WitnessWord) -> None:
        try:
            await self._tell(word)
        except FeltdError as fault:  # also of a table of before 0.13.0, which knows no such word
            words = str(fault)
            if words not in self._logged and len(self._logged) < _REASONS_MOST:
                self._logged.add(words)
                _log.warning("the table does not show how it stands with its witness: %s", words)


def telling(place: Path) -> Telling:
    """Tells the table whose door has this socket."""
    return Telling(lambda word: witness_told(place, word))
